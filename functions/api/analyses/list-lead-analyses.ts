import { leadAnalysisList, leadAnalysisListBody } from '../../../shared/contract/analysis.ts';
import { pageAsked } from '../../../shared/contract/page.ts';
import { listLeadAnalyses } from '../../../shared/contract/routes.ts';
import { Failure } from '../../../shared/domain/failure.ts';
import type { LeadId } from '../../../shared/domain/ids.ts';
import { answer, endpoint } from '../../../shared/http/endpoint.ts';
import * as wiring from '../../../shared/runtime/wiring.ts';

export const handler = endpoint(
  listLeadAnalyses,
  { gate: wiring.gate, clock: wiring.clock, analyses: wiring.analyses },
  async ({ caller, id, query }, { analyses }) => {
    const page = pageAsked(query);
    const found = await analyses.ofLead(caller, id as LeadId);
    if (!found) throw new Failure('nao_encontrado');
    return answer(200, leadAnalysisList, leadAnalysisListBody(found, page));
  },
);
