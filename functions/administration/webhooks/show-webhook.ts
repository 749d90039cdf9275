import { orNotFound } from '#shared/administration/failures.ts';
import { showWebhook, webhookBody } from '#shared/administration/webhooks.ts';
import { ENVIRONMENTS } from '#shared/domain/values/tenancy.ts';
import { suspendedFor } from '#shared/domain/webhooks/waiting.ts';
import { administrationRead } from '#shared/http/administration/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationRead(showWebhook, {
  clock: wiring.clock,
  register: wiring.partnerRegister,
  webhooks: wiring.webhookViews,
  settings: wiring.webhookSettings,
  suspended: wiring.suspendedDeliveries,
}).handler(
  async ({ params: { partner_id: partnerId }, inTime }, { clock, register, webhooks, settings, suspended }) => {
    const shown = ENVIRONMENTS.map(async (environment) => {
      const owner = { partnerId, environment };
      const view = await webhooks.view(owner);
      if (!view) return undefined;
      const [count, opens, digest] = await Promise.all([
        suspendedFor(owner, suspended, inTime),
        settings.opens(owner),
        settings.digest(view.url),
      ]);
      return webhookBody(owner, view, { suspended: count, opens, digest, now: clock() });
    });
    const [partner, ...found] = await Promise.all([register.get(partnerId), ...shown]);
    orNotFound(partner, `partner ${partnerId}`);
    return { webhooks: found.filter((webhook) => webhook !== undefined) };
  },
);
