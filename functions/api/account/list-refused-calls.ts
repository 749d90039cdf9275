import { parsePage } from '#shared/contract/page.ts';
import { refusedCallList, refusedCallListBody } from '#shared/contract/refused-call.ts';
import { listRefusedCalls } from '#shared/contract/routes.ts';
import { answer, endpoint } from '#shared/http/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = endpoint(
  listRefusedCalls,
  { auth: wiring.apiKeyAuth, refusals: wiring.refusedCalls, clock: wiring.clock },
  async ({ caller, query }, { refusals, clock }) => {
    const page = parsePage(query);
    const calls = caller.environment === 'sandbox' ? await refusals.newest(caller, clock()) : [];
    return answer(200, refusedCallList, refusedCallListBody(calls, page, caller.environment));
  },
);
