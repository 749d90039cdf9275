import { getSimulationPdf } from '../../../shared/contract/routes.ts';
import { offerFor, simulationIdFor } from '../../../shared/domain/simulations/opportunity.ts';
import { scheduleOf } from '../../../shared/domain/simulations/pricing/quote.ts';
import { Failure } from '../../../shared/domain/values/failure.ts';
import { opportunityOf } from '../../../shared/domain/values/ids.ts';
import { endpoint, fileAnswer } from '../../../shared/http/endpoint.ts';
import * as wiring from '../../../shared/wiring.ts';

export const handler = endpoint(
  getSimulationPdf,
  { auth: wiring.apiKeyAuth, clock: wiring.clock, simulations: wiring.simulations },
  async ({ caller, id }, { simulations }) => {
    const opportunity = await simulations.get(caller, opportunityOf(id));
    const offer = opportunity && offerFor(opportunity, id);
    if (!offer) throw new Failure('nao_encontrado');
    const name = `simulacao-${simulationIdFor(opportunity, offer)}.pdf`;
    const content = await wiring.simulationPdf({ opportunity, offer, schedule: scheduleOf(offer) });
    return fileAnswer({ type: 'application/pdf', name }, content);
  },
);
