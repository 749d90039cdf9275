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
import { countReplay, replayAll, replayPage, resend } from '#shared/domain/webhooks/replay.ts';
import { administrationChange } from '#shared/http/administration-endpoint.ts';
import { cursorOf, placeIn } from '#shared/http/administration-parse.ts';
import * as wiring from '#shared/wiring.ts';

const PLACE = z.object({ after: z.optional(z.string()), until: z.int(), total: z.nullable(z.int()) });
const LOT = 200;

export const handler = administrationChange(
  replayDeliveries,
  {
    ...wiring.noted,
    webhooks: wiring.webhookViews,
    archive: wiring.deliveryArchive,
    deliveries: wiring.deliveries,
    unitDeliveries: wiring.unitDeliveries,
    queue: wiring.deliveryQueue,
  },
  async ({ body: { cursor, ...which }, inTime }, deps) => {
    const { clock, webhooks, archive, deliveries, unitDeliveries, queue } = deps;
    const place = placeIn(PLACE, cursor);
    // What is booked from now on is no part of it, however many pages there are.
    const until = place?.until ?? which.until ?? clock();
    const selection = parseSelection(which, until);
    const reading = { deliveries, archive };
    const page = await replayPage(selection, LOT, place?.after, reading);
    const partner_id = orNotFound(page.partnerId, `event ${which.event_id}`);
    const isDisabled = (await webhooks.view(partner_id))?.enabled === false;
    const nextFrom = (total: number | null) =>
      cursorOf(page.next === undefined ? undefined : { after: page.next, until, total });
    return {
      about: partner_id,
      target: { ...selectionFacts(which), events: page.items.length },
      preview: async () => ({
        partner_id,
        kept: isDisabled,
        deliveries: page.items.map(listedBody),
        until: which.event_id === undefined ? timestamp(until) : null,
        next_cursor: nextFrom(null),
      }),
      change: async () => {
        if (which.event_id !== undefined) {
          const owner = { ...page.items[0]!, partnerId: partner_id };
          const sending = { deliveries: unitDeliveries, publish: wiring.publishDue.bind(undefined, queue) };
          return resentBody(owner, await resend(sending, owner, owner.eventId, clock()));
        }
        // Counted with the first page, or in vain: no later page counts again.
        const total = place ? place.total : ((await countReplay(selection, page, reading, inTime)) ?? null);
        const eventIds = page.items.map(({ eventId }) => eventId);
        const { sent, skipped } = await replayAll(eventIds, { replay: archive.replay, queue, clock });
        return { partner_id, kept: isDisabled, sent, skipped, total, next_cursor: nextFrom(total) };
      },
      result: ({ sent, skipped }) => ({ sent, skipped }),
    };
  },
);
