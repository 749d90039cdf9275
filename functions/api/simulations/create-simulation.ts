import { leadUnknown } from '../../../shared/contract/lead.ts';
import { createSimulation } from '../../../shared/contract/routes.ts';
import {
  nothingToSimulate,
  simulationAsked,
  simulationCreated,
  simulationCreatedBody,
} from '../../../shared/contract/simulation.ts';
import { dayInSaoPaulo } from '../../../shared/domain/clock.ts';
import { drawOpportunityId } from '../../../shared/domain/ids.ts';
import { quote } from '../../../shared/domain/pricing/quote.ts';
import { answer, endpoint } from '../../../shared/http/endpoint.ts';
import { emit } from '../../../shared/runtime/metrics.ts';
import * as wiring from '../../../shared/runtime/wiring.ts';

export const handler = endpoint(
  createSimulation,
  { gate: wiring.gate, clock: wiring.clock, simulations: wiring.simulations },
  async (request, { clock, simulations }) => {
    const asked = simulationAsked(request.body);
    const claim = request.claim(asked);
    const { lead, earlier } = await simulations.prepare(request.caller, asked.lead, claim);
    if (earlier) return request.replay(earlier)!;
    if (!lead) throw leadUnknown();

    const { banks, lead: leadId, ...wishes } = asked;
    const income = wishes.income ?? lead.income;
    if (wishes.propertyValue === undefined && wishes.financedValue === undefined && income === undefined) {
      throw nothingToSimulate();
    }
    const contractDay = dayInSaoPaulo(clock());
    const quotes = banks.map((bank) => quote(bank, { ...wishes, income, birthDate: lead.birthDate, contractDay }));

    const outcome = await simulations.save(
      request.caller,
      (now) => {
        const id = drawOpportunityId(now);
        const customer = { name: lead.name, cpf: lead.cpf, birthDate: lead.birthDate };
        const offers = quotes.flatMap((made) => ('offer' in made ? [made.offer] : []));
        return {
          opportunity: { id, lead: leadId, createdAt: now, customer, offers },
          answer: answer(200, simulationCreated, simulationCreatedBody(id, quotes)),
        };
      },
      claim,
    );
    if (!('done' in outcome)) return request.replay(outcome.earlier)!;
    for (const made of quotes) if ('offer' in made) emit({ bank: made.offer.bank }, { Simulations: 1 });
    return outcome.done;
  },
);
