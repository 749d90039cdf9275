import { leadNotFound } from '#shared/contract/request-failures.ts';
import { createSimulation } from '#shared/contract/routes.ts';
import { simulationCreated, simulationCreatedBody } from '#shared/contract/simulation-created.ts';
import { stateNotices } from '#shared/contract/simulation-notices.ts';
import { toldRefusals } from '#shared/contract/simulation-refusal.ts';
import { nothingToSimulate, parseSimulation, simulationInput } from '#shared/contract/simulation-request.ts';
import { type SimulateDeps, type Simulated, simulate } from '#shared/domain/simulations/simulate.ts';
import { endpoint } from '#shared/http/partner/endpoint.ts';
import { fields } from '#shared/http/partner/fields.ts';
import { onceIfKeyed } from '#shared/http/partner/once.ts';
import { answer } from '#shared/http/partner/reply.ts';
import { rateDays } from '#shared/runtime/env.ts';
import { emit } from '#shared/runtime/metrics.ts';
import * as wiring from '#shared/wiring.ts';

export const handler = endpoint(createSimulation, wiring.admission, {
  simulations: wiring.simulations,
  rates: wiring.bankRates,
  rateDays,
})
  .use(fields(simulationInput, ({ body }, { clock }) => parseSimulation(body, clock())))
  .handler(async (call, { clock, simulations, rates, rateDays }) => {
    const { caller, input, notices } = call;
    const { environment } = caller;
    const { banks, wishes } = input;
    const answerFor = ({ id, quotes, contractDay }: Simulated) => {
      const allNotices = notices.concat(stateNotices(wishes.state, banks, contractDay));
      return answer(200, simulationCreated, simulationCreatedBody(id, quotes, wishes.financeExpenses, allNotices));
    };
    const deps: SimulateDeps = {
      simulations,
      tables: () => rates.tables(),
      clock,
      rateDays,
      answerFor,
      refusalsFor: toldRefusals,
      leadGone: leadNotFound,
      withoutStart: () => nothingToSimulate(call.body),
      kept: (offers) => {
        for (const { bank } of offers) emit({ environment, bank }, { Simulations: 1 });
      },
    };
    return onceIfKeyed(call, clock, input.fields, (claim) => simulate(caller, input, claim, deps));
  });
