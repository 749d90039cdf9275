import { analysisStatus, analysisStatusBody } from '../../../shared/contract/analysis.ts';
import { getAnalysisStatus } from '../../../shared/contract/routes.ts';
import { Failure } from '../../../shared/domain/values/failure.ts';
import type { AnalysisId } from '../../../shared/domain/values/ids.ts';
import { answer, endpoint } from '../../../shared/http/endpoint.ts';
import * as wiring from '../../../shared/wiring.ts';

export const handler = endpoint(
  getAnalysisStatus,
  { auth: wiring.apiKeyAuth, clock: wiring.clock, analyses: wiring.analyses },
  async ({ caller, id }, { analyses }) => {
    const analysis = await analyses.get(caller, id as AnalysisId);
    if (!analysis) throw new Failure('nao_encontrado');
    return answer(200, analysisStatus, analysisStatusBody(analysis));
  },
);
