import type { DueDelivery, RetryOwner } from './delivery.ts';
import { nextCheckAt } from './delivery.ts';
import type { Deliveries, DeliveryQueue } from './ports.ts';

/** How far ahead a tick looks, in milliseconds: what falls due before the next tick is sent now, with a delay. */
const TICK = 60_000;
/**
 * How long a delivery is left alone after a repair, in milliseconds: where the queue is merely far behind, each tick
 * would only make it longer.
 */
const REPAIR_PAUSE = 600_000;

/** How many deliveries a sweep sent since they fall due, and how many since the queue had lost them. */
export interface SweepReport {
  readonly due: number;
  readonly repaired: number;
}

/**
 * Sends what a retryOwner has to be looked at before a moment, then notes it: a crash between sends a second message, which
 * does nothing, where the other order would send none. Gives how many of them had not moved on. An item that could not
 * be noted comes up again next tick.
 */
async function sendAll(
  retryOwner: RetryOwner,
  before: number,
  lookAgainAt: (due: DueDelivery) => number,
  { deliveries, queue, now, inTime }: SweepDeps,
): Promise<number> {
  let sent = 0;
  let after: string | undefined;
  do {
    const page = await deliveries.listDue(retryOwner, before, after);
    await queue.send(page.items, now);
    const noted = await Promise.all(page.items.map((due) => deliveries.markEnqueued(due, lookAgainAt(due))));
    sent += noted.filter(Boolean).length;
    after = page.next;
  } while (after !== undefined && inTime());
  return sent;
}

export interface SweepDeps {
  readonly deliveries: Deliveries;
  readonly queue: DeliveryQueue;
  readonly now: number;
  readonly inTime: () => boolean;
}

/** One tick: sends what falls due within the next minute, and again what the queue has lost. Stops between pages once out of time. */
export async function sweep(deps: SweepDeps): Promise<SweepReport> {
  const { now } = deps;
  const due = await sendAll('sweeper', now + TICK, ({ dueAt }) => nextCheckAt('queue', Math.max(dueAt, now)), deps);
  const repaired = await sendAll('queue', now, () => now + REPAIR_PAUSE, deps);
  return { due, repaired };
}
