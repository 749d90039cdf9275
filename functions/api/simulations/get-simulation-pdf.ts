import { getSimulationPdf } from '../../../shared/contract/routes.ts';
import { scheduleOf } from '../../../shared/domain/simulations/pricing/quote.ts';
import { offerFor } from '../../../shared/domain/simulations/simulation.ts';
import { BANK_IDENTITIES } from '../../../shared/domain/values/bank.ts';
import { Failure } from '../../../shared/domain/values/failure.ts';
import { opportunityOf, simulationIdOf } from '../../../shared/domain/values/ids.ts';
import { fileAnswer, readEndpoint } from '../../../shared/http/endpoint.ts';
import * as wiring from '../../../shared/wiring.ts';

export const handler = readEndpoint(
  getSimulationPdf,
  { auth: wiring.apiKeyAuth, clock: wiring.clock, simulations: wiring.simulations },
  ({ simulations }, tenancy, id) => simulations.find(tenancy, opportunityOf(id)),
  async (opportunity, { id }) => {
    const offer = offerFor(opportunity, id);
    if (!offer) throw new Failure('nao_encontrado');
    const name = `simulacao-${simulationIdOf(opportunity.id, BANK_IDENTITIES[offer.bank].id)}.pdf`;
    const content = await wiring.simulationPdf({ opportunity, offer, schedule: scheduleOf(offer) });
    return fileAnswer({ type: 'application/pdf', name }, content);
  },
);
