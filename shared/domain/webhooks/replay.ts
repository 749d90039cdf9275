import type { Clock } from '../values/clock.ts';
import type { AnalysisId, EventId, PartnerId } from '../values/ids.ts';
import type { Page, Tenancy } from '../values/tenancy.ts';
import { type Instant, type Milliseconds, minutes } from '../values/time.ts';
import {
  type Delivery,
  type DeliveryFilter,
  type DueDelivery,
  type ListedDelivery,
  REPLAYABLE,
  type Replay,
} from './delivery.ts';
import type { Deliveries, DeliveryArchive, DeliveryQueue, NotResent, Resender, UnitDeliveries } from './ports.ts';

interface ReplayDeps {
  readonly replay: (eventId: EventId, now: Instant) => Promise<Replay>;
  readonly queue: Pick<DeliveryQueue, 'send'>;
  readonly clock: Clock;
}

/** Deliveries that are sent to the queue at once. */
const LOT = 10;

/** Sends events again in the order given, oldest first by custom; what is pending by then is skipped. */
export async function replayAll(
  eventIds: readonly EventId[],
  { replay, queue, clock }: ReplayDeps,
): Promise<{ sent: number; skipped: number }> {
  let sent = 0;
  for (let start = 0; start < eventIds.length; start += LOT) {
    const now = clock();
    const lot = await Promise.all(eventIds.slice(start, start + LOT).map((eventId) => replay(eventId, now)));
    const due = lot.flatMap((made) => (made.kind === 'due' ? [made.due] : []));
    await queue.send(due, now);
    sent += due.length;
  }
  return { sent, skipped: eventIds.length - sent };
}

/** Which deliveries are to be sent again: an event's, an analysis's in some environments, or a partner's of a time. */
export type ReplaySelection =
  | { readonly eventId: EventId }
  | {
      readonly partnerId: PartnerId;
      readonly tenancies: readonly Tenancy[];
      readonly analysisId: AnalysisId;
      /** Booked before that. */
      readonly until: Instant;
    }
  | { readonly partnerId: PartnerId; readonly filter: DeliveryFilter };

/** A page of what a selection means, oldest first. */
export interface ReplayPage extends Page<ListedDelivery> {
  /** Whose they are; undefined where there is no such event. */
  readonly partnerId: PartnerId | undefined;
}

interface SelectionDeps {
  readonly deliveries: Pick<Deliveries, 'get'>;
  readonly archive: Pick<DeliveryArchive, 'page' | 'ofAnalysis'>;
}

/** A page of the deliveries that a selection means and that can be sent again; of many, what is pending is left out. */
export async function replayPage(
  selection: ReplaySelection,
  limit: number,
  after: string | undefined,
  { deliveries, archive }: SelectionDeps,
): Promise<ReplayPage> {
  if ('eventId' in selection) {
    const found = await deliveries.get(selection.eventId);
    return { partnerId: found?.partnerId, items: found ? [found] : [], next: undefined };
  }
  const { partnerId } = selection;
  if ('filter' in selection) {
    const filter = { ...selection.filter, states: selection.filter.states ?? REPLAYABLE };
    const { items, next } = await archive.page(partnerId, filter, 'oldest', limit, after);
    return { partnerId, items, next };
  }
  const { tenancies, analysisId, until } = selection;
  const found = (await Promise.all(tenancies.map((one) => archive.ofAnalysis(one, analysisId)))).flat();
  const own = found.filter((delivery) => delivery.partnerId === partnerId && delivery.createdAt < until);
  return { partnerId, items: replayable(own.sort((one, other) => one.createdAt - other.createdAt)), next: undefined };
}

const replayable = (found: readonly ListedDelivery[]) => found.filter(({ state }) => REPLAYABLE.includes(state));

/** Deliveries that are counted before nobody waits for more. */
const MOST_COUNTED = 20_000;

/**
 * How many deliveries a selection means on all pages, of which `first` is the first; undefined where there are more than
 * MOST_COUNTED, and where the time is out before their end: pages may be empty for long.
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

/** For how long an event that was resent is not resent again by its partner. */
export const RESEND_PAUSE: Milliseconds = minutes(1);

/** What became of a wish, a partner's or the manager's, to have an event once more. */
export type Resend =
  /** Due now: to be sent to the queue. `endpoint`: whether an address is set at all. */
  | { readonly kind: 'due'; readonly delivery: Delivery; readonly due: DueDelivery; readonly endpoint: boolean }
  /** Kept until the endpoint, which is disabled, is enabled again. */
  | { readonly kind: 'kept'; readonly delivery: Delivery }
  | NotResent;

interface ResendDeps {
  readonly deliveries: UnitDeliveries;
  readonly publish: (due: readonly DueDelivery[], now: Instant) => Promise<void>;
}

/**
 * Gives an event one manual attempt at `now`, with the same id and bytes, whatever its
 * state: one that waits for its next attempt has it now, one whose attempt is under way and fails has another right after.
 * If it fails, what remains of the schedule follows. `publish` tells the queue; cut off before that, the sweeper sends it.
 */
export async function resend(
  { deliveries, publish }: ResendDeps,
  resender: Resender,
  eventId: EventId,
  now: Instant,
): Promise<Resend> {
  const found = await deliveries.look(resender, eventId);
  if (!found) return { kind: 'absent' };
  const { delivery, endpoint } = found;
  // An event with an address of its own goes there, whether the endpoint is enabled or not.
  if (endpoint && !endpoint.enabled && delivery.to === undefined) {
    const kept = await deliveries.keep(resender, delivery, now);
    // Enabled since it was looked at, it takes the event as any other does.
    if (kept !== 'enabled') return kept;
  }
  const made = await deliveries.makeDue(resender, eventId, now);
  if (made.kind !== 'due') return made;
  await publish([made.due], now);
  return { ...made, endpoint: endpoint !== undefined };
}

/** The result of sending a page of a replay. */
export type SentPage =
  /** The selection named one event, which was resent at once. */
  | { readonly kind: 'event'; readonly eventId: EventId; readonly made: Resend }
  /** `skipped`: pending by then. `total`: deliveries on all pages, undefined if there was no time to count them. */
  | { readonly kind: 'page'; readonly sent: number; readonly skipped: number; readonly total: number | undefined };

interface SendPageDeps extends SelectionDeps, ReplayDeps {
  readonly resendDeps: ResendDeps;
  readonly inTime: () => boolean;
}

/**
 * Sends a page of a replay. `counted` is the total that an earlier page has found: only the first page, which has none,
 * counts. The event of a selection that names one is resent whatever its state.
 */
export async function sendPage(
  selection: ReplaySelection,
  { items, next }: Page<ListedDelivery>,
  partnerId: PartnerId,
  counted: { readonly total: number | undefined } | undefined,
  deps: SendPageDeps,
): Promise<SentPage> {
  if ('eventId' in selection && items.length > 0) {
    const { eventId } = selection;
    const made = await resend(deps.resendDeps, { partnerId, isManager: true }, eventId, deps.clock());
    return { kind: 'event', eventId, made };
  }
  const page = { partnerId, items, next };
  const total = counted ? counted.total : await countReplay(selection, page, deps, deps.inTime);
  const eventIds = items.map(({ eventId }) => eventId);
  const { sent, skipped } = await replayAll(eventIds, deps);
  return { kind: 'page', sent, skipped, total };
}
