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
import type { Analysis, AnalysisForm, Consent, ConsentWithdrawal, Situation } from './analysis.ts';
import type { PollCursor } from './poll-cursor.ts';
import type { PollPartition } from './poll-schedule.ts';
import type { SubmitLease } from './unsent-watch.ts';

export type { Delivery } from '../webhooks/ports.ts';
export type { Analysis, AnalysisForm, Consent, ConsentWithdrawal } from './analysis.ts';

/**
 * - `failed`: the bank, or the connection to it, gave no answer (no connection, too late, 5xx, 401, 403, 429).
 * - `unanswerable`: an answer came, but it does not fit the analysis.
 */
export type QuestionEnd = 'answered' | 'failed' | 'unanswerable';
export type NoUsableAnswer = Exclude<QuestionEnd, 'answered'>;

export type SubmissionRefusal = 'bank_not_served' | 'form_invalid' | 'test_cpf' | 'too_late' | 'other';

export type BankSubmission =
  | { readonly kind: 'accepted'; readonly queryNumber: string; readonly rawStatus: string }
  | { readonly kind: 'refused'; readonly rawStatus: string; readonly reason: SubmissionRefusal }
  | { readonly kind: 'withdrawn' }
  | { readonly kind: 'consent_withdrawn' }
  /** The submission may have arrived: the operator is asked by our reference before anything is sent again. */
  | { readonly kind: 'unknown'; readonly fault?: NoUsableAnswer };

export type OperatorStatus =
  | { readonly kind: 'known'; readonly queryNumber: string; readonly rawStatus: string }
  | { readonly kind: 'absent' }
  | { readonly kind: NoUsableAnswer };

/** No method throws because a bank or the network failed. */
export interface OperatorApi {
  /** Idempotent by our reference: a second call never causes a second credit query. */
  submit(analysis: Analysis, form: AnalysisForm, signal: AbortSignal): Promise<BankSubmission>;
  query(analysis: Analysis, signal: AbortSignal): Promise<OperatorStatus>;
  /** Whole seconds for which the circuit stays open. Undefined while it is closed. */
  openFor(): Seconds | undefined;
  /** The statuses have the order of the analyses. Undefined if the operator has no batches. */
  queryBatch?(analyses: readonly Analysis[], signal: AbortSignal): Promise<readonly OperatorStatus[] | NoUsableAnswer>;
}

export interface OperatorAccess {
  readonly url: string;
  hasToken(): Promise<boolean>;
  /** Containers use the new token within 5 minutes. */
  putToken(token: string): Promise<void>;
}

export interface SubmissionDraft {
  readonly caller: Caller;
  readonly lead: Lead;
  /** Undefined if the lead already had a birth date. */
  readonly leadToWrite: Lead | undefined;
  readonly banks: readonly Bank[];
  readonly form: AnalysisForm;
  readonly consent: Omit<Consent, 'id' | 'leadId' | 'analysisIds' | 'banks' | 'keyId'>;
  readonly forced: string | undefined;
  readonly requestId: string;
}

/** Nothing is written if `before` and `after` are the same object. */
export interface AnalysisChange {
  readonly before: Analysis;
  readonly after: Analysis;
  readonly refusal?: SubmissionRefusal | undefined;
  /** If set, the change is refused if the row's `unanswerableSince` has changed meanwhile. */
  readonly unanswerableSince?: Instant | undefined;
}

export type AnalysisEventOf = (analysis: Analysis, now: Instant, refusal?: SubmissionRefusal) => Delivery;

export interface Written {
  readonly events: readonly Delivery[];
}

export interface Analyses {
  /**
   * `lead` is undefined if the lead does not exist. `lead` and `earlier` are undefined if the lead's person is being
   * erased.
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
   * Returns the analyses, in the order of the call.
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
   * Returns `lead_gone` if the form is gone, because the person was erased meanwhile. Throws
   * `idempotencia_em_andamento` if another run has taken over the claim or answered the key.
   */
  resume(
    earlier: IdempotencyRecord,
  ): Promise<{ readonly analyses: readonly Analysis[]; readonly key: ClaimedKey } | 'lead_gone'>;
  /**
   * - `moved_on`: another write, such as the poller's, changed an analysis after it was read. Nothing was written.
   * - `earlier`: another run has answered the key, with this answer.
   */
  complete(
    key: ClaimedKey,
    changes: readonly AnalysisChange[],
    answer: Answer,
  ): Promise<Written | 'moved_on' | { readonly earlier: Answer }>;
  /** Succeeds only if the row still has the lease `seen`. Undefined if the analysis has ended or is confirmed. */
  acquireSubmitLease(
    analysis: Analysis,
    seen: SubmitLease,
  ): Promise<{ readonly lease: SubmitLease; readonly isMine: boolean } | undefined>;
  isToBeErased(analysis: Analysis): Promise<boolean>;
  isConsentWithdrawn(analysis: Analysis): Promise<boolean>;
  find(tenancy: Tenancy, id: AnalysisId): Promise<Unopened<Analysis> | undefined>;
  get(tenancy: Tenancy, id: AnalysisId): Promise<Analysis | undefined>;
  findAmong(tenancies: readonly Tenancy[], id: AnalysisId): Promise<Analysis | undefined>;
  form(tenancy: Tenancy, submissionId: SubmissionId): Promise<AnalysisForm | undefined>;
  /** Undefined if there is no such lead, or if it is being erased. */
  ofLead(tenancy: Tenancy, leadId: LeadId): Promise<readonly LeadAnalysis[] | undefined>;
  /** Analyses that have ended, oldest end first. A page may have fewer items than `limit` without being the last. */
  outcomes(tenancy: Tenancy, query: OutcomeQuery): Promise<OutcomePage>;
  /** `range`: creation times, `to` exclusive. */
  pending(partition: PollPartition, range: { from: Instant; to: Instant }, after?: string): Promise<Page<Analysis>>;
  conclude(change: AnalysisChange): Promise<Written | 'moved_on'>;
  /** Also removes the mark as unanswerable. False if the analysis has ended. */
  note(analysis: Analysis, queryNumber: string, rawStatus: string): Promise<boolean>;
  /** The moment that was stored first stays, until `undefined` removes it. */
  markUnanswerable(analysis: Analysis, since: Instant | undefined): Promise<void>;
}

export interface ConsentPage {
  readonly items: readonly Consent[];
  readonly more: boolean;
  /** The newest withdrawals of the lead, newest first, at most 100. */
  readonly withdrawals: readonly ConsentWithdrawal[];
}

export interface Consents {
  /** Undefined if the lead does not exist or its person is being erased. */
  page(
    tenancy: Tenancy,
    leadId: LeadId,
    page: { readonly limit: number; readonly offset: number },
  ): Promise<ConsentPage | undefined>;
}

export type WithdrawalDraft = Pick<ConsentWithdrawal, 'withdrawnAt' | 'channel' | 'keyId'>;

export interface AffectedAnalysis extends LeadAnalysis {
  /**
   * True if the operator has confirmed the analysis. If false, the analysis continues only if the operator has received
   * it.
   */
  readonly isSent: boolean;
}

export interface RecordedWithdrawal {
  readonly withdrawal: ConsentWithdrawal;
  /** False if a withdrawal of the same moment or a later one was stored before. */
  readonly isNew: boolean;
  readonly affected: readonly AffectedAnalysis[];
}

export interface KeyedWithdrawal {
  readonly claim: Claim;
  readonly answerFor: (recorded: RecordedWithdrawal) => Answer;
}

export interface ConsentWithdrawals {
  /**
   * Afterwards no submission that rests on the withdrawn consent can be claimed, and the poller sends no such analysis.
   * With a key, the answer is stored in the same transaction.
   *
   * A withdrawal that is not later than the stored withdrawal changes nothing. Returns undefined if there is no such
   * lead, or if its person is being erased. Throws `servico_indisponivel` if the lead keeps changing meanwhile.
   */
  record(
    tenancy: Tenancy,
    leadId: LeadId,
    draft: WithdrawalDraft,
    keyed?: KeyedWithdrawal,
  ): Promise<IdempotentResult<RecordedWithdrawal> | undefined>;
}

export type LeadAnalysis = Pick<Analysis, 'id' | 'bank' | 'situation'>;

/** An analysis that has ended. */
export interface Outcome extends LeadAnalysis, Pick<Analysis, 'createdAt'> {
  readonly concludedAt: Instant;
}

export type OutcomePlace = Pick<Outcome, 'concludedAt' | 'id'>;

export interface OutcomeQuery {
  readonly after: OutcomePlace;
  /** All outcomes if undefined. */
  readonly situation: Situation | undefined;
  readonly limit: number;
}

export interface OutcomePage {
  readonly items: readonly Outcome[];
  /** Undefined after the last page. */
  readonly next: OutcomePlace | undefined;
}

export interface Cursors {
  /** Also undefined if another version of the code wrote the cursor. */
  read(job: string): Promise<PollCursor | undefined>;
  write(job: string, cursor: PollCursor): Promise<void>;
}
