import { expect, it } from 'vitest';
import type { PartnerId } from '../../../../shared/domain/values/ids.ts';
import { type DeadLetter, type DeadLetters, discardLetters } from '../../../../shared/domain/webhooks/dead-letters.ts';
import { makeDelivery } from '../../../makers/delivery.ts';

it('letters that were passed over are put back where the work breaks off', async () => {
  const { eventId, dueAt } = makeDelivery();
  const letter = (partner: number): DeadLetter => ({
    receipt: `of ${partner}`,
    message: { eventId, partnerId: partner as PartnerId, attempt: 13, dueAt },
    sentAt: dueAt,
  });
  const back: string[] = [];
  const letters: DeadLetters = {
    count: async () => ({ waiting: 2, inHand: 0 }),
    take: async () => [letter(4), letter(3)],
    putBack: async ({ receipt }) => void back.push(receipt),
    delete: async () => {
      throw new Error('the queue is away');
    },
  };
  await expect(discardLetters({ partnerId: 3 as PartnerId }, 2, { letters })).rejects.toThrow('the queue is away');
  expect(back).toEqual(['of 4']);
});
