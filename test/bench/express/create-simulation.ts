/** POST /v1/simulacoes as an Express application behind serverless-http: the same table, schemas and prices, without our stack. */
import express from 'express';
import serverless from 'serverless-http';
import { simulationCreated, simulationCreatedBody } from '../../../shared/contract/simulation-created.ts';
import { parseSimulation } from '../../../shared/contract/simulation-request.ts';
import { quoteSystems } from '../../../shared/domain/simulations/pricing/quote.ts';
import { dayInSaoPaulo } from '../../../shared/domain/values/clock.ts';
import { Failure } from '../../../shared/domain/values/failure.ts';
import { canonicalJson, IDEMPOTENCY_TTL } from '../../../shared/domain/values/idempotency.ts';
import { drawOpportunityId } from '../../../shared/domain/values/ids.ts';
import * as wiring from '../../../shared/wiring.ts';

const app = express();
app.use(express.json());
app.post('/v1/simulacoes', async (request, response) => {
  const clock = wiring.clock();
  const simulations = wiring.simulations();
  const caller = await wiring.apiKeyAuth().authenticate(request.get('x-api-key') ?? '');
  const input = parseSimulation(request.body, clock());
  const claim = {
    tenancy: caller,
    operation: 'create-simulation',
    key: request.get('idempotency-key') ?? '',
    content: canonicalJson(input),
    expiresAt: clock() + IDEMPOTENCY_TTL.records,
  };
  const { lead } = await simulations.prepare(caller, input.leadId, claim);
  if (!lead) throw new Failure('lead_nao_encontrado');
  const { banks, systems, leadId, wishes } = input;
  const income = wishes.income ?? lead.income;
  const asked = { ...wishes, income, birthDate: lead.birthDate, contractDay: dayInSaoPaulo(clock()) };
  const quotes = banks.flatMap((bank) => quoteSystems(bank, asked, systems));
  const offers = quotes.flatMap((made) => ('offer' in made ? [made.offer] : []));
  const customer = { name: lead.name, cpf: lead.cpf, birthDate: lead.birthDate };
  const make = (now: number) => {
    const id = drawOpportunityId(now);
    const body = simulationCreated.parse(simulationCreatedBody(id, quotes, wishes.financeExpenses));
    return {
      opportunity: { id, leadId, createdAt: now, customer, offers },
      answer: { status: 200, body: JSON.stringify(body) },
    };
  };
  const result = await simulations.save(caller, make, claim);
  if (result === 'lead_gone') throw new Failure('lead_nao_encontrado');
  if (!('done' in result)) throw new Failure('idempotency_conflito');
  response.status(result.done.status).json(JSON.parse(result.done.body));
});

export const handler = serverless(app);
