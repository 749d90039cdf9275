import { leadAnalysisList, leadAnalysisListBody } from '#shared/contract/analysis.ts';
import { parsePage } from '#shared/contract/page.ts';
import { listLeadAnalyses } from '#shared/contract/routes.ts';
import { Failure } from '#shared/domain/values/failure.ts';
import type { LeadId } from '#shared/domain/values/ids.ts';
import { answer, endpoint } from '#shared/http/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = endpoint(
  listLeadAnalyses,
  { auth: wiring.apiKeyAuth, refusals: wiring.refusedCalls, clock: wiring.clock, analyses: wiring.analyses },
  async ({ caller, id, query }, { analyses }) => {
    const page = parsePage(query);
    const found = await analyses.ofLead(caller, id as LeadId);
    if (!found) throw new Failure('nao_encontrado');
    return answer(200, leadAnalysisList, leadAnalysisListBody(found, page));
  },
);
