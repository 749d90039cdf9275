import { getSimulationPdf } from '../../../shared/contract/routes.ts';
import { BANK_IDENTITIES } from '../../../shared/domain/bank.ts';
import { Failure } from '../../../shared/domain/failure.ts';
import { opportunityOf, simulationIdOf } from '../../../shared/domain/ids.ts';
import { scheduleOf } from '../../../shared/domain/pricing/quote.ts';
import { offerAsked } from '../../../shared/domain/simulation.ts';
import { endpoint, fileAnswer } from '../../../shared/http/endpoint.ts';
import { simulationPdf } from '../../../shared/pdf/simulation-pdf.ts';
import * as wiring from '../../../shared/runtime/wiring.ts';

export const handler = endpoint(
  getSimulationPdf,
  { gate: wiring.gate, clock: wiring.clock, simulations: wiring.simulations },
  async ({ caller, id }, { simulations }) => {
    const opportunity = await simulations.get(caller, opportunityOf(id));
    const offer = opportunity && offerAsked(opportunity, id);
    if (!offer) throw new Failure('nao_encontrado');
    const name = `simulacao-${simulationIdOf(opportunity.id, BANK_IDENTITIES[offer.bank].id)}.pdf`;
    const content = await simulationPdf({ opportunity, offer, schedule: scheduleOf(offer) });
    return fileAnswer({ type: 'application/pdf', name }, content);
  },
);
