import * as z from 'zod/mini';
import { AdministrationFailure, orNotFound } from '#shared/administration/failures.ts';
import { enableWebhook } from '#shared/administration/webhooks.ts';
import { releaseKept } from '#shared/domain/webhooks/sweep.ts';
import { keptFor, MOST_KEPT } from '#shared/domain/webhooks/waiting.ts';
import { cursorOf, placeIn } from '#shared/http/administration/cursor.ts';
import { administrationChange } from '#shared/http/administration/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

const PLACE = z.object({ after: z.string(), total: z.nullable(z.int()) });
/** Returns the number of kept events. Null if the count stopped before it had seen all of them. */
const totalOf = (kept: number) => (kept === MOST_KEPT ? null : kept);

export const handler = administrationChange(enableWebhook, wiring.noted, {
  webhooks: wiring.webhookViews,
  settings: wiring.webhookSettings,
  archive: wiring.deliveryArchive,
  deliveries: wiring.deliveries,
  queue: wiring.deliveryQueue,
}).handler(async (request, { clock, webhooks, settings, archive, deliveries, queue }) => {
  const { params, body, inTime } = request;
  const { partner_id } = params;
  const place = placeIn(PLACE, body.cursor);
  const [view, total] = await Promise.all([
    webhooks.view(partner_id),
    // Only the first page counts. If the count stops early, the later pages have no total either.
    place ? place.total : keptFor(partner_id, archive, inTime).then(totalOf),
  ]);
  const seen = orNotFound(view, `webhook of partner ${partner_id}`);
  if (place && !seen.enabled)
    throw new AdministrationFailure('changed_meanwhile', {
      text: `The webhook of partner ${partner_id} was disabled meanwhile: look at it again.`,
    });
  return {
    about: partner_id,
    target: {},
    change: async () => {
      if (!place) await settings.enable(partner_id, clock(), seen);
      const { released, next } = await releaseKept(partner_id, place?.after, { deliveries, queue, clock, inTime });
      const next_cursor = cursorOf(next === undefined ? undefined : { after: next, total });
      return { partner_id, enabled: true as const, released, total, next_cursor };
    },
    result: ({ released }) => ({ released }),
  };
});
