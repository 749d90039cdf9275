import { getSimulation } from '#shared/contract/routes.ts';
import { simulationFound, simulationFoundBody } from '#shared/contract/simulation.ts';
import { offerMissing } from '#shared/contract/simulation-refusal.ts';
import { compareOffers } from '#shared/domain/simulations/comparison.ts';
import { offerFor } from '#shared/domain/simulations/opportunity.ts';
import { opportunityOf } from '#shared/domain/values/ids.ts';
import { readEndpoint } from '#shared/http/partner/endpoint.ts';
import { answer } from '#shared/http/partner/reply.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = readEndpoint(
  getSimulation,
  wiring.admission,
  { simulations: wiring.simulations },
  ({ simulations }, tenancy, id) => simulations.find(tenancy, opportunityOf(id)),
).handler(({ found: opportunity, id }) => {
  const offer = offerFor(opportunity, id);
  if (!offer) throw offerMissing(opportunity, id);
  const comparison = id === opportunity.id ? compareOffers(opportunity.offers) : undefined;
  return answer(200, simulationFound, simulationFoundBody(opportunity, offer, comparison));
});
