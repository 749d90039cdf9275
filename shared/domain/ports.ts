import type { Analysis, AnalysisForm } from './analysis.ts';
import type { Bank } from './bank.ts';
import type { Consent } from './consent.ts';
import type { AttemptResult, Delivery, Message } from './delivery.ts';
import type { DisablingCause, EndpointHealth } from './endpoint-health.ts';
import type { Answer, Claim, KeyRecord, Once } from './idempotency.ts';
import type { AnalysisId, EventId, LeadId, OpportunityId, PartnerId, SubmissionId } from './ids.ts';
import type { Lead, LeadDraft } from './lead.ts';
import type { Caller, PartnerLabels, Tenancy, WebhookEndpoint } from './partner.ts';
import type { Opportunity } from './simulation.ts';

/** Keys and rates: one conditional write a call. */
export interface Gate {
  /** Who the key belongs to, and one call counted. Throws `auth_invalid` or `rate_limited` (with retryAfter). */
  admit(key: string): Promise<Caller>;
}

export interface Partners {
  /** Names behind a caller, for GET /v1/me. */
  labels(caller: Caller): Promise<PartnerLabels>;
  /** Where the partner's events go; undefined where nothing is configured. */
  endpoint(partner: PartnerId): Promise<WebhookEndpoint | undefined>;
  /** Counts a failed attempt. Gives the endpoint as it is now; nothing is counted where it was changed or disabled meanwhile. */
  countFailure(
    partner: PartnerId,
    endpoint: WebhookEndpoint,
    now: number,
  ): Promise<{ readonly enabled: boolean; readonly health: EndpointHealth }>;
  /** Forgets the failures that were counted, after a success. */
  forgetFailures(partner: PartnerId, endpoint: WebhookEndpoint): Promise<void>;
  /** Disables the endpoint unless the manager has changed it meanwhile. Gives whether it is disabled now. */
  disable(partner: PartnerId, endpoint: WebhookEndpoint, cause: DisablingCause, now: number): Promise<boolean>;
}

export interface Leads {
  /**
   * The lead with the draft's CPF: made where there is none, else filled with what it lacks. `answer` gives what a
   * replay of the claim will repeat; it is kept in the same transaction as the lead.
   */
  createOrReuse(
    tenancy: Tenancy,
    draft: LeadDraft,
    answer: (lead: LeadId, reused: boolean) => Answer,
    claim?: Claim,
  ): Promise<Once<Answer>>;
  get(tenancy: Tenancy, id: LeadId): Promise<Lead | undefined>;
  /** Reads, changes and writes a lead until no one else has written between; `change` returns what to write or undefined. */
  change<T>(
    tenancy: Tenancy,
    id: LeadId,
    change: (lead: Lead) => { write: Lead | undefined; result: T },
  ): Promise<T | undefined>;
}

export interface Simulations {
  /** The lead that a simulation is for, and what an earlier call with the same key left: one round trip. */
  prepare(
    tenancy: Tenancy,
    lead: LeadId,
    claim?: Claim,
  ): Promise<{ lead: Lead | undefined; earlier: KeyRecord | undefined }>;
  /** Keeps the opportunity, and the answer for replays, in one transaction. An id already taken is drawn again. */
  save(
    tenancy: Tenancy,
    make: (now: number) => { opportunity: Opportunity; answer: Answer },
    claim?: Claim,
  ): Promise<Once<Answer>>;
  get(tenancy: Tenancy, id: OpportunityId): Promise<Opportunity | undefined>;
}

/** What the hand-over to one bank came to. */
export type HandOver =
  | { readonly kind: 'accepted'; readonly queryNumber: string; readonly rawStatus: string }
  /** The bank or the desk refuses the submission for good. */
  | { readonly kind: 'refused'; readonly rawStatus: string; readonly reason: string }
  /** No answer that can be trusted: it may have arrived. Asked for by our reference before anything is sent again. */
  | { readonly kind: 'unknown' };

/** What the operator says of an analysis. */
export type DeskStatus =
  | { readonly kind: 'known'; readonly queryNumber: string; readonly rawStatus: string }
  /** The desk has never received this reference. */
  | { readonly kind: 'absent' }
  /** No usable answer this time. */
  | { readonly kind: 'unavailable' };

/** The operator's desk, through which banks are reached. Never throws for what a bank or the network does. */
export interface Desk {
  /** Idempotent by our reference: a second call with it never makes a second query. */
  submit(analysis: Analysis, form: AnalysisForm, signal: AbortSignal): Promise<HandOver>;
  /** Asked by query number, or by our reference where there is none. */
  query(analysis: Analysis, signal: AbortSignal): Promise<DeskStatus>;
}

export interface SubmissionDraft {
  readonly caller: Caller;
  readonly lead: Lead;
  /** The lead with the birth date that it lacked, where it is taken over from the form. */
  readonly leadToWrite: Lead | undefined;
  readonly banks: readonly Bank[];
  readonly form: AnalysisForm;
  readonly consent: Omit<Consent, 'id' | 'lead' | 'analyses' | 'banks' | 'key'>;
  readonly claim: Claim;
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
}

export interface Analyses {
  /** The lead and what an earlier call with the same key left: one round trip. */
  prepare(
    tenancy: Tenancy,
    lead: LeadId,
    claim: Claim,
  ): Promise<{ lead: Lead | undefined; earlier: KeyRecord | undefined }>;
  /**
   * First transaction: key, form, one row per bank, consent, and the lead unchanged or completed. `lead_changed` where
   * the lead is no longer the version that was read.
   */
  claim(draft: SubmissionDraft): Promise<Once<Submission> | 'lead_changed'>;
  /** Takes over a claim whose lock has run out. Throws `idempotencia_em_andamento` where another run has done so. */
  resume(tenancy: Tenancy, claim: Claim, earlier: KeyRecord): Promise<{ submission: Submission; form: AnalysisForm }>;
  /**
   * Second transaction: what each bank said, and the answer for replays. `moved_on` where an analysis is no longer as it
   * was read (the poller came first); the earlier answer where another run has answered the key.
   */
  complete(
    tenancy: Tenancy,
    claim: Claim,
    changes: readonly AnalysisChange[],
    answer: Answer,
  ): Promise<'written' | 'moved_on' | { readonly earlier: Answer }>;
  /**
   * The right to send an analysis that the desk said at `asked` (milliseconds) it has never received. False where
   * someone else has taken it since, or still holds it, or the analysis needs none any more.
   */
  takeHandOver(analysis: Analysis, asked: number): Promise<boolean>;
  get(tenancy: Tenancy, id: AnalysisId): Promise<Analysis | undefined>;
  form(tenancy: Tenancy, submission: SubmissionId): Promise<AnalysisForm | undefined>;
  /** All analyses of a lead, newest first; undefined where there is no such lead. */
  ofLead(tenancy: Tenancy, lead: LeadId): Promise<readonly LeadAnalysis[] | undefined>;
  /** A page of the pending index: one slot, an age range, oldest first. */
  pending(
    slot: number,
    range: { from: number; to: number },
    after?: string,
  ): Promise<{ items: readonly Analysis[]; next: string | undefined }>;
  /** Writes a pending analysis as it becomes, with its event. False where another write came first. */
  conclude(change: AnalysisChange): Promise<boolean>;
  /** Notes a confirmed hand-over (query number) or a new raw text while the analysis stays pending. */
  note(analysis: Analysis, queryNumber: string, rawStatus: string): Promise<void>;
}

export type LeadAnalysis = Pick<Analysis, 'id' | 'bank' | 'situation'>;

export interface Consents {
  /** All consents of a lead, newest first; undefined where there is no such lead. */
  ofLead(tenancy: Tenancy, lead: LeadId): Promise<readonly Consent[] | undefined>;
}

/** Whether an attempt may be made now. */
export type AttemptClaim =
  | { readonly kind: 'claimed'; readonly delivery: Delivery }
  /** Its time has not come: `dueAt` in milliseconds since 1970. */
  | { readonly kind: 'early'; readonly dueAt: number }
  /** Given up, and the message comes from the dead-letter queue to ask for one more attempt. */
  | { readonly kind: 'redriven' }
  /** Done, suspended, in the hands of another worker, or the sweeper's to send in time. */
  | { readonly kind: 'nothing' };

/** Where a delivery that waits is looked after: a message of the queue comes back for it, or the sweeper sends one. */
export type Keeper = 'queue' | 'sweeper';

export type NextStep =
  | { readonly state: 'pendente'; readonly dueAt: number; readonly keeper: Keeper }
  | { readonly state: 'entregue' | 'esgotada' | 'suspensa' | 'sem_destino' };

export interface Deliveries {
  get(event: EventId): Promise<Delivery | undefined>;
  /** Takes the attempt that is due for this worker alone; a message names the attempt that it was sent for. */
  claim(message: DueDelivery, now: number): Promise<AttemptClaim>;
  /**
   * What came of a claimed attempt (undefined where none was made: it does not count then), and what follows. Nothing
   * is written where another worker has gone on with the delivery (`overtaken`), or where it was to be suspended and
   * its endpoint is enabled (`enabled`).
   */
  record(
    delivery: Delivery,
    result: AttemptResult | undefined,
    next: NextStep,
    now: number,
  ): Promise<'written' | 'overtaken' | 'enabled'>;
  /** Makes a delivery that was given up due once more, for the attempt that a redriven message names. False where it has moved on. */
  reopen(message: DueDelivery, now: number): Promise<boolean>;
  /** Deliveries of a keeper that are to be looked at before a moment, oldest first, a page at a time. */
  toSweep(
    keeper: Keeper,
    before: number,
    after?: string,
  ): Promise<{ items: readonly DueDelivery[]; next: string | undefined }>;
  /** Notes that the queue has been told; the sweeper looks again at `lookAt`. False where the delivery has moved on. */
  toldQueue(due: DueDelivery, lookAt: number): Promise<boolean>;
}

export interface DueDelivery {
  readonly event: EventId;
  readonly partner: PartnerId;
  /** The attempt that is due, from 1. */
  readonly attempt: number;
  readonly dueAt: number;
}

/** The queue is a clock: a message says that an attempt is due. */
export interface DeliveryQueue {
  send(messages: readonly DueDelivery[], now: number): Promise<void>;
  /** Keeps a received message, named by its receipt, out of sight for so many milliseconds, at most 15 minutes. */
  hide(receipt: string, milliseconds: number): Promise<void>;
  /** After the last attempt. */
  giveUp(message: DueDelivery): Promise<void>;
}

/** A place in the order in which pending analyses are asked about: a slot, and a moment of creation in it (milliseconds since 1970). */
export interface PollPosition {
  readonly slot: number;
  readonly since: number;
}

/** Where a poller's run goes on after one that ran out of time. */
export interface Cursors {
  /** Undefined where no run of the job has left anything over. */
  read(job: string): Promise<PollPosition | undefined>;
  write(job: string, position: PollPosition): Promise<void>;
}

/** Sends one attempt of an event and says what came of it; never throws for what the receiver does. */
export interface WebhookSender {
  send(
    endpoint: Pick<WebhookEndpoint, 'url' | 'secret' | 'previousSecret' | 'previousUntil'>,
    message: Message,
    attempt: number,
    now: number,
  ): Promise<AttemptResult>;
}
