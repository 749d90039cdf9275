import { getSimulationInstalments } from '#shared/contract/routes.ts';
import { instalmentList, instalmentListBody } from '#shared/contract/simulation.ts';
import { offerMissing } from '#shared/contract/simulation-refusal.ts';
import { offerFor } from '#shared/domain/simulations/opportunity.ts';
import { scheduleOf } from '#shared/domain/simulations/pricing/quote.ts';
import { opportunityOf } from '#shared/domain/values/ids.ts';
import { readEndpoint } from '#shared/http/partner/endpoint.ts';
import { answer } from '#shared/http/partner/reply.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = readEndpoint(
  getSimulationInstalments,
  wiring.admission,
  { simulations: wiring.simulations },
  ({ simulations }, tenancy, id) => simulations.find(tenancy, opportunityOf(id)),
).handler(({ found: opportunity, id }) => {
  const offer = offerFor(opportunity, id);
  if (!offer) throw offerMissing(opportunity, id);
  return answer(200, instalmentList, instalmentListBody(opportunity, offer, scheduleOf(offer)));
});
