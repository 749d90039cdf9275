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

/** Stops between pages if the time is out. If no call continues at `next`, the sweeper sends the rest. */
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

/** If the queue is only far behind, a new message in each tick would make it still longer. */
const REPAIR_PAUSE: Milliseconds = minutes(10);

/** Time for which the index may show a suspended delivery late. */
const RELEASING: Milliseconds = minutes(15);

export interface SweepReport {
  readonly due: number;
  /** Deliveries whose message the queue has probably lost, or that the sweeper looks at too late. */
  readonly repaired: number;
  readonly released: number;
  readonly unreadable: number;
}

/**
 * A delivery is marked only after its message was sent. If the run is cut off in between, the next tick sends a second
 * message, which does nothing. Counts only deliveries that had not changed meanwhile.
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
 * Suspended deliveries of an enabled endpoint remain if the call that enabled it was cut off, or if the index showed a
 * new suspension late. The endpoints take turns, a page each, and each tick begins with another endpoint.
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

/** Sending and releasing do at least one page each, and stop between pages if the time is out. */
export async function sweep(deps: SweepDeps): Promise<SweepReport> {
  const sent = await sendDue(deps);
  return { ...sent, released: await releaseEnabled(deps) };
}
