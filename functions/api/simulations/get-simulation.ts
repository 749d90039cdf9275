import { getSimulation } from '#shared/contract/routes.ts';
import { simulationFound, simulationFoundBody } from '#shared/contract/simulation.ts';
import { offerMissing } from '#shared/contract/simulation-refusal.ts';
import { offerFor, rankOffers } from '#shared/domain/simulations/opportunity.ts';
import { opportunityOf } from '#shared/domain/values/ids.ts';
import { answer, readEndpoint } from '#shared/http/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = readEndpoint(
  getSimulation,
  { auth: wiring.apiKeyAuth, refusals: wiring.refusedCalls, clock: wiring.clock, simulations: wiring.simulations },
  ({ simulations }, tenancy, id) => simulations.find(tenancy, opportunityOf(id)),
  (opportunity, { id }) => {
    const offer = offerFor(opportunity, id);
    if (!offer) throw offerMissing(opportunity, id);
    const others = id === opportunity.id ? rankOffers(opportunity.offers).slice(1) : undefined;
    return answer(200, simulationFound, simulationFoundBody(opportunity, offer, others));
  },
);
