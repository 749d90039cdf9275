import { beforeEach, describe, expect, test } from 'vitest';
import type { EventId, PartnerId } from '#shared/domain/values/ids.ts';
import type { DueDelivery } from '#shared/domain/webhooks/delivery.ts';
import type { DeliveryQueue } from '#shared/domain/webhooks/ports.ts';

const NOW = 1_767_571_200_000;

/** Returns a message about an attempt of one of two partners. */
export const due = (index: number, dueAt = NOW): DueDelivery => ({
  eventId: `evt_${index}` as EventId,
  partnerId: (7 + (index % 2)) as PartnerId,
  attempt: 1 + index,
  dueAt,
});

/** An empty queue, with the views of its worker and its manager. */
export interface WatchedQueue {
  readonly queue: Omit<DeliveryQueue, 'read'>;
  /** Receives up to ten messages that are visible now, or within so many milliseconds. */
  receive(within?: number): Promise<readonly { readonly receipt: string; readonly message: DueDelivery }[]>;
  deadLetters(): Promise<readonly DueDelivery[]>;
}

/** The conformance suite of the port DeliveryQueue. */
export function describeDeliveryQueue(name: string, make: () => Promise<WatchedQueue>): void {
  describe(name, () => {
    let watched: WatchedQueue;
    beforeEach(async () => {
      watched = await make();
    });
    const attempts = async (within?: number) =>
      (await watched.receive(within)).map(({ message }) => message.attempt).sort((a, b) => a - b);

    test('send takes any number of messages, and each is received as it was sent', async () => {
      const sent = Array.from({ length: 23 }, (_, index) => due(index));
      await watched.queue.send(sent, NOW);
      const got: DueDelivery[] = [];
      for (let page = await watched.receive(); page.length > 0; page = await watched.receive())
        got.push(...page.map(({ message }) => message));
      expect(got.sort((a, b) => a.attempt - b.attempt)).toEqual(sent);
    });

    test('a message is received no earlier than it is due', async () => {
      await watched.queue.send([due(1, NOW - 5000), due(2, NOW), due(3, NOW + 400_000)], NOW);
      expect(await attempts()).toEqual([2, 3]);
      expect(await attempts()).toEqual([]);
    });

    test('hide hides a message for the given time, at most 15 minutes, and not at all for a negative time', async () => {
      await watched.queue.send([due(1)], NOW);
      const [first] = await watched.receive();
      await watched.queue.hide(first!.receipt, 300);
      const [again] = await watched.receive(5000);
      expect(again!.message).toEqual(first!.message);
      await watched.queue.hide(again!.receipt, 10 * 3_600_000);
      expect(await watched.receive()).toEqual([]);
      await watched.queue.hide(again!.receipt, -5);
      expect(await attempts(5000)).toEqual([2]);
    });

    test('giveUp sends a message to the dead-letter queue', async () => {
      await watched.queue.giveUp(due(12));
      expect(await watched.deadLetters()).toEqual([due(12)]);
      expect(await watched.receive()).toEqual([]);
    });
  });
}
