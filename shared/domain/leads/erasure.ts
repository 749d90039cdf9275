/**
 * A person's erasure (shared/contract/README.md#erasure; LGPD, art. 16 and 18): aguardando --> apagando --> apagado -->
 * second pass.
 *
 * From `apagando` on, every writer and every reader must check `erasingSince`. The second pass deletes what a call that
 * was running, or a late index, may have left. Each step can be cut off anywhere and repeated.
 *
 * A spouse has no lead: their fields are deleted from each form that names them, in one step, once no analysis of the
 * form is pending.
 */
import type { LeadId, PartnerId, SubmissionId } from '../values/ids.ts';
import type { Tenancy } from '../values/tenancy.ts';
import { type Instant, type Milliseconds, minutes } from '../values/time.ts';

export const ERASURE_STATES = ['aguardando', 'apagando', 'apagado'] as const;
export type ErasureState = (typeof ERASURE_STATES)[number];

export interface ErasureSubject extends Tenancy {
  readonly partnerId: PartnerId;
  readonly leadId: LeadId;
}

export interface ErasedSubject extends ErasureSubject {
  readonly submissionId?: SubmissionId | undefined;
  readonly requestedAt?: Instant | undefined;
  readonly cause?: Erasure['cause'];
}

export interface SpouseSubject extends ErasureSubject {
  readonly submissionId: SubmissionId;
}

export interface ErasurePass {
  readonly opportunities: number;
  readonly forms: number;
  readonly analyses: number;
  readonly consents: number;
  readonly at: Instant;
}

export interface Erasure extends ErasureSubject {
  readonly state: ErasureState;
  /** If two runs continue an erasure at once, only one of them can write. */
  readonly revision: number;
  readonly requestedAt: Instant;
  /** Counted in the transactions that delete, so that the numbers are right even if several runs delete rows. */
  readonly opportunities: number;
  readonly forms: number;
  readonly pending: number;
  readonly passes: readonly ErasurePass[];
  readonly cause?: 'retention' | undefined;
  /** Undefined after the second pass. */
  readonly nextCheckAt?: Instant | undefined;
}

/**
 * Consents up to this moment do not count. After a lead that ended by retention, only its withdrawal sets the moment.
 */
export function consentCutoff(
  { cause, requestedAt }: Pick<Erasure, 'cause' | 'requestedAt'>,
  withdrawnAt: Instant | undefined,
): Instant | undefined {
  if (cause === 'retention') return withdrawnAt;
  return Math.max(requestedAt, withdrawnAt ?? requestedAt);
}

export function beginErasure(
  { partnerId, unitId, environment, leadId, cause }: ErasureSubject & Pick<Erasure, 'cause'>,
  requestedAt: Instant,
  nextCheckAt: Instant,
): Erasure {
  return {
    partnerId,
    unitId,
    environment,
    leadId,
    cause,
    state: 'aguardando',
    revision: 1,
    requestedAt,
    nextCheckAt,
    opportunities: 0,
    forms: 0,
    pending: 0,
    passes: [],
  };
}

/** No index is late for so long, and no call runs for so long. */
export const SECOND_PASS_AFTER: Milliseconds = minutes(15);
/** The sweeper also repeats a step after this time, since the step may have been cut off. */
export const ERASURE_RETRY: Milliseconds = minutes(5);

type Deleted = Pick<ErasurePass, 'opportunities' | 'forms'>;

export function totalsOf(passes: readonly Deleted[]): Deleted {
  const sum = (count: keyof Deleted) => passes.reduce((total, pass) => total + pass[count], 0);
  return { opportunities: sum('opportunities'), forms: sum('forms') };
}

export function deletedSince({ passes, opportunities, forms }: Erasure): Deleted {
  const noted = totalsOf(passes);
  return { opportunities: opportunities - noted.opportunities, forms: forms - noted.forms };
}
