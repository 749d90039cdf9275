import type { UnitId } from '../values/ids.ts';

/** The steps of the flow that a partner tries in the sandbox, in its order: the five after `replay` are an analysis's outcomes. */
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
] as const;
export type Step = (typeof STEPS)[number];

/** What kind of row shows a step. */
export const EVIDENCE_KINDS = ['lead', 'opportunity', 'analysis', 'event'] as const;

/** A row that shows a step. None of it is personal data. */
export interface Evidence {
  readonly kind: (typeof EVIDENCE_KINDS)[number];
  readonly id: number | string;
  readonly unitId: UnitId;
  /** Milliseconds since 1970: when the row was made, or the step noted on it. */
  readonly at: number;
}

/** What a partner's sandbox keys have really done. */
export interface SandboxChecklist {
  readonly shown: Readonly<Partial<Record<Step, Evidence>>>;
  /** The steps that no row shows. */
  readonly missing: readonly Step[];
  /** Whether a unit has older leads than were looked at. */
  readonly cut: boolean;
}
