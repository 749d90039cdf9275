import { leadNotFound } from '#shared/contract/request-failures.ts';
import { createSimulation } from '#shared/contract/routes.ts';
import { simulationCreated, simulationCreatedBody } from '#shared/contract/simulation-created.ts';
import { stateNotices } from '#shared/contract/simulation-notices.ts';
import { toldRefusals } from '#shared/contract/simulation-refusal.ts';
import { nothingToSimulate, parseSimulation, simulationInput } from '#shared/contract/simulation-request.ts';
import { type SimulateDeps, type Simulated, simulate } from '#shared/domain/simulations/simulate.ts';
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
    const { environment } = request.caller;
    const { banks, wishes } = input;
    const answerFor = ({ id, quotes, contractDay }: Simulated) => {
      const notices = [unknown, stateNotices(wishes.state, banks, contractDay)].flat();
      return answer(200, simulationCreated, simulationCreatedBody(id, quotes, wishes.financeExpenses, notices));
    };
    const deps: SimulateDeps = {
      simulations,
      clock,
      rateDays,
      answerFor,
      refusalsFor: toldRefusals,
      leadGone: leadNotFound,
      withoutStart: () => nothingToSimulate(request.body),
      priced: (oldestRate) => emit({}, { TableAgeDays: oldestRate }),
      kept: (offers) => {
        for (const { bank } of offers) emit({ environment, bank }, { Simulations: 1 });
      },
    };
    return once(request, input.fields, (claim) => simulate(request.caller, input, claim, deps));
  },
);
