import type { UnitId } from '../values/ids.ts';
import type { Instant } from '../values/time.ts';

/**
 * The steps that a partner must have made in the sandbox before production is opened to it, in the order of the flow.
 * This is the only list: `partners validate`, `validacao` in GET /v1/me and the guide's page on production use it.
 * - `reuse`: a known CPF was sent again.
 * - `replay`: a submission was sent again with its Idempotency-Key.
 * - `aprovado` to `erro`: an analysis ended in this situation.
 * - `webhook`: the partner's endpoint answered an event with 2xx.
 * - `resend`: the endpoint answered a second or later attempt of an event with 2xx.
 */
export const STEPS = [
  'lead',
  'reuse',
  'simulation',
  'analysis',
  'replay',
  'aprovado',
  'condicionado',
  'recusado',
  'cancelado',
  'erro',
  'webhook',
  'resend',
] as const;
export type Step = (typeof STEPS)[number];

/** The steps that were made, and when. */
export type StepsMade = Readonly<Partial<Record<Step, Instant>>>;

/** Most leads of the caller's unit that one call looks at, newest first. */
export const CALLERS_LOOKED_AT = 20;

/** Kind of the row that shows a step. */
export const EVIDENCE_KINDS = ['lead', 'opportunity', 'analysis', 'event'] as const;

/** A row that shows that a step was made. It holds no personal data. */
export interface Evidence {
  readonly kind: (typeof EVIDENCE_KINDS)[number];
  readonly id: number | string;
  readonly unitId: UnitId;
  /** When the row was created, or when the step was stored on it. */
  readonly at: Instant;
}

/** The steps that a partner has made in the sandbox, as its rows show. */
export interface SandboxChecklist {
  readonly shown: Readonly<Partial<Record<Step, Evidence>>>;
  /** The steps that no row has shown. */
  readonly missing: readonly Step[];
  /**
   * Whether older leads of a unit, or older deliveries of the partner, could show a missing step and were not looked
   * at.
   */
  readonly cut: boolean;
}
