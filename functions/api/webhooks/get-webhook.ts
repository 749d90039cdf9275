import { getWebhook } from '../../../shared/contract/routes.ts';
import { webhookView, webhookViewBody } from '../../../shared/contract/webhook.ts';
import { answer, endpoint } from '../../../shared/http/endpoint.ts';
import * as wiring from '../../../shared/runtime/wiring.ts';

export const handler = endpoint(
  getWebhook,
  { gate: wiring.gate, clock: wiring.clock, partners: wiring.partners },
  async ({ caller }, { partners }) =>
    answer(200, webhookView, webhookViewBody(await partners.endpoint(caller.partner))),
);
