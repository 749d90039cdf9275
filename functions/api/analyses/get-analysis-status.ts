import { analysisStatus, analysisStatusBody } from '#shared/contract/analysis.ts';
import { getAnalysisStatus } from '#shared/contract/routes.ts';
import { readEndpoint } from '#shared/http/partner/endpoint.ts';
import { answer } from '#shared/http/partner/reply.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = readEndpoint(
  getAnalysisStatus,
  wiring.admission,
  { analyses: wiring.analyses },
  ({ analyses }, tenancy, id) => analyses.find(tenancy, id),
).handler(({ found: analysis }) => answer(200, analysisStatus, analysisStatusBody(analysis)));
