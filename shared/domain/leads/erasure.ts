/**
 * A person's erasure as a state machine on the lead (shared/contract/README.md#erasure; LGPD, art. 16 and 18):
 *
 *     aguardando --> apagando --> apagado --> second pass
 *
 *   aguardando  asked for; an analysis is at a bank, which may still need its form. One not yet sent is withdrawn.
 *   apagando    the lead bears the mark: every writer conditions on it and every reader takes the lead for unknown.
 *   apagado     a pass over the person's rows has ended, and neither name nor CPF leads to the lead any more.
 *
 * A second pass after 15 minutes ends what a call in flight or a late index may have left. Each step can be cut off
 * anywhere and made again: what is left is read from the rows, not remembered. Evidence of consent and the analyses that
 * it allowed stay under the lead's number.
 *
 * A lead whose term is over (retention.ts) bears its mark from `aguardando` on, so that nothing comes between.
 *
 * A spouse has no lead: of each form that names them their own fields go, once no analysis of it is pending, in one step.
 */
import type { LeadId, PartnerId, SubmissionId } from '../values/ids.ts';
import type { Tenancy } from '../values/tenancy.ts';
import { type Instant, type Milliseconds, minutes } from '../values/time.ts';

export const ERASURE_STATES = ['aguardando', 'apagando', 'apagado'] as const;
export type ErasureState = (typeof ERASURE_STATES)[number];

/** Whose data is erased: a lead is a person in one unit and environment. */
export interface ErasureSubject extends Tenancy {
  readonly partnerId: PartnerId;
  readonly leadId: LeadId;
}

/** Who was erased: a lead's person, or the spouse whom a submission of the lead names. */
export interface ErasedSubject extends ErasureSubject {
  readonly submissionId?: SubmissionId | undefined;
}

/** A spouse, by the submission that names them. */
export interface SpouseSubject extends ErasureSubject {
  readonly submissionId: SubmissionId;
}

/** What was deleted up to the end of a pass, since the end of the one before, and what it found that is kept as evidence. */
export interface ErasurePass {
  readonly opportunities: number;
  readonly forms: number;
  readonly analyses: number;
  readonly consents: number;
  /** When it ended. */
  readonly at: Instant;
}

export interface Erasure extends ErasureSubject {
  readonly state: ErasureState;
  /** Grows by one with each write: of two that go on with it at once, one writes. */
  readonly revision: number;
  readonly requestedAt: Instant;
  /** Deleted so far, each counted with its deletion: whoever has deleted it, however often it was cut off. */
  readonly opportunities: number;
  readonly forms: number;
  /** Analyses that it waits for. */
  readonly pending: number;
  /** The passes that have ended, the first before the second. */
  readonly passes: readonly ErasurePass[];
  /** Who asked for it, where that was no person: the lead's term was over. */
  readonly cause?: 'retention' | undefined;
  /** When the sweeper goes on with it; undefined once the second pass has ended. */
  readonly nextCheckAt?: Instant | undefined;
}

/** An erasure as it is begun. */
export function beginErasure(subject: ErasureSubject, requestedAt: Instant, nextCheckAt: Instant): Erasure {
  return {
    ...subject,
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

/** How long after the first pass the second comes: no index is late for so long, and no call runs. */
export const SECOND_PASS_AFTER: Milliseconds = minutes(15);
/** How often the sweeper looks whether what an erasure waits for is final, and after which it takes a step for cut off. */
export const ERASURE_RETRY: Milliseconds = minutes(5);

type Deleted = Pick<ErasurePass, 'opportunities' | 'forms'>;

/** What all passes have deleted together. */
export function totalsOf(passes: readonly Deleted[]): Deleted {
  const sum = (count: keyof Deleted) => passes.reduce((total, pass) => total + pass[count], 0);
  return { opportunities: sum('opportunities'), forms: sum('forms') };
}

/** What was deleted since the last pass was noted. */
export function deletedSince({ passes, opportunities, forms }: Erasure): Deleted {
  const noted = totalsOf(passes);
  return { opportunities: opportunities - noted.opportunities, forms: forms - noted.forms };
}
