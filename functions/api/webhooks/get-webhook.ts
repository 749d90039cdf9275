import { getWebhook } from '#shared/contract/routes.ts';
import { webhookView, webhookViewBody } from '#shared/contract/webhook.ts';
import { endpoint } from '#shared/http/partner/endpoint.ts';
import { answer } from '#shared/http/partner/reply.ts';
import * as wiring from '#shared/wiring.ts';

/** A partner only has to see that there are many. */
const MOST_SHOWN = 1_000;

export const handler = endpoint(getWebhook, wiring.admission, {
  endpoints: wiring.webhookViews,
  suspended: wiring.suspendedDeliveries,
}).handler(async ({ caller }, { endpoints, suspended }) => {
  const found = await endpoints.view(caller);
  // Events are suspended only for an endpoint that is disabled, or was enabled a short time ago. For any other endpoint
  // the number is 0 without a read.
  const maySuspend = found !== undefined && (!found.enabled || found.enabledLately === true);
  const { unitId } = caller;
  const { count } = maySuspend ? await suspended.count(caller, { most: MOST_SHOWN, unitId }) : { count: 0 };
  return answer(200, webhookView, webhookViewBody(caller.environment, found, count));
});
