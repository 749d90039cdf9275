import type { Delivery } from '../domain/webhooks/delivery.ts';
import type { DeliveryQueue } from '../domain/webhooks/ports.ts';
import { logError } from '../runtime/log.ts';

/** Sends messages for deliveries that were just booked. One whose message is not sent is still due: the sweeper finds its row. */
export async function publishOutbox(queue: DeliveryQueue, booked: readonly Delivery[], now: number): Promise<void> {
  if (booked.length === 0) return;
  try {
    await queue.send(
      booked.map(({ eventId, partnerId, dueAt }) => ({ eventId, partnerId, attempt: 1, dueAt })),
      now,
    );
  } catch (error) {
    logError('queue_send_failed', error);
  }
}
