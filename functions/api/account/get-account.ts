import { accountView, accountViewBody } from '#shared/contract/account.ts';
import { getAccount } from '#shared/contract/routes.ts';
import { endpoint } from '#shared/http/partner/endpoint.ts';
import { answer } from '#shared/http/partner/reply.ts';
import { leadRetention } from '#shared/runtime/env.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = endpoint(getAccount, wiring.admission, { partners: wiring.partners }).handler(
  async ({ caller }, { partners }) =>
    answer(200, accountView, accountViewBody(caller, await partners.labels(caller), leadRetention())),
);
