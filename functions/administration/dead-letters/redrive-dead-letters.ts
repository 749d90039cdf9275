import {
  eventsOf,
  letterPlace,
  lettersBody,
  lettersFacts,
  redriveDeadLetters,
} from '#shared/administration/dead-letters.ts';
import type { PartnerId } from '#shared/domain/values/ids.ts';
import { letterPage, redriveLetters } from '#shared/domain/webhooks/dead-letters.ts';
import { cursorOf, placeIn } from '#shared/http/administration/cursor.ts';
import { administrationChange } from '#shared/http/administration/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationChange(redriveDeadLetters, wiring.noted, {
  letters: wiring.deadLetters,
  queue: wiring.deliveryQueue,
  webhooks: wiring.webhookViews,
  deliveries: wiring.deliveries,
}).handler(async ({ body, inTime }, { clock, letters, queue, webhooks, deliveries }) => {
  const { event_id: eventId, partner_id: partnerId, max, cursor } = body;
  const { waiting, inHand } = await letters.count();
  const run = placeIn(letterPlace, cursor) ?? { began: clock(), done: 0, seen: 0, total: waiting };
  const owner = partnerId ?? (eventId && (await deliveries.get(eventId))?.partnerId);
  // Only events of production have letters.
  const isDisabled = async (id: PartnerId) =>
    (await webhooks.view({ partnerId: id, environment: 'producao' }))?.enabled === false;
  const target: Readonly<Record<string, string | number>> =
    eventId === undefined ? { most: max ?? run.total } : { event: eventId };
  return {
    about: owner ?? 'service',
    target,
    preview: async () => ({ waiting, in_hand: inHand, suspended: owner !== undefined && (await isDisabled(owner)) }),
    change: async () => {
      const { done, next } = await letterPage(run, max, (most, diedBefore) =>
        redriveLetters({ eventId, partnerId, diedBefore }, most, { letters, queue, clock, inTime }),
      );
      const named = lettersBody(done);
      const disabled = (
        await Promise.all(named.partner_ids.map(async (id) => ((await isDisabled(id)) ? [id] : [])))
      ).flat();
      const suspended = eventsOf(done.messages.filter(({ partnerId: owner }) => disabled.includes(owner))).length;
      return {
        redriven: eventsOf(done.messages).length,
        suspended,
        ...named,
        total: run.total,
        next_cursor: cursorOf(next),
      };
    },
    result: (answer) => ({ redriven: answer.redriven, ...lettersFacts(answer, answer.redriven) }),
  };
});
