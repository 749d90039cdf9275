import { analysisBody, showAnalysis } from '#shared/administration/analyses.ts';
import { orNotFound } from '#shared/administration/failures.ts';
import { administrationRead } from '#shared/http/administration/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = administrationRead(showAnalysis, { analyses: wiring.analyses }).handler(
  async ({ params: { analysis_id }, query: { unit_id: unitId, environment } }, { analyses }) => {
    const found = await analyses.get({ unitId, environment }, analysis_id);
    return { analysis: analysisBody(orNotFound(found, `analysis ${analysis_id} in unit ${unitId}, ${environment}`)) };
  },
);
