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

const BATCH_SIZE = 10;

/** Skips events that do not exist or are in none of `states`. Callers pass the oldest first. */
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

export type ReplaySelection =
  | { readonly eventId: EventId }
  | {
      readonly owner: EndpointOwner;
      readonly unitId: UnitId;
      readonly analysisId: AnalysisId;
      readonly until: Instant;
    }
  | { readonly owner: EndpointOwner; readonly filter: Omit<DeliveryFilter, 'environment'> };

export interface ReplayPage extends Page<ListedDelivery> {
  /** Undefined if the selection names an event that does not exist. */
  readonly owner: EndpointOwner | undefined;
}

interface SelectionDeps {
  readonly deliveries: Pick<Deliveries, 'get'>;
  readonly archive: Pick<DeliveryArchive, 'page' | 'ofAnalysis'>;
}

/** Without pending deliveries, unless the selection names one event or its filter names that state. */
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

const statesOf = (selection: ReplaySelection): readonly DeliveryState[] =>
  'filter' in selection ? (selection.filter.states ?? REPLAYABLE) : REPLAYABLE;

const replayable = (found: readonly ListedDelivery[]) => found.filter(({ state }) => REPLAYABLE.includes(state));

/** More would take longer than a person waits. */
const MOST_COUNTED = 20_000;

/**
 * Undefined if there are more than MOST_COUNTED, or if the time is out before the last page: many pages may be empty.
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

export const RESEND_PAUSE: Milliseconds = minutes(1);

export type Resend =
  | { readonly kind: 'due'; readonly delivery: Delivery; readonly due: DueDelivery; readonly endpoint: boolean }
  | { readonly kind: 'suspended'; readonly delivery: Delivery }
  | NotResent;

interface ResendDeps {
  readonly deliveries: UnitDeliveries;
  readonly notifier: DeliveryNotifier;
}

/**
 * Makes one attempt due now, in whatever state the event is. If an attempt is under way and fails, another follows at
 * once. If the manual attempt fails, the rest of the schedule follows. The message goes to the queue last: if the run
 * is cut off before that, the sweeper sends it.
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
    if (suspended !== 'enabled') return suspended;
  }
  const made = await deliveries.makeDue(resender, eventId, now);
  if (made.kind !== 'due') return made;
  await notifier.due([made.due]);
  return { ...made, endpoint: endpoint !== undefined };
}

export type SentPage =
  | { readonly kind: 'event'; readonly eventId: EventId; readonly made: Resend }
  /** `total`: deliveries on all pages, undefined if there was no time to count them or there were too many. */
  | { readonly kind: 'page'; readonly sent: number; readonly skipped: number; readonly total: number | undefined };

interface SendPageDeps extends SelectionDeps, ReplayDeps {
  readonly resendDeps: ResendDeps;
  readonly inTime: () => boolean;
}

/**
 * `counted` is the total that the first page found; it is undefined for the first page itself, which counts. If the
 * selection names one event, that event is resent in whatever state it is.
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
