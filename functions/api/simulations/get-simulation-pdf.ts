import { getSimulationPdf } from '#shared/contract/routes.ts';
import { offerMissing } from '#shared/contract/simulation-refusal.ts';
import { findPresented, offerFor, simulationIdFor } from '#shared/domain/simulations/opportunity.ts';
import { scheduleOf } from '#shared/domain/simulations/pricing/quote.ts';
import { opportunityOf } from '#shared/domain/values/ids.ts';
import { readEndpoint } from '#shared/http/partner/endpoint.ts';
import { fileAnswer } from '#shared/http/partner/reply.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = readEndpoint(
  getSimulationPdf,
  wiring.admission,
  { simulations: wiring.simulations, partners: wiring.partners, draw: wiring.simulationPdf },
  (ports, tenancy, id) => findPresented(ports, tenancy, opportunityOf(id)),
).handler(async ({ found: { opportunity, agent }, id }, { draw }) => {
  const offer = offerFor(opportunity, id);
  if (!offer) throw offerMissing(opportunity, id);
  const name = `simulacao-${simulationIdFor(opportunity, offer)}.pdf`;
  const content = await draw({ opportunity, offer, schedule: scheduleOf(offer), agent });
  return fileAnswer({ type: 'application/pdf', name }, content);
});
