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

/** The endpoints of all partners, without their secrets. */
export interface WebhookViews {
  /** Returns an endpoint, or undefined if none is set. Works also if the secrets cannot be decrypted. */
  view(owner: EndpointOwner): Promise<EndpointView | undefined>;
}

/** Result of asking for a test. `too_soon`: the last test, at `testedAt`, was less than `TEST_PAUSE` ago. */
export type BegunTest =
  | { readonly kind: 'begun'; readonly endpoint: WebhookEndpoint }
  | { readonly kind: 'too_soon'; readonly testedAt: Instant }
  | { readonly kind: 'absent' };

/** The tests that partners send to their own endpoints. */
export interface WebhookTests {
  /** Notes a test on an endpoint, and returns the endpoint as it is then. */
  begin(owner: EndpointOwner, now: Instant): Promise<BegunTest>;
}

/** The endpoints of all partners, with their secrets and their health. */
export interface WebhookEndpoints extends WebhookViews {
  /** Returns an endpoint, or undefined if none is set. */
  get(owner: EndpointOwner): Promise<WebhookEndpoint | undefined>;
  /**
   * Counts a failed attempt and returns the endpoint as it is now. Counts nothing if the endpoint was changed or
   * disabled since it was read.
   */
  countFailure(
    owner: EndpointOwner,
    endpoint: WebhookEndpoint,
    now: Instant,
  ): Promise<{ readonly enabled: boolean; readonly health: EndpointHealth }>;
  /** Sets the number of failures to 0 after a success. Does nothing if the manager changed the endpoint meanwhile. */
  forgetFailures(owner: EndpointOwner, endpoint: WebhookEndpoint): Promise<void>;
  /** Returns the endpoints that were enabled and are not yet noted as `released`. */
  enabledLately(): Promise<readonly EnabledEndpoint[]>;
  /** Notes that nothing is kept any more for the endpoint. Does nothing if it was enabled again since `enabledAt`. */
  released(enabled: EnabledEndpoint): Promise<void>;
  /**
   * Disables the endpoint, and returns whether it is disabled now. Does nothing if the manager changed it meanwhile.
   * With the cause `failing`, it also does nothing if an attempt succeeded since `health` was read.
   */
  disable(owner: EndpointOwner, endpoint: WebhookEndpoint, cause: DisablingCause, now: Instant): Promise<boolean>;
}

/** The state of a partner that the manager's plan has seen. */
export interface SeenPartner {
  /**
   * Whether production was open to the partner. If it is, another person must approve a new address or secret of
   * production. Changes of the sandbox do not depend on it.
   */
  readonly inProduction: boolean;
}

/** An address as a call sets it. */
export interface SentAddress {
  readonly url: string;
  /** Hash of the token of the call. Undefined if the call has none. */
  readonly setBy: string | undefined;
}

/**
 * Writes of the manager to the endpoints. An event tells the partner of a new address or a new secret. All writes but
 * `set` throw a SafeError if the owner has no endpoint. Each write throws a ChangedMeanwhile and writes nothing if the
 * partner or the endpoint is no longer as the caller has seen it (`seen`).
 */
export interface WebhookSettings {
  /** Sets the first address. Returns false if there is an endpoint by now. */
  set(owner: EndpointOwner, sent: SentAddress, secret: string, now: Instant, seen: SeenPartner): Promise<boolean>;
  /** Changes the address. Returns undefined if the endpoint was changed, enabled or disabled since it was as `before`. */
  changeUrl(
    owner: EndpointOwner,
    sent: SentAddress,
    now: Instant,
    before: EndpointView,
    seen: SeenPartner,
  ): Promise<{ readonly enabled: boolean } | undefined>;
  /**
   * Returns the secret that came with the first address, if the call with this hash of its token set that address.
   * Undefined if not, or if a rotation has replaced the secret.
   */
  firstSecret(owner: EndpointOwner, setBy: string): Promise<string | undefined>;
  /**
   * Rotates the secret, and returns the secret that signs: `secret` or, if the token is that of the last rotation, the
   * earlier one. Throws a SafeError if the endpoint does not allow the rotation.
   */
  rotate(owner: EndpointOwner, secret: string, rotation: Rotation, now: Instant, seen: SeenPartner): Promise<Rotated>;
  enable(owner: EndpointOwner, now: Instant, seen: EndpointView): Promise<void>;
  disable(owner: EndpointOwner, now: Instant, seen: EndpointView): Promise<void>;
  /** Whether the endpoint's secrets can be decrypted. False if their sealing key is gone or the row is damaged. */
  opens(owner: EndpointOwner): Promise<boolean>;
  /**
   * Returns the keyed hash of a whole address, which may hold a secret, after the name of the key. Two digests with the
   * same name are equal only if the addresses are.
   */
  digest(url: string): Promise<string>;
}

/** Whether webhooks may go to an address. */
export interface AddressCheck {
  /** Returns a sentence that says why webhooks must not go to the URL. Undefined if they may. */
  refusal(url: string): Promise<string | undefined>;
}

/** An endpoint that was enabled, and when. */
export interface EnabledEndpoint extends EndpointOwner {
  readonly enabledAt: Instant;
}

/** Whether the worker that received a message may make an attempt now. */
export type AttemptClaim =
  | { readonly kind: 'claimed'; readonly delivery: Delivery }
  /** The attempt is not due yet. */
  | { readonly kind: 'early'; readonly dueAt: Instant }
  /** The delivery was given up, and a redriven dead letter asks for one more attempt. */
  | { readonly kind: 'redriven' }
  /**
   * Nothing to do: the attempt was made, the delivery is suspended or claimed, or the sweeper sends a message later.
   */
  | { readonly kind: 'nothing' };

export interface Deliveries {
  get(eventId: EventId): Promise<Delivery | undefined>;
  /**
   * Claims the attempt that is due, so that no other worker makes it. A message serves for the attempt that it names
   * and, when it comes back, for the attempts that follow.
   */
  claim(message: DueDelivery, now: Instant): Promise<AttemptClaim>;
  /**
   * Writes the result of a claimed attempt and the next step. The result is undefined if no attempt was made; then none
   * is counted. Nothing is written in three cases:
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
  /**
   * Makes a delivery that was given up due again, for the attempt that a redriven message names. Returns false if the
   * delivery has moved on.
   */
  reopen(message: DueDelivery, now: Instant): Promise<boolean>;
  /**
   * Makes a page of an endpoint's suspended deliveries due at `now`, and returns them, oldest first (`agesSince`). The
   * caller sends them to the queue before it asks for the next page. A release is no request to send an event again, so
   * `agesSince` stays as it is.
   */
  release(owner: EndpointOwner, now: Instant, after?: string): Promise<Page<DueDelivery>>;
  /**
   * Returns a page of the deliveries at which the sweeper must look before a moment (`lookAt`), oldest first. A delivery
   * whose row cannot be read is left out and counted in `unreadable`.
   */
  listDue(before: Instant, after?: string): Promise<Page<DueDelivery> & { readonly unreadable: number }>;
  /**
   * Notes that the delivery's message was sent, so that the sweeper looks at the delivery only at `lookAgainAt`. Returns
   * false if the delivery has moved on.
   */
  markEnqueued(due: DueDelivery, lookAgainAt: Instant): Promise<boolean>;
}

/** Whose deliveries a partner's call may see: those about analyses of the unit and environment of its key. */
export type DeliveryOwner = Tenancy & { readonly partnerId: PartnerId };

/** Who sends an event again: a partner, for a delivery of its own, or the manager, for any event of a partner's environment. */
export type Resender = DeliveryOwner | (EndpointOwner & { readonly isManager: true });

/** Which deliveries a partner asks for. A field that is left out excludes none. */
export interface UnitDeliveryFilter {
  readonly state?: DeliveryState | undefined;
  readonly analysisId?: AnalysisId | undefined;
}

/**
 * Why an event is not sent again.
 *
 * - `too_soon`: it was resent at `resentAt`, less than RESEND_PAUSE ago.
 * - `absent`: the resender has no such event.
 */
export type NotResent = { readonly kind: 'too_soon'; readonly resentAt: Instant } | { readonly kind: 'absent' };

/** A page of a unit's deliveries. */
export interface DeliveryPage {
  readonly items: readonly Delivery[];
  /** Whether more deliveries follow. */
  readonly more: boolean;
  /** Whether the list ended at the limit of the search, so that older deliveries may exist. */
  readonly isCut: boolean;
}

/** Deliveries as a partner sees and resends them. For a partner, deliveries of other units do not exist. */
export interface UnitDeliveries {
  /**
   * Returns a page of the owner's deliveries, newest first. Looks only at the partner's newest 10,000 deliveries, unless
   * the filter names an analysis.
   */
  list(
    owner: DeliveryOwner,
    filter: UnitDeliveryFilter,
    page: { readonly limit: number; readonly offset: number },
  ): Promise<DeliveryPage>;
  /**
   * Returns a delivery with its endpoint, which is undefined if none is set. Returns undefined if the resender may not
   * send such an event or there is none.
   */
  look(
    resender: Resender,
    eventId: EventId,
  ): Promise<{ readonly delivery: Delivery; readonly endpoint: EndpointView | undefined } | undefined>;
  /** Makes the delivery due at `now` in whatever state it is, at most once in RESEND_PAUSE. */
  makeDue(
    resender: Resender,
    eventId: EventId,
    now: Instant,
  ): Promise<{ readonly kind: 'due'; readonly delivery: Delivery; readonly due: DueDelivery } | NotResent>;
  /**
   * Suspends the delivery until its endpoint is enabled, at most once in RESEND_PAUSE. Returns `enabled` if the
   * endpoint is enabled by now; then nothing is written.
   */
  suspend(
    resender: Resender,
    delivery: Delivery,
    now: Instant,
  ): Promise<{ readonly kind: 'suspended'; readonly delivery: Delivery } | NotResent | 'enabled'>;
}

/** Deliveries as the manager sees and replays them. */
export interface DeliveryArchive {
  /**
   * Returns a page of a partner's deliveries, sorted by the moment at which they were written. May have fewer than
   * `limit`.
   */
  page(
    partnerId: PartnerId,
    filter: DeliveryFilter,
    order: 'newest' | 'oldest',
    limit: number,
    after?: string,
  ): Promise<Page<ListedDelivery>>;
  /** Returns the deliveries of one analysis, newest first. */
  ofAnalysis(tenancy: Tenancy, analysisId: AnalysisId): Promise<readonly Delivery[]>;
  /**
   * Returns a page of the events that were given up after their last attempt, and neither sent again nor discarded
   * since. The event that was given up last comes first.
   */
  exhausted(environment: Environment, limit: number, after?: string): Promise<Page<Pick<Delivery, 'eventId'>>>;
  /**
   * Returns the given deliveries as they are now, in the given order, with the cause of the last failure. Leaves out
   * deliveries that no longer exist or have ended.
   */
  explained(listed: readonly Pick<Delivery, 'eventId'>[]): Promise<readonly ExplainedDelivery[]>;
  /** Notes on a delivery that was given up that it was discarded at `now`. Returns false if it has moved on. */
  discard(eventId: EventId, now: Instant): Promise<boolean>;
  /**
   * Makes a delivery that is final or suspended due at `now`, for one more attempt with the same id and bytes. Does
   * nothing if the delivery is in none of these states.
   */
  replay(eventId: EventId, now: Instant, states: readonly DeliveryState[]): Promise<Replay>;
}

/** Endpoints over all partners that need a person. The lists are read from an index, which shows changes late. */
export interface TroubledEndpoints {
  /**
   * Returns a page of the enabled endpoints that have failed without a success since before a moment, those that have
   * failed for longest first. May have fewer than `limit`.
   */
  failing(before: Instant, limit: number, after?: string): Promise<Page<ListedEndpoint>>;
  /** Returns a page of the endpoints that disabled themselves. May have fewer than `limit`. */
  disabled(limit: number, after?: string): Promise<Page<ListedEndpoint>>;
}

export interface DisabledEndpoint extends EndpointOwner {
  readonly byManager: boolean;
}

/** Suspended deliveries, and others of which no attempt is made until a person acts. */
export interface SuspendedDeliveries {
  /** Returns a page of the disabled endpoints. */
  disabledEndpoints(limit: number, after?: string): Promise<Page<DisabledEndpoint>>;
  /**
   * Returns how many deliveries of an endpoint are suspended, up to `most`, by an index that shows changes late. Looks at
   * the 10,000 oldest, and stops if the time is out; `isWhole` is false if there are others. With `unitId`, counts only
   * the deliveries of that unit.
   */
  count(
    owner: EndpointOwner,
    counted: { readonly most: number; readonly unitId?: UnitId; readonly inTime?: () => boolean },
  ): Promise<{ readonly count: number; readonly isWhole: boolean }>;
  /**
   * Gives up a page of an endpoint's suspended deliveries whose `agesSince` is before a moment: they become `esgotada`
   * at `now`, without an attempt. `givenUp` is their number. A delivery that has moved on is left out. `failures` has
   * the errors of the deliveries that could not be written; those stay as they are.
   */
  giveUp(
    owner: EndpointOwner,
    before: Instant,
    now: Instant,
    after?: string,
  ): Promise<{ readonly givenUp: number; readonly failures: readonly unknown[]; readonly next: string | undefined }>;
  /**
   * Returns how many deliveries were given up after their last attempt since a moment, and neither sent again nor
   * discarded, up to a limit.
   */
  exhausted(environment: Environment, since: Instant, limit: number): Promise<number>;
}

/** The queue whose messages say that an attempt is due. */
export interface DeliveryQueue {
  /**
   * Sends messages. Each arrives at its `dueAt`, at once if that is past, and after 15 minutes at the latest. Throws if
   * the queue refuses a message.
   */
  send(messages: readonly DueDelivery[], now: Instant): Promise<void>;
  /** Returns the attempt that a received message names. Throws if the text is not the message of a delivery. */
  read(text: string): DueDelivery;
  /** Hides a received message, named by its receipt, for a time, at most 15 minutes. */
  hide(receipt: string, time: Milliseconds): Promise<void>;
  /** Sends the message of a delivery to the dead-letter queue after its last attempt. */
  giveUp(message: DueDelivery): Promise<void>;
}

/**
 * Sends messages for attempts that are due. Never throws: if a message is not sent, its delivery is still due and the
 * sweeper sends it.
 */
export interface DeliveryNotifier {
  /** Sends a message for the first attempt of each of these deliveries, which were just written. */
  booked(deliveries: readonly Delivery[]): Promise<void>;
  /** Sends a message for each attempt. */
  due(attempts: readonly DueDelivery[]): Promise<void>;
}

/** The part of an endpoint that an attempt needs. */
export type SendingEndpoint = Pick<WebhookEndpoint, 'url' | 'secret' | 'previousSecret' | 'previousUntil'>;

/** Sends one attempt of an event and returns its result. Never throws for what the receiver does. */
export interface WebhookSender {
  send(endpoint: SendingEndpoint, message: Message, attempt: number, now: Instant): Promise<AttemptResult>;
}
