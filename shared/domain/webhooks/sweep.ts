import type { Clock } from '../values/clock.ts';
import { type Instant, type Milliseconds, minutes } from '../values/time.ts';
import { LOST_AFTER, lookAt, TICK } from './delivery.ts';
import type { EndpointOwner } from './endpoint.ts';
import type { Deliveries, DeliveryQueue, EnabledEndpoint, WebhookEndpoints } from './ports.ts';

interface ReleaseDeps {
  readonly deliveries: Pick<Deliveries, 'release'>;
  readonly queue: Pick<DeliveryQueue, 'send'>;
  readonly clock: Clock;
  readonly inTime: () => boolean;
}

/**
 * Sends the deliveries that were kept for an endpoint that is enabled now, oldest first, at least one page. Stops
 * between pages if the time is out; `next` is where the next call continues. If no call continues, the sweeper sends
 * the rest.
 */
export async function releaseSuspended(
  owner: EndpointOwner,
  from: string | undefined,
  { deliveries, queue, clock, inTime }: ReleaseDeps,
): Promise<{ released: number; next: string | undefined }> {
  let released = 0;
  let after = from;
  do {
    const now = clock();
    const page = await deliveries.release(owner, now, after);
    await queue.send(page.items, now);
    released += page.items.length;
    after = page.next;
  } while (after !== undefined && inTime());
  return { released, next: after };
}

/**
 * Time for which a delivery is not repaired again. If the queue has lost nothing and is only far behind, a new message
 * in each tick would make the queue still longer.
 */
const REPAIR_PAUSE: Milliseconds = minutes(10);

/** Least time for which the sweeper looks for suspended deliveries after an endpoint was enabled, since an index may lag. */
const RELEASING: Milliseconds = minutes(15);

/** Numbers of deliveries that a sweep sent or could not send. */
export interface SweepReport {
  /** Deliveries that fall due before the next tick, or fell due in the last two minutes. */
  readonly due: number;
  /** Deliveries that fell due before: the queue has probably lost their message, or the sweeper looks too late. */
  readonly repaired: number;
  /** Deliveries that were kept until their endpoint was enabled. */
  readonly released: number;
  /** Deliveries whose row cannot be read. They are not sent. */
  readonly unreadable: number;
}

/**
 * Sends the deliveries that must be looked at before `now`, and then notes that they were sent. After a crash in
 * between, a second message is sent, which does nothing. In the other order, no message would be sent. Counts only
 * deliveries that had not moved on. If a delivery could not be noted, the next tick sends it again.
 */
async function sendDue({ deliveries, queue, now, inTime }: SweepDeps): Promise<Omit<SweepReport, 'released'>> {
  const counts = { due: 0, repaired: 0, unreadable: 0 };
  let after: string | undefined;
  do {
    const page = await deliveries.listDue(now, after);
    await queue.send(page.items, now);
    await Promise.all(
      page.items.map(async (item) => {
        const isLate = item.dueAt + LOST_AFTER < now;
        const lookAgainAt = isLate ? now + REPAIR_PAUSE : lookAt(Math.max(item.dueAt, now), true);
        if (await deliveries.markEnqueued(item, lookAgainAt)) counts[isLate ? 'repaired' : 'due'] += 1;
      }),
    );
    counts.unreadable += page.unreadable;
    after = page.next;
  } while (after !== undefined && inTime());
  return counts;
}

/**
 * Releases deliveries that are still kept for endpoints that were enabled, and returns their number. There are such
 * deliveries if the call that enabled the endpoint was cut off, or if the index showed a delivery late that was
 * suspended just before. The endpoints take turns, a page each, and each tick begins with another endpoint.
 */
async function releaseEnabled({ endpoints, deliveries, queue, now, inTime }: SweepDeps): Promise<number> {
  const onePage = { deliveries, queue, clock: () => now, inTime: () => false };
  const lately = await endpoints.enabledLately();
  const first = Math.floor(now / TICK) % lately.length;
  const turns: { readonly enabled: EnabledEndpoint; readonly from?: string; readonly before: number }[] = lately
    .slice(first)
    .concat(lately.slice(0, first))
    .map((enabled) => ({ enabled, before: 0 }));
  let released = 0;
  for (const { enabled, from, before } of turns) {
    const page = await releaseSuspended(enabled, from, onePage);
    released += page.released;
    const ofEndpoint = before + page.released;
    if (page.next !== undefined) turns.push({ enabled, from: page.next, before: ofEndpoint });
    else if (ofEndpoint === 0 && now - enabled.enabledAt > RELEASING) await endpoints.released(enabled);
    if (!inTime()) break;
  }
  return released;
}

export interface SweepDeps {
  readonly deliveries: Deliveries;
  readonly endpoints: Pick<WebhookEndpoints, 'enabledLately' | 'released'>;
  readonly queue: Pick<DeliveryQueue, 'send'>;
  readonly now: Instant;
  readonly inTime: () => boolean;
}

/**
 * Runs one tick. Sends the deliveries that fall due within the next minute or whose message the queue has lost, and the
 * deliveries that were kept for endpoints that are enabled now. Each of the two sends at least one page, and stops
 * between pages if the time is out.
 */
export async function sweep(deps: SweepDeps): Promise<SweepReport> {
  const sent = await sendDue(deps);
  return { ...sent, released: await releaseEnabled(deps) };
}
