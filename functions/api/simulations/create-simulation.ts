import { leadNotFound } from '../../../shared/contract/lead.ts';
import { createSimulation } from '../../../shared/contract/routes.ts';
import {
  nothingToSimulate,
  parseSimulation,
  simulationCreated,
  simulationCreatedBody,
} from '../../../shared/contract/simulation.ts';
import { quote } from '../../../shared/domain/simulations/pricing/quote.ts';
import { dayInSaoPaulo } from '../../../shared/domain/values/clock.ts';
import { drawOpportunityId } from '../../../shared/domain/values/ids.ts';
import { answer, endpoint } from '../../../shared/http/endpoint.ts';
import { emit } from '../../../shared/runtime/metrics.ts';
import * as wiring from '../../../shared/wiring.ts';

export const handler = endpoint(
  createSimulation,
  { auth: wiring.apiKeyAuth, clock: wiring.clock, simulations: wiring.simulations },
  async (request, { clock, simulations }) => {
    const asked = parseSimulation(request.body);
    const claim = request.claim(asked);
    const { lead, earlier } = await simulations.prepare(request.caller, asked.leadId, claim);
    if (earlier) return request.replay(earlier)!;
    if (!lead) throw leadNotFound();

    const { banks, leadId, ...wishes } = asked;
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
          opportunity: { id, leadId, createdAt: now, customer, offers },
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
