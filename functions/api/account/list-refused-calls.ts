import { parsePage } from '#shared/contract/page.ts';
import { refusedCallList, refusedCallListBody } from '#shared/contract/refused-call.ts';
import { listRefusedCalls } from '#shared/contract/routes.ts';
import { endpoint } from '#shared/http/partner/endpoint.ts';
import { queryFields } from '#shared/http/partner/fields.ts';
import { answer } from '#shared/http/partner/reply.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = endpoint(listRefusedCalls, wiring.admission, {})
  .use(queryFields(parsePage))
  .handler(async ({ caller, input: page }, { refusals, clock }) => {
    const calls = caller.environment === 'sandbox' ? await refusals.newest(caller, clock()) : [];
    return answer(200, refusedCallList, refusedCallListBody(calls, page, caller.environment));
  });
