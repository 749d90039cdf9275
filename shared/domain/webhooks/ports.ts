import type { AnalysisId, EventId, PartnerId } from '../values/ids.ts';
import type { Environment, Page, Tenancy } from '../values/tenancy.ts';
import type { Instant, Milliseconds } from '../values/time.ts';
import type {
  AttemptResult,
  Delivery,
  DeliveryFilter,
  DeliveryState,
  DueDelivery,
  ExplainedDelivery,
  ListedDelivery,
  Message,
  NextStep,
  Replay,
  RetryOwner,
} from './delivery.ts';
import type { DisablingCause, EndpointHealth, EndpointView, WebhookEndpoint } from './endpoint.ts';

export type { Delivery } from './delivery.ts';

/** Where each partner's events go, and how its endpoint has been doing. */
export interface WebhookEndpoints {
  /** Undefined where the partner has configured nothing. */
  get(partnerId: PartnerId): Promise<WebhookEndpoint | undefined>;
  /** Counts a failed attempt. Gives the endpoint as it is now; nothing is counted where it was changed or disabled meanwhile. */
  countFailure(
    partnerId: PartnerId,
    endpoint: WebhookEndpoint,
    now: Instant,
  ): Promise<{ readonly enabled: boolean; readonly health: EndpointHealth }>;
  /** Forgets the failures that were counted, after a success. */
  forgetFailures(partnerId: PartnerId, endpoint: WebhookEndpoint): Promise<void>;
  /** The endpoint without its secrets: read where they do not open too. */
  view(partnerId: PartnerId): Promise<EndpointView | undefined>;
  /** Endpoints that were enabled since they were last `released`, with the moment. */
  enabledLately(): Promise<readonly EnabledEndpoint[]>;
  /** Notes that nothing is kept any more for an endpoint that was enabled then. */
  released(enabled: EnabledEndpoint): Promise<void>;
  /**
   * Disables the endpoint unless the manager has changed it meanwhile or, where it was failing, something has arrived
   * since its `health` was read. Gives whether it is disabled now.
   */
  disable(partnerId: PartnerId, endpoint: WebhookEndpoint, cause: DisablingCause, now: Instant): Promise<boolean>;
}

/** An endpoint that was enabled at a moment. */
export interface EnabledEndpoint {
  readonly partnerId: PartnerId;
  readonly enabledAt: Instant;
}

/** Whether an attempt may be made now. */
export type AttemptClaim =
  | { readonly kind: 'claimed'; readonly delivery: Delivery }
  /** Its time has not come. */
  | { readonly kind: 'early'; readonly dueAt: Instant }
  /** Given up, and the message comes from the dead-letter queue to ask for one more attempt. */
  | { readonly kind: 'redriven' }
  /** Done, suspended, in the hands of another worker, or the sweeper's to send in time. */
  | { readonly kind: 'nothing' };

export interface Deliveries {
  get(eventId: EventId): Promise<Delivery | undefined>;
  /** Takes the attempt that is due for this worker alone; a message names the attempt that it was sent for. */
  claim(message: DueDelivery, now: Instant): Promise<AttemptClaim>;
  /**
   * What came of a claimed attempt (undefined where none was made: it does not count then), and what follows. Nothing
   * is written where another worker has gone on with the delivery (`overtaken`), where it was to be suspended and its
   * endpoint is enabled (`enabled`), or where no success would put off or end what a resend has made due meanwhile
   * (`resent`).
   */
  record(
    delivery: Delivery,
    result: AttemptResult | undefined,
    next: NextStep,
    now: Instant,
  ): Promise<'written' | 'overtaken' | 'enabled' | 'resent'>;
  /** Makes a delivery that was given up due once more, for the attempt that a redriven message names. False where it has moved on. */
  reopen(message: DueDelivery, now: Instant): Promise<boolean>;
  /**
   * Makes a page of a partner's suspended deliveries due at `now` and gives them, oldest first (`keptSince`): to be sent to
   * the queue before the next page is asked for. It is no wish of anybody's: their age goes on.
   */
  release(partnerId: PartnerId, now: Instant, after?: string): Promise<Page<DueDelivery>>;
  /**
   * Deliveries of a retryOwner that are to be looked at before a moment, oldest first, a page at a time; those that cannot
   * be read are left out and counted.
   */
  listDue(
    retryOwner: RetryOwner,
    before: Instant,
    after?: string,
  ): Promise<Page<DueDelivery> & { readonly unreadable: number }>;
  /** Notes that the queue has been told; the sweeper looks again at `nextCheckAt`. False where the delivery has moved on. */
  markEnqueued(due: DueDelivery, nextCheckAt: Instant): Promise<boolean>;
}

/** Whose deliveries a partner's call is about: those of the analyses of its key's unit and environment. */
export type DeliveryOwner = Tenancy & { readonly partnerId: PartnerId };

/** Who has an event sent again: a partner one of its own deliveries, or the manager any event of a partner. */
export type Resender = DeliveryOwner | { readonly partnerId: PartnerId; readonly isManager: true };

/** Which deliveries a partner asks for; what is left out excludes none. */
export interface UnitDeliveryFilter {
  readonly state?: DeliveryState | undefined;
  readonly analysisId?: AnalysisId | undefined;
}

/** Why a delivery is not sent once more: it was less than RESEND_PAUSE before `resentAt`, or there is none. */
export type NotResent = { readonly kind: 'too_soon'; readonly resentAt: Instant } | { readonly kind: 'absent' };

/** A unit's own deliveries, as its partner sees them and has them sent again; others do not exist for it. */
export interface UnitDeliveries {
  /** A page, newest first, of the newest 10,000 events of the partner, and whether there is more behind it. */
  list(
    owner: DeliveryOwner,
    filter: UnitDeliveryFilter,
    page: { readonly limit: number; readonly offset: number },
  ): Promise<{ readonly items: readonly Delivery[]; readonly more: boolean }>;
  /** One delivery with its endpoint, undefined where none is set; undefined where there is none that this resender may send. */
  look(
    resender: Resender,
    eventId: EventId,
  ): Promise<{ readonly delivery: Delivery; readonly endpoint: EndpointView | undefined } | undefined>;
  /** Makes the delivery due at `now` whatever its state, at most once in RESEND_PAUSE. */
  makeDue(
    resender: Resender,
    eventId: EventId,
    now: Instant,
  ): Promise<{ readonly kind: 'due'; readonly delivery: Delivery; readonly due: DueDelivery } | NotResent>;
  /** Keeps it for its disabled endpoint, at most once in RESEND_PAUSE; `enabled` where that has been enabled since. */
  keep(
    resender: Resender,
    delivery: Delivery,
    now: Instant,
  ): Promise<{ readonly kind: 'kept'; readonly delivery: Delivery } | NotResent | 'enabled'>;
  /** How many of the owner's deliveries are kept for the disabled endpoint, up to 1,000, among the partner's oldest 10,000. */
  countKept(owner: DeliveryOwner): Promise<number>;
}

/** Deliveries as the manager looks at them, and sends them again. */
export interface DeliveryArchive {
  /** A partner's deliveries by the moment at which they were booked, a page at a time; a page may have fewer than `limit`. */
  page(
    partnerId: PartnerId,
    filter: DeliveryFilter,
    order: 'newest' | 'oldest',
    limit: number,
    after?: string,
  ): Promise<Page<ListedDelivery>>;
  /** The deliveries of one analysis, newest first. */
  ofAnalysis(tenancy: Tenancy, analysisId: AnalysisId): Promise<readonly Delivery[]>;
  /** Events of an environment given up after their last attempt and neither sent again nor discarded, the latest first, a page at a time. */
  exhausted(environment: Environment, limit: number, after?: string): Promise<Page<Pick<Delivery, 'eventId'>>>;
  /** Those of the same deliveries that there still are, as they are now, with the cause of the last failure; in the order given. */
  explained(listed: readonly Pick<Delivery, 'eventId'>[]): Promise<readonly ExplainedDelivery[]>;
  /** Notes on a delivery that is given up that it was discarded at `now`. False where it has moved on. */
  discard(eventId: EventId, now: Instant): Promise<boolean>;
  /** Gives a delivery that is final or suspended one more attempt at `now`, with the same id and bytes. */
  replay(eventId: EventId, now: Instant): Promise<Replay>;
  /**
   * How many deliveries are kept for a partner until its endpoint is enabled, about: those of a page, which holds at most
   * `limit` and may hold fewer.
   */
  countSuspended(
    partnerId: PartnerId,
    limit: number,
    after?: string,
  ): Promise<{ readonly count: number; readonly next: string | undefined }>;
}

export interface DisabledEndpoint {
  readonly partnerId: PartnerId;
  readonly byManager: boolean;
}

/** What no attempt is made of any more until somebody acts. */
export interface KeptDeliveries {
  /** So many endpoints that are disabled, the first or those that follow. */
  disabledEndpoints(limit: number, after?: string): Promise<Page<DisabledEndpoint>>;
  /** The environments of so many deliveries that are kept for a partner's endpoint, the oldest or those that follow. */
  kept(partnerId: PartnerId, limit: number, after?: string): Promise<Page<Environment>>;
  /**
   * Gives up a page of a partner's kept deliveries that were booked, and last wished for, before a moment: `esgotada` at
   * `now`, no attempt made. Gives the environment of each; those that have moved on meanwhile are left out. `failures`: why
   * others could not be written; they stay as they are.
   */
  giveUp(
    partnerId: PartnerId,
    before: Instant,
    now: Instant,
    after?: string,
  ): Promise<Page<Environment> & { readonly failures: readonly unknown[] }>;
  /** How many deliveries were given up after their last attempt since a moment and not sent again, up to a limit. */
  exhausted(environment: Environment, since: Instant, limit: number): Promise<number>;
}

/** The queue is a clock: a message says that an attempt is due. */
export interface DeliveryQueue {
  /**
   * Sends each message so that it arrives at its `dueAt`, or at once where that is past; delays of more than 15 minutes
   * are cut to that. Throws where the queue refuses some.
   */
  send(messages: readonly DueDelivery[], now: Instant): Promise<void>;
  /** Keeps a received message, named by its receipt, out of sight for a time, at most 15 minutes. */
  hide(receipt: string, time: Milliseconds): Promise<void>;
  /** After the last attempt. */
  giveUp(message: DueDelivery): Promise<void>;
}

/** Sends one attempt of an event and says what came of it; never throws for what the receiver does. */
export interface WebhookSender {
  send(
    endpoint: Pick<WebhookEndpoint, 'url' | 'secret' | 'previousSecret' | 'previousUntil'>,
    message: Message,
    attempt: number,
    now: Instant,
  ): Promise<AttemptResult>;
}
