import { leadNotFound } from '#shared/contract/request-failures.ts';
import { createSimulation } from '#shared/contract/routes.ts';
import { simulationCreated, simulationCreatedBody } from '#shared/contract/simulation-created.ts';
import { stateNotices } from '#shared/contract/simulation-notices.ts';
import { toldRefusals } from '#shared/contract/simulation-refusal.ts';
import { nothingToSimulate, parseSimulation, simulationInput } from '#shared/contract/simulation-request.ts';
import { quoteSystems } from '#shared/domain/simulations/pricing/quote.ts';
import { oldestRateDays } from '#shared/domain/simulations/pricing/tables/in-force.ts';
import { hasStart, offersOf } from '#shared/domain/simulations/simulation.ts';
import { dayInSaoPaulo } from '#shared/domain/values/clock.ts';
import { drawOpportunityId } from '#shared/domain/values/ids.ts';
import { answer, endpoint, noticeUnknown } from '#shared/http/endpoint.ts';
import { once } from '#shared/http/once.ts';
import { emit } from '#shared/runtime/metrics.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = endpoint(
  createSimulation,
  {
    auth: wiring.apiKeyAuth,
    refusals: wiring.refusedCalls,
    clock: wiring.clock,
    simulations: wiring.simulations,
    rateDays: wiring.rateDays,
  },
  async (request, { clock, simulations, rateDays }) => {
    const input = parseSimulation(request.body, clock());
    const unknown = noticeUnknown(request, simulationInput);
    return once(request, input.fields, async (claim) => {
      const { lead, earlier } = await simulations.prepare(request.caller, input.leadId, claim);
      if (earlier) return { earlier };
      if (!lead) throw leadNotFound();
      const { banks, systems, leadId, wishes } = input;
      const income = wishes.income ?? lead.income;
      if (!hasStart({ ...wishes, income })) throw nothingToSimulate(request.body);
      // One moment for the contract's day and the record's: midnight may come before it is written.
      const createdAt = clock();
      const contractDay = dayInSaoPaulo(createdAt);
      emit({}, { TableAgeDays: oldestRateDays(contractDay) });
      const { environment } = request.caller;
      const limits = environment === 'producao' ? { rateDays } : {};
      const asked = { ...wishes, ...limits, income, birthDate: lead.birthDate, contractDay };
      const quotes = banks.flatMap((bank) => quoteSystems(bank, asked, systems));
      const offers = offersOf(quotes);
      const customer = { name: lead.name, cpf: lead.cpf, birthDate: lead.birthDate };
      const notices = [...unknown, ...stateNotices(wishes.state, banks, contractDay)];
      const drawn = (now: number) => {
        const id = drawOpportunityId(now);
        return {
          opportunity: { id, leadId, createdAt, customer, offers, refusals: toldRefusals(quotes) },
          answer: answer(200, simulationCreated, simulationCreatedBody(id, quotes, wishes.financeExpenses, notices)),
        };
      };
      const result = await simulations.save(request.caller, drawn, claim);
      if (result === 'lead_gone') throw leadNotFound();
      if ('done' in result) for (const { bank } of offers) emit({ environment, bank }, { Simulations: 1 });
      return result;
    });
  },
);
