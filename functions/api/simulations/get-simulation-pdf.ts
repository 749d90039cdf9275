import { getSimulationPdf } from '../../../shared/contract/routes.ts';
import { offerFor, simulationIdFor } from '../../../shared/domain/simulations/opportunity.ts';
import { scheduleOf } from '../../../shared/domain/simulations/pricing/quote.ts';
import { Failure } from '../../../shared/domain/values/failure.ts';
import { opportunityOf } from '../../../shared/domain/values/ids.ts';
import { fileAnswer, readEndpoint } from '../../../shared/http/endpoint.ts';
import * as wiring from '../../../shared/wiring.ts';

export const handler = readEndpoint(
  getSimulationPdf,
  { auth: wiring.apiKeyAuth, clock: wiring.clock, simulations: wiring.simulations },
  ({ simulations }, tenancy, id) => simulations.find(tenancy, opportunityOf(id)),
  async (opportunity, { id }) => {
    const offer = offerFor(opportunity, id);
    if (!offer) throw new Failure('nao_encontrado');
    const name = `simulacao-${simulationIdFor(opportunity, offer)}.pdf`;
    const content = await wiring.simulationPdf({ opportunity, offer, schedule: scheduleOf(offer) });
    return fileAnswer({ type: 'application/pdf', name }, content);
  },
);
