import type { AnalysisId, EventId, PartnerId, UnitId } from '../values/ids.ts';
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
} from './delivery.ts';
import type {
  DisablingCause,
  EndpointHealth,
  EndpointOwner,
  EndpointView,
  ListedEndpoint,
  Rotated,
  Rotation,
  WebhookEndpoint,
} from './endpoint.ts';

export type { Delivery } from './delivery.ts';

export interface WebhookViews {
  /** Works also if the secrets cannot be decrypted. */
  view(owner: EndpointOwner): Promise<EndpointView | undefined>;
}

/** `too_soon`: the last test, at `testedAt`, was less than `TEST_PAUSE` ago. */
export type BegunTest =
  | { readonly kind: 'begun'; readonly endpoint: WebhookEndpoint }
  | { readonly kind: 'too_soon'; readonly testedAt: Instant }
  | { readonly kind: 'absent' };

export interface WebhookTests {
  begin(owner: EndpointOwner, now: Instant): Promise<BegunTest>;
}

export interface WebhookEndpoints extends WebhookViews {
  get(owner: EndpointOwner): Promise<WebhookEndpoint | undefined>;
  /** Counts nothing if the endpoint was changed or disabled since it was read. */
  countFailure(
    owner: EndpointOwner,
    endpoint: WebhookEndpoint,
    now: Instant,
  ): Promise<{ readonly enabled: boolean; readonly health: EndpointHealth }>;
  /** Does nothing if the manager changed the endpoint meanwhile. */
  forgetFailures(owner: EndpointOwner, endpoint: WebhookEndpoint): Promise<void>;
  enabledLately(): Promise<readonly EnabledEndpoint[]>;
  released(enabled: EnabledEndpoint): Promise<void>;
  /** With the cause `failing`, does nothing if an attempt succeeded since `health` was read. */
  disable(owner: EndpointOwner, endpoint: WebhookEndpoint, cause: DisablingCause, now: Instant): Promise<boolean>;
}

export interface SeenPartner {
  /** If true, another person must approve a new address or secret of production. */
  readonly inProduction: boolean;
}

export interface SentAddress {
  readonly url: string;
  readonly setBy: string | undefined;
}

/**
 * The partner gets an event about a new address or secret. All writes but `set` throw a SafeError if the owner has no
 * endpoint. Each write throws a ChangedMeanwhile and writes nothing if the partner or the endpoint is no longer as the
 * caller has seen it (`seen`).
 */
export interface WebhookSettings {
  /** Returns false if the owner already has an endpoint. */
  set(owner: EndpointOwner, sent: SentAddress, secret: string, now: Instant, seen: SeenPartner): Promise<boolean>;
  /** Returns undefined if the endpoint is no longer as `before`: somebody has changed, enabled or disabled it. */
  changeUrl(
    owner: EndpointOwner,
    sent: SentAddress,
    now: Instant,
    before: EndpointView,
    seen: SeenPartner,
  ): Promise<{ readonly enabled: boolean } | undefined>;
  /** Undefined if a call with another token set the address, or if a rotation has replaced the secret. */
  firstSecret(owner: EndpointOwner, setBy: string): Promise<string | undefined>;
  /** Throws a SafeError if the endpoint does not allow the rotation. */
  rotate(owner: EndpointOwner, secret: string, rotation: Rotation, now: Instant, seen: SeenPartner): Promise<Rotated>;
  enable(owner: EndpointOwner, now: Instant, seen: EndpointView): Promise<void>;
  disable(owner: EndpointOwner, now: Instant, seen: EndpointView): Promise<void>;
  /** False if the sealing key is gone or the row is damaged. */
  opens(owner: EndpointOwner): Promise<boolean>;
  /** Returns the key's name and the keyed hash of the whole address. An address may hold a secret. */
  digest(url: string): Promise<string>;
}

export interface AddressCheck {
  /** Undefined if webhooks may go to the URL. */
  refusal(url: string): Promise<string | undefined>;
}

export interface EnabledEndpoint extends EndpointOwner {
  readonly enabledAt: Instant;
}

/**
 * - `early`: the next attempt is not due yet.
 * - `redriven`: the delivery was given up, and its message came back from the dead-letter queue.
 * - `nothing`: another worker has the attempt, or none is left.
 */
export type AttemptClaim =
  | { readonly kind: 'claimed'; readonly delivery: Delivery }
  | { readonly kind: 'early'; readonly dueAt: Instant }
  | { readonly kind: 'redriven' }
  | { readonly kind: 'nothing' };

export interface Deliveries {
  get(eventId: EventId): Promise<Delivery | undefined>;
  /** A message serves for the attempt that it names and, when it comes back, for the attempts that follow. */
  claim(message: DueDelivery, now: Instant): Promise<AttemptClaim>;
  /**
   * The result is undefined if no attempt was made; then none is counted. Nothing is written in three cases:
   *
   * - `overtaken`: another worker has continued with the delivery.
   * - `enabled`: the delivery was to be suspended, but its endpoint is enabled.
   * - `resent`: a resend made the delivery due during the attempt, and a failure would delay or end it.
   *
   * If the person's erasure has deleted the receiver's texts, also during the attempt, no text is written.
   */
  record(
    delivery: Delivery,
    result: AttemptResult | undefined,
    next: NextStep,
    now: Instant,
  ): Promise<'written' | 'overtaken' | 'enabled' | 'resent'>;
  reopen(message: DueDelivery, now: Instant): Promise<boolean>;
  /** The caller sends a page to the queue before it asks for the next page. `agesSince` stays as it is. */
  release(owner: EndpointOwner, now: Instant, after?: string): Promise<Page<DueDelivery>>;
  /** A delivery whose row cannot be read is left out and counted in `unreadable`. */
  listDue(before: Instant, after?: string): Promise<Page<DueDelivery> & { readonly unreadable: number }>;
  /** Returns false if the delivery has changed meanwhile. */
  markEnqueued(due: DueDelivery, lookAgainAt: Instant): Promise<boolean>;
}

/** This owner sees only deliveries about analyses of the unit and environment of its key. */
export type DeliveryOwner = Tenancy & { readonly partnerId: PartnerId };

export type Resender = DeliveryOwner | (EndpointOwner & { readonly isManager: true });

export interface UnitDeliveryFilter {
  readonly state?: DeliveryState | undefined;
  readonly analysisId?: AnalysisId | undefined;
}

export type NotResent = { readonly kind: 'too_soon'; readonly resentAt: Instant } | { readonly kind: 'absent' };

export interface DeliveryPage {
  readonly items: readonly Delivery[];
  readonly more: boolean;
  readonly isCut: boolean;
}

/** For a partner, deliveries of other units do not exist. */
export interface UnitDeliveries {
  /** Looks only at the partner's newest 10,000 deliveries, unless the filter names an analysis. */
  list(
    owner: DeliveryOwner,
    filter: UnitDeliveryFilter,
    page: { readonly limit: number; readonly offset: number },
  ): Promise<DeliveryPage>;
  /** Returns undefined if the resender may not send the event, or if there is no such event. */
  look(
    resender: Resender,
    eventId: EventId,
  ): Promise<{ readonly delivery: Delivery; readonly endpoint: EndpointView | undefined } | undefined>;
  /** Makes the event due in any state, at most once in RESEND_PAUSE. */
  makeDue(
    resender: Resender,
    eventId: EventId,
    now: Instant,
  ): Promise<{ readonly kind: 'due'; readonly delivery: Delivery; readonly due: DueDelivery } | NotResent>;
  /** Returns `enabled` if the endpoint is enabled by now; then nothing is written. */
  suspend(
    resender: Resender,
    delivery: Delivery,
    now: Instant,
  ): Promise<{ readonly kind: 'suspended'; readonly delivery: Delivery } | NotResent | 'enabled'>;
}

export interface DeliveryArchive {
  /** Sorted by the moment at which the deliveries were written. The page may have fewer than `limit`. */
  page(
    partnerId: PartnerId,
    filter: DeliveryFilter,
    order: 'newest' | 'oldest',
    limit: number,
    after?: string,
  ): Promise<Page<ListedDelivery>>;
  ofAnalysis(tenancy: Tenancy, analysisId: AnalysisId): Promise<readonly Delivery[]>;
  /** The event that was given up last comes first. */
  exhausted(environment: Environment, limit: number, after?: string): Promise<Page<Pick<Delivery, 'eventId'>>>;
  /** Leaves out deliveries that no longer exist or have expired. */
  explained(listed: readonly Pick<Delivery, 'eventId'>[]): Promise<readonly ExplainedDelivery[]>;
  discard(eventId: EventId, now: Instant): Promise<boolean>;
  /** Does nothing if the delivery is in none of these states. */
  replay(eventId: EventId, now: Instant, states: readonly DeliveryState[]): Promise<Replay>;
}

/** The lists are read from an index, which shows changes late. */
export interface TroubledEndpoints {
  /** Longest failing first. The page may have fewer than `limit`. */
  failing(before: Instant, limit: number, after?: string): Promise<Page<ListedEndpoint>>;
  /** May have fewer than `limit`. */
  disabled(limit: number, after?: string): Promise<Page<ListedEndpoint>>;
}

export interface DisabledEndpoint extends EndpointOwner {
  readonly byManager: boolean;
}

export interface SuspendedDeliveries {
  disabledEndpoints(limit: number, after?: string): Promise<Page<DisabledEndpoint>>;
  /** Looks at the 10,000 oldest, and stops if the time is out; `isWhole` is false if there are others. */
  count(
    owner: EndpointOwner,
    counted: { readonly most: number; readonly unitId?: UnitId; readonly inTime?: () => boolean },
  ): Promise<{ readonly count: number; readonly isWhole: boolean }>;
  /** `failures` has the errors of the deliveries that could not be written; these deliveries stay as they are. */
  giveUp(
    owner: EndpointOwner,
    before: Instant,
    now: Instant,
    after?: string,
  ): Promise<{ readonly givenUp: number; readonly failures: readonly unknown[]; readonly next: string | undefined }>;
  /** The partner of each delivery; the delivery that was given up last comes first. */
  exhausted(environment: Environment, since: Instant, most: number): Promise<readonly PartnerId[]>;
}

export interface DeliveryQueue {
  /** Each message arrives at `dueAt`, but after 15 minutes at the latest. Throws if the queue refuses a message. */
  send(messages: readonly DueDelivery[], now: Instant): Promise<void>;
  /** Throws if the text is not the message of a delivery. */
  read(text: string): DueDelivery;
  /** The time is at most 15 minutes. */
  hide(receipt: string, time: Milliseconds): Promise<void>;
  giveUp(message: DueDelivery): Promise<void>;
}

/** Never throws: if a message is not sent, its delivery is still due and the sweeper sends it. */
export interface DeliveryNotifier {
  booked(deliveries: readonly Delivery[]): Promise<void>;
  due(attempts: readonly DueDelivery[]): Promise<void>;
}

export type SendingEndpoint = Pick<WebhookEndpoint, 'url' | 'secret' | 'previousSecret' | 'previousUntil'>;

/** Never throws for what the receiver does. */
export interface WebhookSender {
  send(endpoint: SendingEndpoint, message: Message, attempt: number, now: Instant): Promise<AttemptResult>;
}
