import type { DueDelivery } from '#shared/domain/webhooks/delivery.ts';
import type { DeliveryNotifier, DeliveryQueue } from '#shared/domain/webhooks/ports.ts';

/** A notifier that does nothing. The sweeper also finds deliveries that nobody notified. */
export const NO_NOTIFIER: DeliveryNotifier = { booked: async () => {}, due: async () => {} };

/**
 * The template's settings: the time in milliseconds for which a taken message is hidden, and how often a message may be
 * taken before it goes to the dead letters.
 */
const VISIBILITY = 180_000;
const MOST_RECEIVES = 8;

interface QueuedMessage {
  readonly message: DueDelivery;
  visibleAt: number;
  receives: number;
}

/** SQS as the service uses it, with delays, visibility and dead letters, on a clock that the test controls. */
export class FakeDeliveryQueue implements Omit<DeliveryQueue, 'read'> {
  readonly deadLetters: DueDelivery[] = [];
  private readonly queued = new Map<string, QueuedMessage>();
  private readonly clock: () => number;
  private receipts = 0;

  constructor(clock: () => number) {
    this.clock = clock;
  }

  async send(messages: readonly DueDelivery[], now: number): Promise<void> {
    for (const message of messages) {
      const delay = Math.min(900, Math.max(0, Math.ceil((message.dueAt - now) / 1000))) * 1000;
      this.queued.set(String(++this.receipts), { message, visibleAt: this.clock() + delay, receives: 0 });
    }
  }

  async hide(receipt: string, milliseconds: number): Promise<void> {
    const queued = this.queued.get(receipt);
    const seconds = Math.min(900, Math.max(0, Math.ceil(milliseconds / 1000)));
    if (queued) queued.visibleAt = this.clock() + seconds * 1000;
  }

  async giveUp(message: DueDelivery): Promise<void> {
    this.deadLetters.push(message);
  }

  /** Takes up to `most` visible messages. They are hidden until they are removed, or for 3 minutes. */
  receive(most: number): { receipt: string; message: DueDelivery }[] {
    const now = this.clock();
    const visible = [...this.queued].filter(([, queued]) => queued.visibleAt <= now);
    return visible
      .sort(([, a], [, b]) => a.visibleAt - b.visibleAt)
      .slice(0, most)
      .flatMap(([receipt, queued]) => {
        if (++queued.receives > MOST_RECEIVES) {
          this.queued.delete(receipt);
          this.deadLetters.push(queued.message);
          return [];
        }
        queued.visibleAt = now + VISIBILITY;
        return [{ receipt, message: queued.message }];
      });
  }

  remove(receipt: string): void {
    this.queued.delete(receipt);
  }

  /** Returns when the next message can be taken. Undefined if the queue is empty. */
  nextVisibleAt(): number | undefined {
    const all = [...this.queued.values()].map(({ visibleAt }) => visibleAt);
    return all.length === 0 ? undefined : all.reduce((a, b) => Math.min(a, b));
  }
}
