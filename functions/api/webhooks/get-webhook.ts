import { getWebhook } from '#shared/contract/routes.ts';
import { webhookView, webhookViewBody } from '#shared/contract/webhook.ts';
import { endpoint } from '#shared/http/partner/endpoint.ts';
import { answer } from '#shared/http/partner/reply.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = endpoint(getWebhook, wiring.admission, {
  endpoints: wiring.webhookViews,
  deliveries: wiring.unitDeliveries,
}).handler(async ({ caller }, { endpoints, deliveries }) => {
  const found = await endpoints.view(caller);
  // Events are kept only for an endpoint that is disabled, or was enabled a short time ago. For any other endpoint the
  // number is 0 without a read.
  const mayKeep = found !== undefined && (!found.enabled || found.enabledLately === true);
  const kept = mayKeep ? await deliveries.countKept(caller) : 0;
  return answer(200, webhookView, webhookViewBody(caller.environment, found, kept));
});
