import { getSimulation } from '#shared/contract/routes.ts';
import { simulationFound, simulationFoundBody } from '#shared/contract/simulation.ts';
import { offerMissing } from '#shared/contract/simulation-refusal.ts';
import { offerFor, rankOffers } from '#shared/domain/simulations/opportunity.ts';
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
  const others = id === opportunity.id ? rankOffers(opportunity.offers).slice(1) : undefined;
  return answer(200, simulationFound, simulationFoundBody(opportunity, offer, others));
});
