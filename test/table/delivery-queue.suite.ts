import { beforeEach, describe, expect, test } from 'vitest';
import type { EventId, PartnerId } from '#shared/domain/values/ids.ts';
import type { DueDelivery } from '#shared/domain/webhooks/delivery.ts';
import type { DeliveryQueue } from '#shared/domain/webhooks/ports.ts';

const NOW = 1_767_571_200_000;

/** A message of a delivery's attempt, to one of two partners. */
export const due = (index: number, dueAt = NOW): DueDelivery => ({
  eventId: `evt_${index}` as EventId,
  partnerId: (7 + (index % 2)) as PartnerId,
  attempt: 1 + index,
  dueAt,
});

/** A queue, empty, and what its worker and its manager see of it. */
export interface WatchedQueue {
  readonly queue: DeliveryQueue;
  /** Takes what is visible now, or becomes so within so many milliseconds, up to ten messages. */
  receive(within?: number): Promise<readonly { readonly receipt: string; readonly message: DueDelivery }[]>;
  deadLetters(): Promise<readonly DueDelivery[]>;
}

/** What every adapter of DeliveryQueue keeps to. */
export function describeDeliveryQueue(name: string, make: () => Promise<WatchedQueue>): void {
  describe(name, () => {
    let watched: WatchedQueue;
    beforeEach(async () => {
      watched = await make();
    });
    const attempts = async (within?: number) =>
      (await watched.receive(within)).map(({ message }) => message.attempt).sort((a, b) => a - b);

    test('takes any number of messages and gives them back as they were', async () => {
      const sent = Array.from({ length: 23 }, (_, index) => due(index));
      await watched.queue.send(sent, NOW);
      const got: DueDelivery[] = [];
      for (let page = await watched.receive(); page.length > 0; page = await watched.receive())
        got.push(...page.map(({ message }) => message));
      expect(got.sort((a, b) => a.attempt - b.attempt)).toEqual(sent);
    });

    test('shows a message no earlier than it is due', async () => {
      await watched.queue.send([due(1, NOW - 5000), due(2, NOW), due(3, NOW + 400_000)], NOW);
      expect(await attempts()).toEqual([2, 3]);
      expect(await attempts()).toEqual([]);
    });

    test('hides a taken message until its next attempt, for 15 minutes at most, and at once below zero', async () => {
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

    test('gives up to the dead letters', async () => {
      await watched.queue.giveUp(due(12));
      expect(await watched.deadLetters()).toEqual([due(12)]);
      expect(await watched.receive()).toEqual([]);
    });
  });
}
