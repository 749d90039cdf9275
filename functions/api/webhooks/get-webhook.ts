import { getWebhook } from '#shared/contract/routes.ts';
import { webhookView, webhookViewBody } from '#shared/contract/webhook.ts';
import { answer, endpoint } from '#shared/http/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = endpoint(
  getWebhook,
  {
    auth: wiring.apiKeyAuth,
    refusals: wiring.refusedCalls,
    clock: wiring.clock,
    endpoints: wiring.webhookViews,
    deliveries: wiring.unitDeliveries,
  },
  async ({ caller }, { endpoints, deliveries }) => {
    const found = await endpoints.view(caller.partnerId);
    // Nothing is kept for an endpoint that has been enabled for some time: the question is saved.
    const mayKeep = found !== undefined && (!found.enabled || found.enabledLately === true);
    const kept = mayKeep ? await deliveries.countKept(caller) : 0;
    return answer(200, webhookView, webhookViewBody(found, kept));
  },
);
