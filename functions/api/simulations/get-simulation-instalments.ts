import { getSimulationInstalments } from '../../../shared/contract/routes.ts';
import { instalmentList, instalmentListBody } from '../../../shared/contract/simulation.ts';
import { Failure } from '../../../shared/domain/failure.ts';
import { opportunityOf } from '../../../shared/domain/ids.ts';
import { scheduleOf } from '../../../shared/domain/pricing/quote.ts';
import { offerAsked } from '../../../shared/domain/simulation.ts';
import { answer, endpoint } from '../../../shared/http/endpoint.ts';
import * as wiring from '../../../shared/runtime/wiring.ts';

export const handler = endpoint(
  getSimulationInstalments,
  { gate: wiring.gate, clock: wiring.clock, simulations: wiring.simulations },
  async ({ caller, id }, { simulations }) => {
    const opportunity = await simulations.get(caller, opportunityOf(id));
    const offer = opportunity && offerAsked(opportunity, id);
    if (!offer) throw new Failure('nao_encontrado');
    return answer(200, instalmentList, instalmentListBody(opportunity, offer, scheduleOf(offer)));
  },
);
