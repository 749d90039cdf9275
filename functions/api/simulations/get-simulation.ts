import { getSimulation } from '../../../shared/contract/routes.ts';
import { simulationFound, simulationFoundBody } from '../../../shared/contract/simulation.ts';
import { Failure } from '../../../shared/domain/failure.ts';
import { opportunityOf } from '../../../shared/domain/ids.ts';
import { offerAsked } from '../../../shared/domain/simulation.ts';
import { answer, endpoint } from '../../../shared/http/endpoint.ts';
import * as wiring from '../../../shared/runtime/wiring.ts';

export const handler = endpoint(
  getSimulation,
  { gate: wiring.gate, clock: wiring.clock, simulations: wiring.simulations },
  async ({ caller, id }, { simulations }) => {
    const opportunity = await simulations.get(caller, opportunityOf(id));
    const offer = opportunity && offerAsked(opportunity, id);
    if (!offer) throw new Failure('nao_encontrado');
    const others = id === opportunity.id ? opportunity.offers.filter((other) => other !== offer) : undefined;
    return answer(200, simulationFound, simulationFoundBody(opportunity, offer, others));
  },
);
