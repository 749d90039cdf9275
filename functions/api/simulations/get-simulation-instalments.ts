import { getSimulationInstalments } from '../../../shared/contract/routes.ts';
import { instalmentList, instalmentListBody } from '../../../shared/contract/simulation-instalments.ts';
import { offerFor } from '../../../shared/domain/simulations/opportunity.ts';
import { scheduleOf } from '../../../shared/domain/simulations/pricing/quote.ts';
import { Failure } from '../../../shared/domain/values/failure.ts';
import { opportunityOf } from '../../../shared/domain/values/ids.ts';
import { answer, endpoint } from '../../../shared/http/endpoint.ts';
import * as wiring from '../../../shared/wiring.ts';

export const handler = endpoint(
  getSimulationInstalments,
  { auth: wiring.apiKeyAuth, clock: wiring.clock, simulations: wiring.simulations },
  async ({ caller, id }, { simulations }) => {
    const opportunity = await simulations.get(caller, opportunityOf(id));
    const offer = opportunity && offerFor(opportunity, id);
    if (!offer) throw new Failure('nao_encontrado');
    return answer(200, instalmentList, instalmentListBody(opportunity, offer, scheduleOf(offer)));
  },
);
