import { getWebhook } from '../../../shared/contract/routes.ts';
import { webhookView, webhookViewBody } from '../../../shared/contract/webhook.ts';
import { answer, endpoint } from '../../../shared/http/endpoint.ts';
import * as wiring from '../../../shared/wiring.ts';

export const handler = endpoint(
  getWebhook,
  { auth: wiring.apiKeyAuth, clock: wiring.clock, endpoints: wiring.webhookViews },
  async ({ caller }, { endpoints }) =>
    answer(200, webhookView, webhookViewBody(await endpoints.view(caller.partnerId))),
);
