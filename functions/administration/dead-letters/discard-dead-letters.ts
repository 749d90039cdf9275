import { discardDeadLetters, letterPlace, lettersBody, lettersFacts } from '#shared/administration/dead-letters.ts';
import { discardLetters, letterPage } from '#shared/domain/webhooks/dead-letters.ts';
import { cursorOf, placeIn } from '#shared/http/administration/cursor.ts';
import { administrationChange } from '#shared/http/administration/endpoint.ts';
import { invalidField } from '#shared/http/administration/fields.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationChange(discardDeadLetters, wiring.noted, {
  letters: wiring.deadLetters,
  deliveries: wiring.deliveries,
  archive: wiring.deliveryArchive,
}).handler(async ({ body, inTime }, { clock, letters, deliveries, archive }) => {
  const { event_id: eventId, partner_id: partnerId, foreign = false, max, cursor } = body;
  if ([eventId, partnerId, foreign || undefined].filter((one) => one !== undefined).length !== 1)
    throw invalidField('event_id', 'name exactly one of event_id, partner_id and foreign');
  const { waiting, inHand } = await letters.count();
  const owner = partnerId ?? (eventId && (await deliveries.get(eventId))?.partnerId);
  const run = placeIn(letterPlace, cursor) ?? { began: clock(), done: 0, seen: 0, total: waiting };
  const target: Readonly<Record<string, string | number | boolean>> =
    eventId === undefined ? { most: max ?? run.total, foreign } : { event: eventId };
  return {
    about: owner ?? 'service',
    target,
    preview: async () => ({ waiting, in_hand: inHand }),
    change: async () => {
      // The queue keeps a letter for 14 days, the table keeps its delivery for 90: the delivery is discarded even if
      // its letter is gone.
      const noted = eventId !== undefined && (await archive.discard(eventId, clock()));
      const { done, count, next } = await letterPage(run, max, (most, diedBefore) =>
        discardLetters({ eventId, partnerId, foreign, diedBefore }, most, { letters, inTime, archive, clock }),
      );
      return {
        discarded: Math.max(count, Number(noted)),
        ...lettersBody(done),
        total: run.total,
        next_cursor: cursorOf(next),
      };
    },
    result: (answer) => ({ discarded: answer.discarded, ...lettersFacts(answer, answer.discarded) }),
  };
});
