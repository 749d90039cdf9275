import type { Delivery } from '../domain/delivery.ts';
import type { DeliveryQueue } from '../domain/ports.ts';
import { logError } from '../runtime/log.ts';

/** Tells the queue of deliveries that were just booked. One that it is not told of is due all the same: the sweeper finds its row. */
export async function sendBooked(queue: DeliveryQueue, booked: readonly Delivery[], now: number): Promise<void> {
  if (booked.length === 0) return;
  try {
    await queue.send(
      booked.map(({ event, partner, dueAt }) => ({ event, partner, attempt: 1, dueAt })),
      now,
    );
  } catch (error) {
    logError('queue_send_failed', error);
  }
}
