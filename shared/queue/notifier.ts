import type { Clock } from '../domain/values/clock.ts';
import type { Delivery, DueDelivery } from '../domain/webhooks/delivery.ts';
import type { DeliveryNotifier, DeliveryQueue } from '../domain/webhooks/ports.ts';
import { logError } from '../runtime/log.ts';

/** Sends the messages of due attempts to a queue. If the queue fails, logs the error and does not throw. */
export class QueueNotifier implements DeliveryNotifier {
  readonly #queue: Pick<DeliveryQueue, 'send'>;
  readonly #clock: Clock;

  constructor(queue: Pick<DeliveryQueue, 'send'>, clock: Clock) {
    this.#queue = queue;
    this.#clock = clock;
  }

  async booked(deliveries: readonly Delivery[]): Promise<void> {
    await this.due(deliveries.map(({ eventId, partnerId, dueAt }) => ({ eventId, partnerId, attempt: 1, dueAt })));
  }

  async due(attempts: readonly DueDelivery[]): Promise<void> {
    if (attempts.length === 0) return;
    try {
      await this.#queue.send(attempts, this.#clock());
    } catch (error) {
      logError('queue_send_failed', error);
    }
  }
}
