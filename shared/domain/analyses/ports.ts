import type { Lead } from '../leads/ports.ts';
import type { Caller } from '../partners/ports.ts';
import type { Bank } from '../values/bank.ts';
import type { Answer, Claim, IdempotencyRecord, IdempotentResult, Unopened } from '../values/idempotency.ts';
import type { AnalysisId, LeadId, SubmissionId } from '../values/ids.ts';
import type { Page, Tenancy } from '../values/tenancy.ts';
import type { Instant, Seconds } from '../values/time.ts';
import type { Delivery } from '../webhooks/ports.ts';
import type { Analysis, AnalysisForm, Consent } from './analysis.ts';
import type { PollCursor } from './poll-cursor.ts';
import type { PollPartition } from './poll-schedule.ts';
import type { SubmitLease } from './unsent-watch.ts';

export type { Delivery } from '../webhooks/ports.ts';
export type { Analysis, AnalysisForm, Consent } from './analysis.ts';

/**
 * Where the fault of a missing answer lies. `bank`: the bank or the way to it (no connection, no answer in time, 5xx, 401,
 * 403, 429). `analysis`: an answer came that does not fit this one analysis.
 */
export type FaultSource = 'bank' | 'analysis';

/** Why a bank submission was refused; the contract has the sentence for each. */
export type SubmissionRefusal = 'bank_not_served' | 'form_invalid' | 'test_cpf' | 'too_late' | 'other';

/** What the bank submission to one bank came to. */
export type BankSubmission =
  | { readonly kind: 'accepted'; readonly queryNumber: string; readonly rawStatus: string }
  /** The bank or the operator refuses the submission for good. */
  | { readonly kind: 'refused'; readonly rawStatus: string; readonly reason: SubmissionRefusal }
  /** Not sent, and not to be sent any more: the erasure of its person was asked for. */
  | { readonly kind: 'withdrawn' }
  /** No answer that can be trusted: it may have arrived. Asked for by our reference before anything is sent again. */
  | { readonly kind: 'unknown'; readonly fault?: FaultSource };

/** What the operator says of an analysis. */
export type OperatorStatus =
  | { readonly kind: 'known'; readonly queryNumber: string; readonly rawStatus: string }
  /** The operator has never received this reference. */
  | { readonly kind: 'absent' }
  /** No usable answer this time. */
  | { readonly kind: 'unavailable'; readonly fault: FaultSource };

/**
 * What a question about several analyses brought: a status each, in their order. `unavailable`: the bank's fault.
 * `unsupported`: the operator answers no such questions, or none that can be read.
 */
export type BatchStatus = readonly OperatorStatus[] | 'unavailable' | 'unsupported';

/** The operator, through which banks are reached. Never throws for what a bank or the network does. */
export interface OperatorApi {
  /** Idempotent by our reference: a second call with it never makes a second query. */
  submit(analysis: Analysis, form: AnalysisForm, signal: AbortSignal): Promise<BankSubmission>;
  /** Asked by query number, or by our reference where there is none. */
  query(analysis: Analysis, signal: AbortSignal): Promise<OperatorStatus>;
  /** For how long the circuit is open and new submissions are not worth taking in, a whole number; undefined while it is closed. */
  openFor(): Seconds | undefined;
  /** Asks about up to 100 analyses of one bank in one call. An operator without it is asked one each. */
  queryBatch?(analyses: readonly Analysis[], signal: AbortSignal): Promise<BatchStatus>;
}

export interface SubmissionDraft {
  readonly caller: Caller;
  readonly lead: Lead;
  /** The lead with the birth date that it lacked, where it is taken over from the form. */
  readonly leadToWrite: Lead | undefined;
  readonly banks: readonly Bank[];
  readonly form: AnalysisForm;
  readonly consent: Omit<Consent, 'id' | 'leadId' | 'analysisIds' | 'banks' | 'keyId'>;
  /** The outcome that a sandbox CPF forces; undefined in production. */
  readonly forced: string | undefined;
  /** The id of the call. */
  readonly requestId: string;
}

export interface Submission {
  readonly id: SubmissionId;
  readonly analyses: readonly Analysis[];
}

/** A pending analysis as it was read and as it becomes; the same object twice where nothing changes. */
export interface AnalysisChange {
  readonly before: Analysis;
  readonly after: Analysis;
  /** The event that a final situation causes. */
  readonly delivery: Delivery | undefined;
  /** Why the bank submission was refused, where it was. */
  readonly refusal?: SubmissionRefusal | undefined;
}

export interface Analyses {
  /** The lead and what an earlier call with the same key left: one round trip. */
  prepare(
    tenancy: Tenancy,
    leadId: LeadId,
    claim: Claim,
  ): Promise<{ lead: Lead | undefined; earlier: IdempotencyRecord | undefined }>;
  /**
   * First transaction: key, form, one row per bank, consent, and the lead unchanged or completed. `lead_changed` where
   * the lead is no longer the version that was read, `lead_gone` where its person's erasure was asked for.
   */
  claim(draft: SubmissionDraft, claim: Claim): Promise<IdempotentResult<Submission> | 'lead_changed' | 'lead_gone'>;
  /**
   * Takes over a claim whose lock has run out. `lead_gone` where the person was erased meanwhile. Throws
   * `idempotencia_em_andamento` where another run has taken it over.
   */
  resume(
    claim: Claim,
    earlier: IdempotencyRecord,
  ): Promise<{ submission: Submission; form: AnalysisForm } | 'lead_gone'>;
  /**
   * Second transaction: what each bank said, and the answer for replays. `moved_on` where an analysis is no longer as it
   * was read (the poller came first); the earlier answer where another run has answered the key.
   */
  complete(
    claim: Claim,
    changes: readonly AnalysisChange[],
    answer: Answer,
  ): Promise<'written' | 'moved_on' | { readonly earlier: Answer }>;
  /**
   * Takes the right to send an analysis, if its lease is still the one that was seen. Gives the lease that the row has now,
   * and whether it is this taking's; undefined where the analysis needs none any more.
   */
  acquireSubmitLease(
    analysis: Analysis,
    seen: SubmitLease,
  ): Promise<{ readonly lease: SubmitLease; readonly isMine: boolean } | undefined>;
  /** Whether the erasure of the analysis's person was asked for: it waits for what is at the banks, and nothing more goes there. */
  isToBeErased(analysis: Analysis): Promise<boolean>;
  /** Reads an analysis and opens nothing of it. */
  find(tenancy: Tenancy, id: AnalysisId): Promise<Unopened<Analysis> | undefined>;
  get(tenancy: Tenancy, id: AnalysisId): Promise<Analysis | undefined>;
  form(tenancy: Tenancy, submissionId: SubmissionId): Promise<AnalysisForm | undefined>;
  /** All analyses of a lead, newest first; undefined where there is no such lead. */
  ofLead(tenancy: Tenancy, leadId: LeadId): Promise<readonly LeadAnalysis[] | undefined>;
  /** A page of a partition of the pending index, oldest first: by creation time, `to` exclusive. */
  pending(partition: PollPartition, range: { from: Instant; to: Instant }, after?: string): Promise<Page<Analysis>>;
  /** Writes a pending analysis as it becomes, with its event. False where another write came first. */
  conclude(change: AnalysisChange): Promise<boolean>;
  /** Notes a confirmed bank submission (query number) or a new raw text of a pending analysis. False where it has ended. */
  note(analysis: Analysis, queryNumber: string, rawStatus: string): Promise<boolean>;
  /** Notes on a pending analysis since when the operator cannot answer for it; undefined: it can again. */
  markUnanswerable(analysis: Analysis, since: Instant | undefined): Promise<void>;
}

export type LeadAnalysis = Pick<Analysis, 'id' | 'bank' | 'situation'>;

/** Where each run of a poller begins. */
export interface Cursors {
  /** Undefined where no run of the job has ended yet. */
  read(job: string): Promise<PollCursor | undefined>;
  write(job: string, cursor: PollCursor): Promise<void>;
}
