import type { Clock } from '../values/clock.ts';
import type { PartnerId } from '../values/ids.ts';
import type { Deliveries, DeliveryQueue } from './ports.ts';

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
