import { orNotFound } from '#shared/administration/failures.ts';
import { disableWebhook, ownerIn, webhookNamed } from '#shared/administration/webhooks.ts';
import { administrationChange } from '#shared/http/administration/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationChange(disableWebhook, wiring.noted, {
  webhooks: wiring.webhookViews,
  settings: wiring.webhookSettings,
}).handler(async ({ params }, { clock, webhooks, settings }) => {
  const owner = ownerIn(params);
  const seen = orNotFound(await webhooks.view(owner), webhookNamed(owner));
  return {
    about: owner.partnerId,
    target: { environment: owner.environment },
    change: async () => {
      await settings.disable(owner, clock(), seen);
      return { ...params, enabled: false as const };
    },
  };
});
