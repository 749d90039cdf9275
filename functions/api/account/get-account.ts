import { accountView, accountViewBody } from '../../../shared/contract/account.ts';
import { getAccount } from '../../../shared/contract/routes.ts';
import { answer, endpoint } from '../../../shared/http/endpoint.ts';
import * as wiring from '../../../shared/runtime/wiring.ts';

export const handler = endpoint(
  getAccount,
  { gate: wiring.gate, clock: wiring.clock, partners: wiring.partners },
  async ({ caller }, { partners }) => answer(200, accountView, accountViewBody(caller, await partners.labels(caller))),
);
