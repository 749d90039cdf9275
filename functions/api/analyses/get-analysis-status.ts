import { analysisStatus, analysisStatusBody } from '#shared/contract/analysis.ts';
import { getAnalysisStatus } from '#shared/contract/routes.ts';
import type { AnalysisId } from '#shared/domain/values/ids.ts';
import { answer, readEndpoint } from '#shared/http/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = readEndpoint(
  getAnalysisStatus,
  { auth: wiring.apiKeyAuth, refusals: wiring.refusedCalls, clock: wiring.clock, analyses: wiring.analyses },
  ({ analyses }, tenancy, id) => analyses.find(tenancy, id as AnalysisId),
  (analysis) => answer(200, analysisStatus, analysisStatusBody(analysis)),
);
