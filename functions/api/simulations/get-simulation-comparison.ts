import { getSimulationComparison } from '#shared/contract/routes.ts';
import { offerMissing } from '#shared/contract/simulation-refusal.ts';
import { findPresented, offerFor } from '#shared/domain/simulations/opportunity.ts';
import { opportunityOf } from '#shared/domain/values/ids.ts';
import { readEndpoint } from '#shared/http/partner/endpoint.ts';
import { fileAnswer } from '#shared/http/partner/reply.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = readEndpoint(
  getSimulationComparison,
  wiring.admission,
  { simulations: wiring.simulations, partners: wiring.partners, draw: wiring.comparisonPdf },
  (ports, tenancy, id) => findPresented(ports, tenancy, opportunityOf(id)),
).handler(async ({ found: { opportunity, agent }, id }, { draw }) => {
  if (!offerFor(opportunity, id)) throw offerMissing(opportunity, id);
  const content = await draw({ opportunity, agent });
  return fileAnswer({ type: 'application/pdf', name: `comparativo-${opportunity.id}.pdf` }, content);
});
