import { leadAnalysisList, leadAnalysisListBody } from '#shared/contract/analysis.ts';
import { parsePage } from '#shared/contract/page.ts';
import { listLeadAnalyses } from '#shared/contract/routes.ts';
import { Failure } from '#shared/domain/values/failure.ts';
import { endpoint } from '#shared/http/partner/endpoint.ts';
import { queryFields } from '#shared/http/partner/fields.ts';
import { answer } from '#shared/http/partner/reply.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = endpoint(listLeadAnalyses, wiring.admission, { analyses: wiring.analyses })
  .use(queryFields(parsePage))
  .handler(async ({ caller, id, input: page }, { analyses }) => {
    const found = await analyses.ofLead(caller, id);
    if (!found) throw new Failure('nao_encontrado');
    return answer(200, leadAnalysisList, leadAnalysisListBody(found, page));
  });
