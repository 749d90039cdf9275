import type { UnitId } from '../values/ids.ts';
import type { Instant } from '../values/time.ts';

/**
 * What a partner has to have tried in the sandbox before production is opened to it, in the order of the flow: the one
 * list behind `partners validate`, `validacao` in GET /v1/me and the guide's page on production. `reuse`: a known CPF was
 * sent again; `replay`: a submission, with its Idempotency-Key; then each outcome of an analysis; `webhook`: an event was
 * taken with a 2xx; `resend`: one was taken at its second attempt or a later one.
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

/** The steps that were made, each with its moment. */
export type StepsMade = Readonly<Partial<Record<Step, Instant>>>;

/** What kind of row shows a step. */
export const EVIDENCE_KINDS = ['lead', 'opportunity', 'analysis', 'event'] as const;

/** A row that shows a step. None of it is personal data. */
export interface Evidence {
  readonly kind: (typeof EVIDENCE_KINDS)[number];
  readonly id: number | string;
  readonly unitId: UnitId;
  /** When the row was made, or the step noted on it. */
  readonly at: Instant;
}

/** What a partner's sandbox keys have really done. */
export interface SandboxChecklist {
  readonly shown: Readonly<Partial<Record<Step, Evidence>>>;
  /** The steps that no row shows. */
  readonly missing: readonly Step[];
  /** Whether a unit has older leads, or the partner older deliveries, than were looked at. */
  readonly cut: boolean;
}
