import { accountView, accountViewBody } from '#shared/contract/account.ts';
import { getAccount } from '#shared/contract/routes.ts';
import { answer, endpoint } from '#shared/http/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = endpoint(
  getAccount,
  { auth: wiring.apiKeyAuth, refusals: wiring.refusedCalls, clock: wiring.clock, partners: wiring.partners },
  async ({ caller }, { partners }) =>
    answer(200, accountView, accountViewBody(caller, await partners.labels(caller), wiring.leadRetention())),
);
