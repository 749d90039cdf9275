import type { UnitId } from '../values/ids.ts';
import type { Instant } from '../values/time.ts';

/**
 * This is the only list of steps: `partners validate`, `validacao` in GET /v1/me and the guide's page on production use
 * it.
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

export type StepsMade = Readonly<Partial<Record<Step, Instant>>>;

/** Number of newest leads of a unit that a partner's own call looks at. */
export const CALLERS_LOOKED_AT = 20;

export const EVIDENCE_KINDS = ['lead', 'opportunity', 'analysis', 'event'] as const;

/** Without personal data. */
export interface Evidence {
  readonly kind: (typeof EVIDENCE_KINDS)[number];
  readonly id: number | string;
  readonly unitId: UnitId;
  readonly at: Instant;
}

export interface SandboxChecklist {
  readonly shown: Readonly<Partial<Record<Step, Evidence>>>;
  readonly missing: readonly Step[];
  /** Whether older leads or deliveries, which were not looked at, could show a missing step. */
  readonly cut: boolean;
}
