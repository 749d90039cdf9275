import { analysisStatus, analysisStatusBody } from '../../../shared/contract/analysis.ts';
import { getAnalysisStatus } from '../../../shared/contract/routes.ts';
import { Failure } from '../../../shared/domain/failure.ts';
import type { AnalysisId } from '../../../shared/domain/ids.ts';
import { answer, endpoint } from '../../../shared/http/endpoint.ts';
import * as wiring from '../../../shared/runtime/wiring.ts';

export const handler = endpoint(
  getAnalysisStatus,
  { gate: wiring.gate, clock: wiring.clock, analyses: wiring.analyses },
  async ({ caller, id }, { analyses }) => {
    const analysis = await analyses.get(caller, id as AnalysisId);
    if (!analysis) throw new Failure('nao_encontrado');
    return answer(200, analysisStatus, analysisStatusBody(analysis));
  },
);
