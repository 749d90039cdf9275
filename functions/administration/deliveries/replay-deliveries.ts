import * as z from 'zod/mini';
import {
  listedBody,
  parseSelection,
  replayDeliveries,
  selectionFacts,
} from '../../../shared/administration/deliveries.ts';
import { AdministrationFailure, orNotFound } from '../../../shared/administration/failures.ts';
import { type Clock, timestamp } from '../../../shared/domain/values/clock.ts';
import type { EventId } from '../../../shared/domain/values/ids.ts';
import type { DeliveryOwner, DeliveryQueue, UnitDeliveries } from '../../../shared/domain/webhooks/ports.ts';
import { countReplay, replayAll, replayPage, resend } from '../../../shared/domain/webhooks/replay.ts';
import { administrationChange } from '../../../shared/http/administration-endpoint.ts';
import { cursorOf, placeIn } from '../../../shared/http/administration-parse.ts';
import * as wiring from '../../../shared/wiring.ts';

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
    const { clock, webhooks, archive, deliveries, queue } = deps;
    const place = placeIn(PLACE, cursor);
    // What is booked from now on is no part of it, however many pages there are.
    const until = place?.until ?? which.until ?? clock();
    const selection = parseSelection(which, until);
    const reading = { deliveries, archive };
    const page = await replayPage(selection, LOT, place?.after, reading);
    const partner_id = orNotFound(page.partnerId, `event ${which.event_id}`);
    const kept = (await webhooks.view(partner_id))?.enabled === false;
    const nextFrom = (total: number | null) =>
      cursorOf(page.next === undefined ? undefined : { after: page.next, until, total });
    return {
      about: partner_id,
      target: { ...selectionFacts(which), events: page.items.length },
      preview: async () => ({
        partner_id,
        kept,
        deliveries: page.items.map(listedBody),
        until: which.event_id === undefined ? timestamp(until) : null,
        next_cursor: nextFrom(null),
      }),
      change: async () => {
        if (which.event_id !== undefined) {
          const kept = await sendOne({ ...page.items[0]!, partnerId: partner_id }, deps);
          return { partner_id, kept, sent: 1, skipped: 0, total: 1, next_cursor: null };
        }
        // Counted with the first page, or in vain: no later page counts again.
        const total = place ? place.total : ((await countReplay(selection, page, reading, inTime)) ?? null);
        const eventIds = page.items.map(({ eventId }) => eventId);
        const { sent, skipped } = await replayAll(eventIds, { replay: archive.replay, queue, clock });
        return { partner_id, kept, sent, skipped, total, next_cursor: nextFrom(total) };
      },
      result: ({ sent, skipped }) => ({ sent, skipped }),
    };
  },
);

/**
 * Sends one event at once, as its partner can: whatever its state, once a minute. Gives whether it is kept for a webhook that
 * is disabled.
 */
async function sendOne(
  { eventId, ...owner }: DeliveryOwner & { readonly eventId: EventId },
  { clock, unitDeliveries, queue }: { clock: Clock; unitDeliveries: UnitDeliveries; queue: DeliveryQueue },
): Promise<boolean> {
  const now = clock();
  const made = await resend(unitDeliveries, owner, eventId, now);
  if (made.kind === 'too_soon')
    throw new AdministrationFailure('refused', {
      text: `Event ${eventId} was sent again at ${timestamp(made.resentAt)}: wait a minute after that.`,
    });
  if (made.kind === 'due') await wiring.publishDue(queue, [made.due], now);
  orNotFound(made.kind === 'absent' ? undefined : made, `event ${eventId}`);
  return made.kind === 'kept';
}
