/**
 * A person's erasure as a state machine on the lead (shared/contract/README.md#erasure; LGPD, art. 16 and 18):
 *
 * aguardando --> apagando --> apagado --> second pass
 *
 * - `aguardando`: the erasure was requested, and waits while an analysis is at a bank, which may still need the form.
 *   An analysis that was not sent yet is withdrawn.
 * - `apagando`: the lead has the mark (`erasingSince`). Every writer checks for it, and every reader finds no lead.
 * - `apagado`: a pass over the person's rows has ended. Neither name nor CPF leads to the lead any more.
 *
 * A second pass after 15 minutes deletes what a call that was running, or a late index, may have left. Each step can be
 * cut off anywhere and repeated, because the next run finds what is left by reading the rows. The evidence of consent
 * and the analyses that it allowed are kept under the lead's number.
 *
 * If the lead's term is over (retention.ts), the lead has its mark from `aguardando` on, so nothing can be added to it.
 *
 * A spouse has no lead. Their fields are deleted from each form that names them, in one step, once no analysis of the
 * form is pending.
 */
import type { LeadId, PartnerId, SubmissionId } from '../values/ids.ts';
import type { Tenancy } from '../values/tenancy.ts';
import { type Instant, type Milliseconds, minutes } from '../values/time.ts';

export const ERASURE_STATES = ['aguardando', 'apagando', 'apagado'] as const;
export type ErasureState = (typeof ERASURE_STATES)[number];

/** The lead whose person is erased: a person in one unit and environment. */
export interface ErasureSubject extends Tenancy {
  readonly partnerId: PartnerId;
  readonly leadId: LeadId;
}

/** The person of a lead or, if `submissionId` is set, the spouse who is named in that submission of the lead. */
export interface ErasedSubject extends ErasureSubject {
  readonly submissionId?: SubmissionId | undefined;
  /** When the erasure was requested first, or began by itself. Undefined if it is requested now. */
  readonly requestedAt?: Instant | undefined;
  readonly cause?: Erasure['cause'];
}

/** A spouse, identified by the submission that names them. */
export interface SpouseSubject extends ErasureSubject {
  readonly submissionId: SubmissionId;
}

/** Result of one pass over the person's rows. */
export interface ErasurePass {
  /** Simulations and forms that were deleted since the end of the pass before. */
  readonly opportunities: number;
  readonly forms: number;
  /** Analyses and consents that the pass found. They are kept as evidence. */
  readonly analyses: number;
  readonly consents: number;
  /** When the pass ended. */
  readonly at: Instant;
}

export interface Erasure extends ErasureSubject {
  readonly state: ErasureState;
  /** Grows by one with each write. If two runs continue an erasure at once, only one of them can write. */
  readonly revision: number;
  readonly requestedAt: Instant;
  /**
   * Simulations and forms that were deleted so far. Each deletion is counted in the transaction that deletes. So the
   * numbers are right even if several runs delete rows, and if runs are cut off.
   */
  readonly opportunities: number;
  readonly forms: number;
  /** Number of analyses that the erasure waits for. */
  readonly pending: number;
  /** The passes that have ended, the first before the second. */
  readonly passes: readonly ErasurePass[];
  /** `retention` if the erasure began because the lead's term was over. Undefined if somebody requested it. */
  readonly cause?: 'retention' | undefined;
  /** When the sweeper continues the erasure. Undefined after the second pass. */
  readonly nextCheckAt?: Instant | undefined;
}

/**
 * Returns up to when no consent of an erased person counts: the request of the erasure, or the last withdrawal if that
 * is later. A lead that ended because nobody used it leaves only its withdrawal. Undefined if every consent counts.
 */
export function consentCutoff(
  { cause, requestedAt }: Pick<Erasure, 'cause' | 'requestedAt'>,
  withdrawnAt: Instant | undefined,
): Instant | undefined {
  if (cause === 'retention') return withdrawnAt;
  return Math.max(requestedAt, withdrawnAt ?? requestedAt);
}

/** Returns a new erasure of a person, which waits until the sweeper or the caller continues it. */
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

/** Time between the first and the second pass. No index is late for so long, and no call runs for so long. */
export const SECOND_PASS_AFTER: Milliseconds = minutes(15);
/**
 * How often the sweeper checks whether the analyses that an erasure waits for have ended. After the same time it
 * repeats a step, since the step may have been cut off.
 */
export const ERASURE_RETRY: Milliseconds = minutes(5);

type Deleted = Pick<ErasurePass, 'opportunities' | 'forms'>;

/** Returns what all these passes deleted together. */
export function totalsOf(passes: readonly Deleted[]): Deleted {
  const sum = (count: keyof Deleted) => passes.reduce((total, pass) => total + pass[count], 0);
  return { opportunities: sum('opportunities'), forms: sum('forms') };
}

/** Returns what was deleted since the last pass was stored. */
export function deletedSince({ passes, opportunities, forms }: Erasure): Deleted {
  const noted = totalsOf(passes);
  return { opportunities: opportunities - noted.opportunities, forms: forms - noted.forms };
}
