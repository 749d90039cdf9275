import type { Clock } from '../values/clock.ts';
import type { PartnerId } from '../values/ids.ts';
import { type Instant, type Milliseconds, minutes } from '../values/time.ts';
import { type DueDelivery, nextCheckAt, type RetryOwner } from './delivery.ts';
import type { Deliveries, DeliveryQueue, WebhookEndpoints } from './ports.ts';

interface ReleaseDeps {
  readonly deliveries: Pick<Deliveries, 'release'>;
  readonly queue: Pick<DeliveryQueue, 'send'>;
  readonly clock: Clock;
  readonly inTime: () => boolean;
}

/**
 * Sends what was kept for an endpoint that is enabled by now, oldest first, while there is time; `next` is where it goes
 * on. Whoever asks for no further page leaves the rest to the sweeper.
 */
export async function releaseKept(
  partnerId: PartnerId,
  from: string | undefined,
  { deliveries, queue, clock, inTime }: ReleaseDeps,
): Promise<{ released: number; next: string | undefined }> {
  let released = 0;
  let after = from;
  do {
    const now = clock();
    const page = await deliveries.release(partnerId, now, after);
    await queue.send(page.items, now);
    released += page.items.length;
    after = page.next;
  } while (after !== undefined && inTime());
  return { released, next: after };
}

/** How far ahead a tick looks: what falls due before the next tick is sent now, with a delay. */
const TICK: Milliseconds = minutes(1);
/**
 * How long a delivery is left alone after a repair: where the queue is merely far behind, each tick would only make it
 * longer.
 */
const REPAIR_PAUSE: Milliseconds = minutes(10);

/** For how long after an endpoint was enabled the sweeper looks for what was kept: an index may lag. */
const RELEASING: Milliseconds = minutes(15);

/** How many deliveries a sweep sent. */
export interface SweepReport {
  /** They fall due before the next tick. */
  readonly due: number;
  /** The queue had lost them. */
  readonly repaired: number;
  /** Their endpoint was enabled. */
  readonly released: number;
  /** Their row cannot be read: nobody sends them. */
  readonly unreadable: number;
}

/**
 * Sends what a retry owner has to look at before a moment, then notes it: a crash between sends a second message, which
 * does nothing, where the other order would send none. Gives how many of them had not moved on, and how many cannot be
 * read. An item that could not be noted comes up again next tick.
 */
async function sendAll(
  retryOwner: RetryOwner,
  before: Instant,
  lookAgainAt: (due: DueDelivery) => Instant,
  { deliveries, queue, now, inTime }: SweepDeps,
): Promise<{ sent: number; unreadable: number }> {
  let sent = 0;
  let unreadable = 0;
  let after: string | undefined;
  do {
    const page = await deliveries.listDue(retryOwner, before, after);
    await queue.send(page.items, now);
    const noted = await Promise.all(page.items.map((due) => deliveries.markEnqueued(due, lookAgainAt(due))));
    sent += noted.filter(Boolean).length;
    unreadable += page.unreadable;
    after = page.next;
  } while (after !== undefined && inTime());
  return { sent, unreadable };
}

/**
 * Releases what is still kept for endpoints that are enabled: whoever enabled them may have been cut off, and the index
 * may have been late to show a delivery that was suspended just before.
 */
async function releaseEnabled({ endpoints, deliveries, queue, now, inTime }: SweepDeps): Promise<number> {
  let released = 0;
  for (const enabled of await endpoints.enabledLately()) {
    const page = await releaseKept(enabled.partnerId, undefined, { deliveries, queue, clock: () => now, inTime });
    const wholly = page.next === undefined && page.released === 0;
    if (wholly && now - enabled.enabledAt > RELEASING) await endpoints.released(enabled);
    released += page.released;
    if (!inTime()) break;
  }
  return released;
}

export interface SweepDeps {
  readonly deliveries: Deliveries;
  readonly endpoints: Pick<WebhookEndpoints, 'enabledLately' | 'released'>;
  readonly queue: DeliveryQueue;
  readonly now: Instant;
  readonly inTime: () => boolean;
}

/**
 * One tick: sends what falls due within the next minute, again what the queue has lost, and what was kept for endpoints
 * that are enabled. Stops between pages once out of time.
 */
export async function sweep(deps: SweepDeps): Promise<SweepReport> {
  const { now } = deps;
  const due = await sendAll('sweeper', now + TICK, ({ dueAt }) => nextCheckAt('queue', Math.max(dueAt, now)), deps);
  const lost = await sendAll('queue', now, () => now + REPAIR_PAUSE, deps);
  const unreadable = due.unreadable + lost.unreadable;
  return { due: due.sent, repaired: lost.sent, unreadable, released: await releaseEnabled(deps) };
}
