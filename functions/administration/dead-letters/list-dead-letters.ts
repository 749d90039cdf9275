import { listDeadLetters } from '#shared/administration/dead-letters.ts';
import { timestamp } from '#shared/domain/values/clock.ts';
import { lookAtLetters } from '#shared/domain/webhooks/dead-letters.ts';
import { administrationRead } from '#shared/http/administration/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationRead(listDeadLetters, {
  letters: wiring.deadLetters,
  deliveries: wiring.deliveries,
}).handler(async ({ query: { limit } }, { letters, deliveries }) => {
  const { waiting, inHand } = await letters.count();
  const seen = await lookAtLetters(limit, letters);
  const rows = await Promise.all(seen.map(({ message }) => message && deliveries.get(message.eventId)));
  return {
    waiting,
    in_hand: inHand,
    letters: seen.map(({ message, sentAt }, index) => ({
      event_id: message?.eventId ?? null,
      partner_id: message?.partnerId ?? null,
      state: rows[index]?.state ?? null,
      dead_since: timestamp(sentAt),
    })),
  };
});
