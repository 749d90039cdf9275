import * as z from 'zod/mini';
import { failingBody, listFailingWebhooks } from '#shared/administration/webhooks.ts';
import { listTroubled } from '#shared/domain/webhooks/troubled.ts';
import { cursorOf, placeIn } from '#shared/http/administration/cursor.ts';
import { administrationRead } from '#shared/http/administration/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

const PLACE = z.object({ part: z.enum(['failing', 'disabled']), after: z.optional(z.string()) });

export const handler = administrationRead(listFailingWebhooks, {
  clock: wiring.clock,
  troubled: wiring.troubledEndpoints,
}).handler(async ({ query: { cursor } }, { clock, troubled }) => {
  const { items, next } = await listTroubled(placeIn(PLACE, cursor), { troubled, now: clock() });
  return { webhooks: items.map(failingBody), next_cursor: cursorOf(next) };
});
