import type { Delivery, DueDelivery } from '../domain/webhooks/delivery.ts';
import type { DeliveryQueue } from '../domain/webhooks/ports.ts';
import { logError } from '../runtime/log.ts';

/** Sends messages for deliveries that were just booked. One whose message is not sent is still due: the sweeper finds its row. */
export async function publishOutbox(queue: DeliveryQueue, booked: readonly Delivery[], now: number): Promise<void> {
  const due = booked.map(({ eventId, partnerId, dueAt }) => ({ eventId, partnerId, attempt: 1, dueAt }));
  await publishDue(queue, due, now);
}

/** Sends messages for attempts that are due. One whose message is not sent is still due: the sweeper finds its row. */
export async function publishDue(queue: DeliveryQueue, due: readonly DueDelivery[], now: number): Promise<void> {
  if (due.length === 0) return;
  try {
    await queue.send(due, now);
  } catch (error) {
    logError('queue_send_failed', error);
  }
}
