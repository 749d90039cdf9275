import { orNotFound } from '#shared/administration/failures.ts';
import { disableWebhook } from '#shared/administration/webhooks.ts';
import { administrationChange } from '#shared/http/administration/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationChange(disableWebhook, wiring.noted, {
  webhooks: wiring.webhookViews,
  settings: wiring.webhookSettings,
}).handler(async ({ params: { partner_id } }, { clock, webhooks, settings }) => {
  const seen = orNotFound(await webhooks.view(partner_id), `webhook of partner ${partner_id}`);
  return {
    about: partner_id,
    target: {},
    change: async () => {
      await settings.disable(partner_id, clock(), seen);
      return { partner_id, enabled: false as const };
    },
  };
});
