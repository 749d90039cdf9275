import { outcomeList, outcomeListBody, parseOutcomeQuery } from '#shared/contract/analysis.ts';
import { listAnalyses } from '#shared/contract/routes.ts';
import { endpoint } from '#shared/http/partner/endpoint.ts';
import { queryFields } from '#shared/http/partner/fields.ts';
import { answer } from '#shared/http/partner/reply.ts';
import { addToLog } from '#shared/runtime/log.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = endpoint(listAnalyses, wiring.admission, { analyses: wiring.analyses })
  .use(queryFields(parseOutcomeQuery))
  .handler(async ({ caller, input }, { analyses }) => {
    const page = await analyses.outcomes(caller, input);
    addToLog({ analyses: page.items.map(({ id }) => id).join(' ') });
    return answer(200, outcomeList, outcomeListBody(page, input));
  });
