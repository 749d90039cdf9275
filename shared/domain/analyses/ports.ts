import type { Lead } from '../leads/ports.ts';
import type { Caller } from '../partners/ports.ts';
import type { Bank } from '../values/bank.ts';
import type {
  Answer,
  Claim,
  ClaimedKey,
  IdempotencyRecord,
  IdempotentResult,
  Unopened,
} from '../values/idempotency.ts';
import type { AnalysisId, LeadId, SubmissionId } from '../values/ids.ts';
import type { Page, Tenancy } from '../values/tenancy.ts';
import type { Instant, Seconds } from '../values/time.ts';
import type { Delivery } from '../webhooks/ports.ts';
import type { Analysis, AnalysisForm, Consent, ConsentWithdrawal } from './analysis.ts';
import type { PollCursor } from './poll-cursor.ts';
import type { PollPartition } from './poll-schedule.ts';
import type { SubmitLease } from './unsent-watch.ts';

export type { Delivery } from '../webhooks/ports.ts';
export type { Analysis, AnalysisForm, Consent, ConsentWithdrawal } from './analysis.ts';

/**
 * How a question to the operator ends.
 * - `failed`: the bank, or the connection to it, gave no answer (no connection, too late, 5xx, 401, 403, 429).
 * - `unanswerable`: an answer came, but it does not fit the analysis.
 */
export type QuestionEnd = 'answered' | 'failed' | 'unanswerable';
export type NoUsableAnswer = Exclude<QuestionEnd, 'answered'>;

/** Why a bank submission was refused. The contract has the partner's sentence for each reason. */
export type SubmissionRefusal = 'bank_not_served' | 'form_invalid' | 'test_cpf' | 'too_late' | 'other';

/** The result of sending one analysis to its bank. */
export type BankSubmission =
  | { readonly kind: 'accepted'; readonly queryNumber: string; readonly rawStatus: string }
  /** The bank or the operator refused the submission for good. */
  | { readonly kind: 'refused'; readonly rawStatus: string; readonly reason: SubmissionRefusal }
  /** Not sent, and never sent later: the erasure of the person was requested. */
  | { readonly kind: 'withdrawn' }
  /** Not sent, and never sent later: the person withdrew the consent. */
  | { readonly kind: 'consent_withdrawn' }
  /**
   * No answer that can be trusted: the submission may have arrived. The operator is asked by our reference before
   * anything is sent again.
   */
  | { readonly kind: 'unknown'; readonly fault?: NoUsableAnswer };

/** The operator's statement about an analysis. */
export type OperatorStatus =
  | { readonly kind: 'known'; readonly queryNumber: string; readonly rawStatus: string }
  /** The operator has never received this reference. */
  | { readonly kind: 'absent' }
  | { readonly kind: NoUsableAnswer };

/** The operator, through which we reach the banks. No method throws because a bank or the network failed. */
export interface OperatorApi {
  /** Sends an analysis to its bank. Idempotent by our reference: a second call never causes a second credit query. */
  submit(analysis: Analysis, form: AnalysisForm, signal: AbortSignal): Promise<BankSubmission>;
  /** Asks about one analysis: by its query number, or by our reference if it has no number yet. */
  query(analysis: Analysis, signal: AbortSignal): Promise<OperatorStatus>;
  /**
   * Returns the whole seconds for which the operator's circuit stays open, so that new submissions are refused.
   * Undefined while the circuit is closed.
   */
  openFor(): Seconds | undefined;
  /**
   * Asks about up to 100 analyses of one bank in one call. Returns their statuses in their order, or `unanswerable` if the
   * operator does not answer batches or its answer cannot be read. Undefined if the operator has no batches.
   */
  queryBatch?(analyses: readonly Analysis[], signal: AbortSignal): Promise<readonly OperatorStatus[] | NoUsableAnswer>;
}

/** The manager's access to the operator. */
export interface OperatorAccess {
  /** The operator's base URL. */
  readonly url: string;
  /** Whether a token was ever written. */
  hasToken(): Promise<boolean>;
  /** Writes a new token. Containers take it up within 5 minutes. */
  putToken(token: string): Promise<void>;
}

export interface SubmissionDraft {
  readonly caller: Caller;
  readonly lead: Lead;
  /** The lead with the birth date from the form. Undefined if the lead had one, so that nothing is written. */
  readonly leadToWrite: Lead | undefined;
  readonly banks: readonly Bank[];
  readonly form: AnalysisForm;
  readonly consent: Omit<Consent, 'id' | 'leadId' | 'analysisIds' | 'banks' | 'keyId'>;
  /** The outcome that a test CPF or the lead's note forces in the sandbox. Undefined in production. */
  readonly forced: string | undefined;
  /** The request id of the partner's call. */
  readonly requestId: string;
}

/** An analysis before and after a change. Both fields are the same object if nothing changes. */
export interface AnalysisChange {
  readonly before: Analysis;
  readonly after: Analysis;
  /** Why the bank submission was refused. Undefined if it was not. */
  readonly refusal?: SubmissionRefusal | undefined;
  /**
   * The mark of the analysis, if the mark is the reason of the change. The change is then refused if the mark was
   * removed or set again meanwhile. Undefined if the mark does not matter.
   */
  readonly unanswerableSince?: Instant | undefined;
}

/** Makes the delivery of the event about an analysis that ended at `now`. `refusal`: why its bank submission was refused. */
export type AnalysisEventOf = (analysis: Analysis, now: Instant, refusal?: SubmissionRefusal) => Delivery;

/** A write that was made, with the deliveries of the events that it wrote. */
export interface Written {
  readonly events: readonly Delivery[];
}

export interface Analyses {
  /**
   * Reads the lead and the record of an earlier call with the same Idempotency-Key, usually in one round trip. `lead`
   * is undefined if it does not exist. Both are undefined if the lead's person is being erased. The writes of the call
   * take the `key`.
   */
  prepare(
    leadId: LeadId,
    claim: Claim,
  ): Promise<{
    readonly lead: Lead | undefined;
    readonly earlier: IdempotencyRecord | undefined;
    readonly key: ClaimedKey;
  }>;
  /**
   * Writes the first transaction of a submission: Idempotency-Key, form, consent, one analysis for each bank, and the
   * lead's birth date if it was missing. Returns the analyses, in the order of the call.
   * - `lead_changed`: the lead has another version than the one that was read, or the person has withdrawn the consent.
   * - `lead_gone`: the erasure of the lead's person was requested.
   * - `cutoff`: the consent does not count, because the person of an earlier lead with this CPF withdrew the consent or
   *   was erased at this moment.
   */
  claim(
    draft: SubmissionDraft,
    key: ClaimedKey,
  ): Promise<IdempotentResult<readonly Analysis[]> | { readonly cutoff: Instant } | 'lead_changed' | 'lead_gone'>;
  /**
   * Takes over a claim whose lock has run out. Returns `lead_gone` if the form is gone, because the person was erased
   * meanwhile. Throws `idempotencia_em_andamento` if another run has taken over the claim or answered the key.
   */
  resume(
    earlier: IdempotencyRecord,
  ): Promise<{ readonly analyses: readonly Analysis[]; readonly key: ClaimedKey } | 'lead_gone'>;
  /**
   * Writes the second transaction: what each bank said, the events about analyses that end, and the answer that later
   * calls with the key repeat.
   * - `moved_on`: another write, such as the poller's, changed an analysis after it was read. Nothing was written.
   * - `earlier`: another run has answered the key, with this answer. Nothing was written.
   */
  complete(
    key: ClaimedKey,
    changes: readonly AnalysisChange[],
    answer: Answer,
  ): Promise<Written | 'moved_on' | { readonly earlier: Answer }>;
  /**
   * Tries to acquire the right to send an analysis: succeeds only if the row still has the lease `seen`. Returns the
   * lease that the row has now, and whether this call wrote it. Undefined if the analysis has ended or the bank has
   * confirmed it.
   */
  acquireSubmitLease(
    analysis: Analysis,
    seen: SubmitLease,
  ): Promise<{ readonly lease: SubmitLease; readonly isMine: boolean } | undefined>;
  /**
   * Whether the erasure of the person was requested. If so, the analysis must not be sent: an erasure waits until the
   * banks have answered.
   */
  isToBeErased(analysis: Analysis): Promise<boolean>;
  /** Whether the person has withdrawn the consent on which the analysis rests. If so, the analysis must not be sent. */
  isConsentWithdrawn(analysis: Analysis): Promise<boolean>;
  /** Reads an analysis without decrypting it. */
  find(tenancy: Tenancy, id: AnalysisId): Promise<Unopened<Analysis> | undefined>;
  get(tenancy: Tenancy, id: AnalysisId): Promise<Analysis | undefined>;
  /** Looks for an analysis in several units and environments at once. Undefined if none of them has it. */
  findAmong(tenancies: readonly Tenancy[], id: AnalysisId): Promise<Analysis | undefined>;
  form(tenancy: Tenancy, submissionId: SubmissionId): Promise<AnalysisForm | undefined>;
  /** Returns all analyses of a lead, newest first. Undefined if there is no such lead, or if it is being erased. */
  ofLead(tenancy: Tenancy, leadId: LeadId): Promise<readonly LeadAnalysis[] | undefined>;
  /** Returns a page of a partition of the pending index, oldest first. `range`: creation times, `to` exclusive. */
  pending(partition: PollPartition, range: { from: Instant; to: Instant }, after?: string): Promise<Page<Analysis>>;
  /** Writes the end of a pending analysis together with its event. `moved_on`: another write came first. */
  conclude(change: AnalysisChange): Promise<Written | 'moved_on'>;
  /**
   * Stores a query number and a raw text of a pending analysis, and removes its mark as unanswerable. Returns false if
   * the analysis has ended.
   */
  note(analysis: Analysis, queryNumber: string, rawStatus: string): Promise<boolean>;
  /**
   * Stores since when the operator cannot answer about a pending analysis. The moment that was stored first stays,
   * until `undefined` removes it.
   */
  markUnanswerable(analysis: Analysis, since: Instant | undefined): Promise<void>;
}

/** A page of a lead's consents. */
export interface ConsentPage {
  /** Newest first. */
  readonly items: readonly Consent[];
  readonly more: boolean;
  /** The newest withdrawals of the lead, newest first, at most 100. The same on each page. */
  readonly withdrawals: readonly ConsentWithdrawal[];
}

/** The consents of leads: evidence, which nothing changes or deletes. */
export interface Consents {
  /** Returns a page of a lead's consents. Undefined if there is no living lead. */
  page(
    tenancy: Tenancy,
    leadId: LeadId,
    page: { readonly limit: number; readonly offset: number },
  ): Promise<ConsentPage | undefined>;
}

/** A withdrawal of consent, as it is reported to us. */
export type WithdrawalDraft = Pick<ConsentWithdrawal, 'withdrawnAt' | 'channel' | 'keyId'>;

/** A pending analysis that rests on a withdrawn consent. */
export interface AffectedAnalysis extends LeadAnalysis {
  /**
   * Whether the bank has confirmed the analysis. If so, the credit query was made, and the analysis continues. If not,
   * the analysis continues only if the operator has received it. Otherwise the poller ends it.
   */
  readonly isSent: boolean;
}

/** A stored withdrawal, and the analyses that it affects. */
export interface RecordedWithdrawal {
  readonly withdrawal: ConsentWithdrawal;
  /** Whether this call stored it. False if a withdrawal of the same moment or a later one was stored before. */
  readonly isNew: boolean;
  /** The pending analyses that rest on the withdrawn consent, newest first. */
  readonly affected: readonly AffectedAnalysis[];
}

/** An Idempotency-Key of a call that reports a withdrawal, and the answer that is stored with it. */
export interface KeyedWithdrawal {
  readonly claim: Claim;
  readonly answerFor: (recorded: RecordedWithdrawal) => Answer;
}

/** The withdrawals of consents: evidence, which nothing changes or deletes. */
export interface ConsentWithdrawals {
  /**
   * Stores a withdrawal. From then on no submission of the lead that rests on the withdrawn consent can be claimed, and
   * the poller sends no analysis that rests on it. With a key, the answer is stored in the same transaction.
   *
   * A withdrawal that is not later than the stored one changes nothing: the stored one counts. Returns undefined if
   * there is no such lead, or if its person is being erased. Throws `servico_indisponivel` if the lead keeps changing
   * meanwhile.
   */
  record(
    tenancy: Tenancy,
    leadId: LeadId,
    draft: WithdrawalDraft,
    keyed?: KeyedWithdrawal,
  ): Promise<IdempotentResult<RecordedWithdrawal> | undefined>;
}

export type LeadAnalysis = Pick<Analysis, 'id' | 'bank' | 'situation'>;

/** Where the poller's runs begin: each run of a job stores a cursor for the next one. */
export interface Cursors {
  /** Undefined if no run of the job has stored a cursor that this version can read. */
  read(job: string): Promise<PollCursor | undefined>;
  write(job: string, cursor: PollCursor): Promise<void>;
}
