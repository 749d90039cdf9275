import type * as z from 'zod/mini';
import { analysisBody, showAnalysis } from '#shared/administration/analyses.ts';
import { orNotFound } from '#shared/administration/failures.ts';
import type { PartnerRegister } from '#shared/domain/partners/ports.ts';
import { ENVIRONMENTS, type Tenancy } from '#shared/domain/values/tenancy.ts';
import { administrationRead } from '#shared/http/administration/endpoint.ts';
import { invalidField } from '#shared/http/administration/fields.ts';
import * as wiring from '#shared/wiring.ts';

type Query = z.output<typeof showAnalysis.query>;

export const handler = administrationRead(showAnalysis, {
  analyses: wiring.analyses,
  register: wiring.partnerRegister,
}).handler(async ({ params: { analysis_id }, query }, { analyses, register }) => {
  const found = await analyses.findAmong(await placesOf(query, register), analysis_id);
  const isAnothers = query.partner_id !== undefined && found?.partnerId !== query.partner_id;
  const body = orNotFound(isAnothers ? undefined : found, `analysis ${analysis_id} ${placeText(query)}`);
  return { analysis: analysisBody(body) };
});

/** A partner's ticket names neither unit nor environment. */
async function placesOf(
  { partner_id, unit_id, environment }: Query,
  register: Pick<PartnerRegister, 'units'>,
): Promise<Tenancy[]> {
  const environments = environment === undefined ? ENVIRONMENTS : [environment];
  const inUnit = (unitId: Tenancy['unitId']) => environments.map((one) => ({ unitId, environment: one }));
  if (unit_id !== undefined) return inUnit(unit_id);
  if (partner_id === undefined)
    throw invalidField('partner_id', 'is missing: an analysis is found by its number and its partner, or its unit');
  return (await register.units(partner_id)).flatMap(({ id }) => inUnit(id));
}

function placeText({ partner_id, unit_id, environment }: Query): string {
  const owner = unit_id === undefined ? `of partner ${partner_id}` : `in unit ${unit_id}`;
  return environment === undefined ? owner : `${owner}, ${environment}`;
}
