import { getSimulationInstalments } from '#shared/contract/routes.ts';
import { instalmentList, instalmentListBody } from '#shared/contract/simulation.ts';
import { offerMissing } from '#shared/contract/simulation-refusal.ts';
import { offerFor } from '#shared/domain/simulations/opportunity.ts';
import { scheduleOf } from '#shared/domain/simulations/pricing/quote.ts';
import { opportunityOf } from '#shared/domain/values/ids.ts';
import { answer, readEndpoint } from '#shared/http/endpoint.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = readEndpoint(
  getSimulationInstalments,
  { auth: wiring.apiKeyAuth, refusals: wiring.refusedCalls, clock: wiring.clock, simulations: wiring.simulations },
  ({ simulations }, tenancy, id) => simulations.find(tenancy, opportunityOf(id)),
  (opportunity, { id }) => {
    const offer = offerFor(opportunity, id);
    if (!offer) throw offerMissing(opportunity, id);
    return answer(200, instalmentList, instalmentListBody(opportunity, offer, scheduleOf(offer)));
  },
);
