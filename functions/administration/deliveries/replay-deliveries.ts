import * as z from 'zod/mini';
import {
  listedBody,
  parseSelection,
  replayDeliveries,
  resentBody,
  selectionFacts,
} from '#shared/administration/deliveries.ts';
import { orNotFound } from '#shared/administration/failures.ts';
import { timestamp } from '#shared/domain/values/clock.ts';
import { ACCOUNT_EVENT } from '#shared/domain/webhooks/delivery.ts';
import { replayPage, sendPage } from '#shared/domain/webhooks/replay.ts';
import { cursorOf, placeIn } from '#shared/http/administration/cursor.ts';
import { administrationChange } from '#shared/http/administration/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

const PLACE = z.object({ after: z.optional(z.string()), until: z.int(), total: z.nullable(z.int()) });
const MOST_OF_PAGE = 200;

export const handler = administrationChange(replayDeliveries, wiring.noted, {
  webhooks: wiring.webhookViews,
  archive: wiring.deliveryArchive,
  deliveries: wiring.deliveries,
  unitDeliveries: wiring.unitDeliveries,
  queue: wiring.deliveryQueue,
  notifier: wiring.deliveryNotifier,
}).handler(async ({ body: { cursor, ...which }, inTime }, ports) => {
  const { clock, webhooks, archive, deliveries, unitDeliveries, queue, notifier } = ports;
  const place = placeIn(PLACE, cursor);
  // Deliveries that are written after the first page are not part of the replay.
  const until = place?.until ?? which.until ?? clock();
  const selection = parseSelection(which, until);
  const page = await replayPage(selection, MOST_OF_PAGE, place?.after, { deliveries, archive });
  const owner = orNotFound(page.owner, `event ${which.event_id}`);
  const { partnerId: partner_id } = owner;
  const isDisabled = (await webhooks.view(owner))?.enabled === false;
  // An account event goes to the address in its row, even if the webhook is disabled.
  const isAccountEvent = which.event_id !== undefined && page.items[0]?.type === ACCOUNT_EVENT;
  const suspended = isDisabled && !isAccountEvent;
  const cursorAfter = (total: number | null) =>
    cursorOf(page.next === undefined ? undefined : { after: page.next, until, total });
  return {
    about: partner_id,
    target: { ...selectionFacts(which), events: page.items.length },
    preview: async () => ({
      partner_id,
      suspended,
      deliveries: page.items.map(listedBody),
      until: which.event_id === undefined ? timestamp(until) : null,
      next_cursor: cursorAfter(null),
    }),
    change: async () => {
      const outcome = await sendPage(selection, page, owner, place && { total: place.total ?? undefined }, {
        deliveries,
        archive,
        replay: (eventId, now, states) => archive.replay(eventId, now, states),
        queue,
        resendDeps: { deliveries: unitDeliveries, notifier },
        clock,
        inTime,
      });
      if (outcome.kind === 'event')
        return resentBody({ partnerId: partner_id, eventId: outcome.eventId }, outcome.made);
      const { sent, skipped, total = null } = outcome;
      return { partner_id, suspended, sent, skipped, total, next_cursor: cursorAfter(total) };
    },
    result: ({ sent, skipped }) => ({ sent, skipped }),
  };
});
