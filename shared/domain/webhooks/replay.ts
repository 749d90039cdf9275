import type { Clock } from '../values/clock.ts';
import type { AnalysisId, EventId, UnitId } from '../values/ids.ts';
import type { Page } from '../values/tenancy.ts';
import { type Instant, type Milliseconds, minutes } from '../values/time.ts';
import {
  type Delivery,
  type DeliveryFilter,
  type DeliveryState,
  type DueDelivery,
  type ListedDelivery,
  REPLAYABLE,
  type Replay,
} from './delivery.ts';
import type { EndpointOwner } from './endpoint.ts';
import type {
  Deliveries,
  DeliveryArchive,
  DeliveryNotifier,
  DeliveryQueue,
  NotResent,
  Resender,
  UnitDeliveries,
} from './ports.ts';

interface ReplayDeps {
  readonly replay: (eventId: EventId, now: Instant, states: readonly DeliveryState[]) => Promise<Replay>;
  readonly queue: Pick<DeliveryQueue, 'send'>;
  readonly clock: Clock;
}

/** Deliveries that go to the queue in one call. */
const BATCH_SIZE = 10;

/**
 * Sends events again in the given order; callers pass the oldest first. Skips events that are in none of these states
 * by then, or absent.
 */
export async function replayAll(
  eventIds: readonly EventId[],
  states: readonly DeliveryState[],
  { replay, queue, clock }: ReplayDeps,
): Promise<{ sent: number; skipped: number }> {
  let sent = 0;
  for (let start = 0; start < eventIds.length; start += BATCH_SIZE) {
    const now = clock();
    const outcomes = await Promise.all(
      eventIds.slice(start, start + BATCH_SIZE).map((eventId) => replay(eventId, now, states)),
    );
    const due = outcomes.flatMap((outcome) => (outcome.kind === 'due' ? [outcome.due] : []));
    await queue.send(due, now);
    sent += due.length;
  }
  return { sent, skipped: eventIds.length - sent };
}

/**
 * Which deliveries to send again: one event, the events of an analysis, or the events of a partner's environment that
 * match a filter. All of them go to one endpoint.
 */
export type ReplaySelection =
  | { readonly eventId: EventId }
  | {
      readonly owner: EndpointOwner;
      readonly unitId: UnitId;
      readonly analysisId: AnalysisId;
      /** Only deliveries that were written before this moment. */
      readonly until: Instant;
    }
  | { readonly owner: EndpointOwner; readonly filter: Omit<DeliveryFilter, 'environment'> };

/** A page of the deliveries of a selection, oldest first. */
export interface ReplayPage extends Page<ListedDelivery> {
  /** Whose endpoint gets the deliveries. Undefined if the selection names an event that does not exist. */
  readonly owner: EndpointOwner | undefined;
}

interface SelectionDeps {
  readonly deliveries: Pick<Deliveries, 'get'>;
  readonly archive: Pick<DeliveryArchive, 'page' | 'ofAnalysis'>;
}

/**
 * Returns a page of the deliveries of a selection. Pending deliveries cannot be sent again and are left out, unless the
 * selection names one event or its filter names that state.
 */
export async function replayPage(
  selection: ReplaySelection,
  limit: number,
  after: string | undefined,
  { deliveries, archive }: SelectionDeps,
): Promise<ReplayPage> {
  if ('eventId' in selection) {
    const found = await deliveries.get(selection.eventId);
    return { owner: found, items: found ? [found] : [], next: undefined };
  }
  const { owner } = selection;
  const { partnerId, environment } = owner;
  if ('filter' in selection) {
    const filter = { ...selection.filter, environment, states: statesOf(selection) };
    const { items, next } = await archive.page(partnerId, filter, 'oldest', limit, after);
    return { owner, items, next };
  }
  const { unitId, analysisId, until } = selection;
  const newestFirst = await archive.ofAnalysis({ unitId, environment }, analysisId);
  const own = newestFirst.filter((delivery) => delivery.partnerId === partnerId && delivery.createdAt < until);
  return { owner, items: replayable(own.reverse()), next: undefined };
}

/** Returns the states in which the deliveries of a selection are sent again. */
const statesOf = (selection: ReplaySelection): readonly DeliveryState[] =>
  'filter' in selection ? (selection.filter.states ?? REPLAYABLE) : REPLAYABLE;

const replayable = (found: readonly ListedDelivery[]) => found.filter(({ state }) => REPLAYABLE.includes(state));

/** Most deliveries that are counted. More would take longer than a person waits. */
const MOST_COUNTED = 20_000;

/**
 * Returns the number of deliveries on all pages of a selection, of which `first` is the first. Undefined if there are
 * more than MOST_COUNTED, or if the time is out before the last page: many pages may be empty.
 */
export async function countReplay(
  selection: ReplaySelection,
  first: ReplayPage,
  deps: SelectionDeps,
  inTime: () => boolean,
): Promise<number | undefined> {
  let count = first.items.length;
  let after = first.next;
  while (after !== undefined && count < MOST_COUNTED && inTime()) {
    const page = await replayPage(selection, MOST_COUNTED, after, deps);
    count += page.items.length;
    after = page.next;
  }
  return after === undefined ? count : undefined;
}

/** Least time between two resends of an event. */
export const RESEND_PAUSE: Milliseconds = minutes(1);

/** Result of a resend, which the partner or the manager asks for. */
export type Resend =
  /**
   * The event is due now, and its message was sent to the queue. `endpoint`: whether there is an endpoint for
   * it.
   */
  | { readonly kind: 'due'; readonly delivery: Delivery; readonly due: DueDelivery; readonly endpoint: boolean }
  /** The endpoint is disabled: the event is suspended until the endpoint is enabled. */
  | { readonly kind: 'suspended'; readonly delivery: Delivery }
  | NotResent;

interface ResendDeps {
  readonly deliveries: UnitDeliveries;
  readonly notifier: DeliveryNotifier;
}

/**
 * Makes one attempt of an event due at `now`, with the same id and bytes, in whatever state the event is. If its next
 * attempt was due later, that attempt comes now. If an attempt is under way and fails, another follows at once. If the
 * manual attempt fails, the rest of the schedule follows. The message goes to the queue last. If the run is cut off
 * before that, the sweeper sends it.
 */
export async function resend(
  { deliveries, notifier }: ResendDeps,
  resender: Resender,
  eventId: EventId,
  now: Instant,
): Promise<Resend> {
  const found = await deliveries.look(resender, eventId);
  if (!found) return { kind: 'absent' };
  const { delivery, endpoint } = found;
  // An account's event goes to its own address, also if the endpoint is disabled.
  if (endpoint && !endpoint.enabled && delivery.to === undefined) {
    const suspended = await deliveries.suspend(resender, delivery, now);
    // If the endpoint was enabled since `look`, the event is sent as to any enabled endpoint.
    if (suspended !== 'enabled') return suspended;
  }
  const made = await deliveries.makeDue(resender, eventId, now);
  if (made.kind !== 'due') return made;
  await notifier.due([made.due]);
  return { ...made, endpoint: endpoint !== undefined };
}

/** Result of sending a page of a replay. */
export type SentPage =
  /** The selection named one event, which was resent at once. */
  | { readonly kind: 'event'; readonly eventId: EventId; readonly made: Resend }
  /**
   * `skipped`: events that were pending by then or absent. `total`: deliveries on all pages, undefined if there was no
   * time to count them or there were too many.
   */
  | { readonly kind: 'page'; readonly sent: number; readonly skipped: number; readonly total: number | undefined };

interface SendPageDeps extends SelectionDeps, ReplayDeps {
  readonly resendDeps: ResendDeps;
  readonly inTime: () => boolean;
}

/**
 * Sends a page of a replay to the owner's endpoint. `counted` is the total that the first page found; it is undefined
 * for the first page itself, which counts. If the selection names one event, that event is resent in whatever state it
 * is.
 */
export async function sendPage(
  selection: ReplaySelection,
  { items, next }: Page<ListedDelivery>,
  owner: EndpointOwner,
  counted: { readonly total: number | undefined } | undefined,
  deps: SendPageDeps,
): Promise<SentPage> {
  if ('eventId' in selection) {
    const { eventId } = selection;
    const { partnerId, environment } = owner;
    const made = await resend(deps.resendDeps, { partnerId, environment, isManager: true }, eventId, deps.clock());
    return { kind: 'event', eventId, made };
  }
  const page = { owner, items, next };
  const total = counted ? counted.total : await countReplay(selection, page, deps, deps.inTime);
  const eventIds = items.map(({ eventId }) => eventId);
  const { sent, skipped } = await replayAll(eventIds, statesOf(selection), deps);
  return { kind: 'page', sent, skipped, total };
}
