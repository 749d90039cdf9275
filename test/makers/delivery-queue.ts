import type { DueDelivery } from '../../shared/domain/webhooks/delivery.ts';
import type { DeliveryQueue } from '../../shared/domain/webhooks/ports.ts';

/** What the template sets: milliseconds for which a taken message is hidden, and takings after which it is dead. */
const VISIBILITY = 180_000;
const MOST_RECEIVES = 8;

interface Kept {
  readonly message: DueDelivery;
  visibleAt: number;
  receives: number;
}

export interface QueueHabits {
  /** Whether a message that is sent arrives twice. */
  readonly duplicates?: () => boolean;
  /** Gives numbers in [0, 1): messages come in any order. Without, in the order in which they became visible. */
  readonly shuffle?: () => number;
}

/** SQS as the service uses it, at a clock that the test holds: delays, visibility, duplicates, any order, dead letters. */
export class FakeDeliveryQueue implements DeliveryQueue {
  readonly deadLetters: DueDelivery[] = [];
  private readonly kept = new Map<string, Kept>();
  private readonly clock: () => number;
  private readonly habits: QueueHabits;
  private receipts = 0;

  constructor(clock: () => number, habits: QueueHabits = {}) {
    this.clock = clock;
    this.habits = habits;
  }

  async send(messages: readonly DueDelivery[], now: number): Promise<void> {
    for (const message of messages) {
      const delay = Math.min(900, Math.max(0, Math.ceil((message.dueAt - now) / 1000))) * 1000;
      for (let copies = this.habits.duplicates?.() ? 2 : 1; copies > 0; copies--)
        this.kept.set(String(++this.receipts), { message, visibleAt: this.clock() + delay, receives: 0 });
    }
  }

  async hide(receipt: string, milliseconds: number): Promise<void> {
    const kept = this.kept.get(receipt);
    const seconds = Math.min(900, Math.max(0, Math.ceil(milliseconds / 1000)));
    if (kept) kept.visibleAt = this.clock() + seconds * 1000;
  }

  async giveUp(message: DueDelivery): Promise<void> {
    this.deadLetters.push(message);
  }

  /** Takes up to so many visible messages; they are hidden until they are removed, or for 3 minutes. */
  receive(most: number): { receipt: string; message: DueDelivery }[] {
    const now = this.clock();
    const visible = [...this.kept].filter(([, kept]) => kept.visibleAt <= now);
    const { shuffle } = this.habits;
    if (shuffle) {
      const keys = new Map(visible.map(([receipt]) => [receipt, shuffle()]));
      visible.sort(([a], [b]) => keys.get(a)! - keys.get(b)!);
    } else visible.sort(([, a], [, b]) => a.visibleAt - b.visibleAt);
    return visible.slice(0, most).flatMap(([receipt, kept]) => {
      if (++kept.receives > MOST_RECEIVES) {
        this.kept.delete(receipt);
        this.deadLetters.push(kept.message);
        return [];
      }
      kept.visibleAt = now + VISIBILITY;
      return [{ receipt, message: kept.message }];
    });
  }

  remove(receipt: string): void {
    this.kept.delete(receipt);
  }

  /** When the next message can be taken; undefined where there is none. */
  nextVisibleAt(): number | undefined {
    const all = [...this.kept.values()].map(({ visibleAt }) => visibleAt);
    return all.length === 0 ? undefined : all.reduce((a, b) => Math.min(a, b));
  }
}
