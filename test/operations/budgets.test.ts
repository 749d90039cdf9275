import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ANALYSIS_BYTES } from '#infra/cost.ts';
import { eventOf } from '#shared/contract/event.ts';
import { BANKS } from '#shared/domain/values/bank.ts';
import { newWebhookSecret } from '#shared/domain/webhooks/secret.ts';
import { TableAnalyses } from '#shared/table/analyses/analyses.ts';
import { tableClient } from '#shared/table/rows/client.ts';
import { setWebhook } from '#shared/table/webhooks/webhook-endpoints.ts';
import { api, type Operation } from '../makers/api.ts';
import { bookDeliveries, newDelivery } from '../makers/booked.ts';
import type { CallOptions } from '../makers/call.ts';
import { countUnits } from '../makers/counting.ts';
import { type MadePartner, makePartner, usePeers } from '../makers/peers.ts';
import { analysisBody, cpfFrom, leadBody, simulationBody, withdrawalBody } from '../makers/people.ts';
import { everyRow } from '../makers/rows.ts';
import { beginMinute, holdClock, releaseClock } from '../makers/test-clock.ts';

const NOWHERE = 'https://hooks.parceiro.com.br/eventos';

/**
 * The cost of a request at the table (test/bench/README.md, budgets 1 to 7), counted on a partner with the usual limit.
 */
usePeers();
let partner: MadePartner;
let counted: ReturnType<typeof countUnits>;
beforeAll(() => {
  holdClock();
  counted = countUnits(tableClient());
});
afterAll(releaseClock);
beforeEach(async () => {
  // At the turn of a minute, the first call of a container may need two tries.
  beginMinute();
  partner = await makePartner(120);
  counted.reset();
});

/** Returns the status, round trips and capacity units of one call. */
async function cost(operation: Operation, options: CallOptions) {
  counted.reset();
  const answer = await api(operation, { key: partner.keys.sandbox, ...options });
  const { calls, read, write } = counted.units;
  return { answer, status: answer.status, calls: calls.length, read, write, names: calls };
}

const newLead = async (changes = {}) =>
  Number((await cost('createLead', { body: leadBody(changes) })).answer.body.lead_id);

it('admission costs one call of the table and one write unit', async () => {
  const { status, names, write } = await cost('getLead', { id: 1, key: partner.keys.producao });
  expect(status).toBe(404);
  expect(names).toEqual(['Update', 'Get']);
  expect(write).toBe(1);
});

it('a refused call costs one more write unit in the sandbox, and nothing more in production', async () => {
  const bad = { body: { nome: 'x' } };
  const { status, names, write } = await cost('createLead', bad);
  expect(status).toBe(400);
  expect(names).toEqual(['Update', 'Update']);
  expect(write).toBe(2);
  expect(await cost('createLead', { ...bad, key: partner.keys.producao })).toMatchObject({ calls: 1, write: 1 });
});

it('a mistyped key costs no call of the table', async () => {
  const mistyped = partner.keys.sandbox.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'));
  const { status, calls } = await cost('getAccount', { key: mistyped });
  expect(status).toBe(401);
  expect(calls).toBe(0);
});

it('GET /v1/me and GET /v1/webhooks take two calls of the table, a sandbox with missing steps four', async () => {
  expect((await cost('getAccount', { key: partner.keys.producao })).calls).toBe(2);
  // While a step towards production is missing, GET /v1/me of the sandbox looks for it.
  expect((await cost('getAccount', {})).names).toEqual(['Update', 'BatchGet', 'Query', 'Query']);
  expect((await cost('getWebhook', {})).calls).toBe(2);
  await setWebhook({ partnerId: partner.partnerId, environment: 'sandbox' }, NOWHERE, newWebhookSecret(), Date.now());
  expect((await cost('getWebhook', {})).calls).toBe(2);
  expect((await cost('listRefusedCalls', {})).calls).toBe(2);
  expect((await cost('listRefusedCalls', { key: partner.keys.producao })).calls).toBe(1);
});

it('reading a lead, simulation or analysis takes two calls and at most two read units', async () => {
  const lead = await newLead();
  const six = simulationBody(lead, { bancos: BANKS });
  const simulated = await cost('createSimulation', { body: six });
  const dear = { sistemas: ['SAC', 'PRICE'], segmento: 'alta_renda', financiar_despesas: true };
  const second = { segundo_proponente: { renda: 4000, data_nascimento: '1990-01-01' } };
  const both = await cost('createSimulation', { body: { ...six, ...dear, ...second } });
  const submitted = await cost('submitAnalyses', { body: analysisBody(lead), once: 'k' });
  for (const [operation, id] of [
    ['getLead', lead],
    ['getSimulation', both.answer.body.resultado.id_oportunidade],
    ['getSimulation', simulated.answer.body.resultado.id_oportunidade],
    ['getSimulationInstalments', simulated.answer.body.resultado.resultados[0].simulacao_id],
    ['getAnalysisStatus', submitted.answer.body.analises[0].analise_id],
  ] as const) {
    const { status, calls, read, write } = await cost(operation, { id });
    expect(status, operation).toBe(200);
    expect(calls, operation).toBe(2);
    expect(write, operation).toBe(1);
    expect(read, operation).toBeLessThanOrEqual(2);
  }
});

it('reading a PDF takes three calls, at most three read units and one write unit', async () => {
  const body = simulationBody(await newLead(), { bancos: BANKS });
  const simulated = await cost('createSimulation', { body });
  const { id_oportunidade, resultados } = simulated.answer.body.resultado;
  for (const [operation, id] of [
    ['getSimulationPdf', resultados[1].simulacao_id],
    ['getSimulationComparison', id_oportunidade],
  ] as const) {
    const { status, calls, read, write } = await cost(operation, { id });
    expect(status, operation).toBe(200);
    expect(calls, operation).toBe(3);
    expect(write, operation).toBe(1);
    expect(read, operation).toBeLessThanOrEqual(3);
  }
});

it('a page of deliveries takes three calls, those of an analysis two, and a resend three', async () => {
  const { partnerId, unitId } = partner;
  const booked = await bookDeliveries(
    Array.from({ length: 25 }, () => newDelivery(partnerId, { unitId, environment: 'sandbox' })),
  );
  const page = await cost('listOwnDeliveries', {});
  expect(page.answer.body).toMatchObject({ tem_mais: true, entregas: { length: 20 } });
  expect(page.names).toEqual(['Update', 'Query', 'BatchGet']);
  const [first] = booked;
  const one = await cost('listOwnDeliveries', { query: { analise_id: String(first!.analysisId) } });
  expect(one.answer.body.entregas).toHaveLength(1);
  expect(one.names).toEqual(['Update', 'BatchGet']);
  const resent = await cost('resendDelivery', { id: first!.eventId });
  expect(resent.status).toBe(202);
  expect(resent.names).toEqual(['Update', 'BatchGet', 'Update']);
});

it('a test of the own webhook takes two calls, whether it is sent or comes too soon', async () => {
  const owner = { partnerId: partner.partnerId, environment: 'sandbox' } as const;
  await setWebhook(owner, 'http://127.0.0.1:9/', newWebhookSecret(), Date.now());
  for (const status of [200, 429]) {
    const tested = await cost('testWebhook', {});
    expect(tested.status).toBe(status);
    expect(tested.names).toEqual(['Update', 'Update']);
  }
});

it('a list of 20 analyses or consents takes at most three calls, and no scan', async () => {
  const lead = await newLead();
  for (const key of ['a', 'b', 'c', 'd']) {
    await cost('submitAnalyses', { body: analysisBody(lead, { bancos: BANKS }), once: key });
  }
  const analyses = await cost('listLeadAnalyses', { id: lead });
  expect(analyses.answer.body).toMatchObject({ tem_mais: true, pendentes: 4 * BANKS.length });
  expect(analyses.names.toSorted()).toEqual(['Query', 'Update']);
  const consents = await cost('listLeadConsents', { id: lead });
  expect(consents.answer.body.consentimentos).toHaveLength(4);
  expect(consents.names.toSorted()).toEqual(['Query', 'Query', 'Update']);
});

it('a page of outcomes takes two calls, one of them a query', async () => {
  const page = await cost('listAnalyses', {});
  expect(page.status).toBe(200);
  expect(page.names).toEqual(['Update', 'Query']);
});

it('a withdrawal of consent takes at most 5 calls and 15 write units, and its replay 2; a list then 4 calls', async () => {
  const lead = await newLead();
  await cost('submitAnalyses', { body: analysisBody(lead), once: 'k' });
  const call = { id: lead, body: withdrawalBody(), once: 'w' };
  const withdrawn = await cost('withdrawConsent', call);
  expect(withdrawn.status).toBe(201);
  expect(withdrawn.names).toEqual(['Update', 'BatchGet', 'Query', 'BatchGet', 'TransactWrite']);
  expect(withdrawn.write).toBeLessThanOrEqual(15);
  const replay = await cost('withdrawConsent', call);
  expect(replay.answer.headers['idempotent-replay']).toBe('true');
  expect(replay.names).toEqual(['Update', 'BatchGet']);
  const consents = await cost('listLeadConsents', { id: lead });
  expect(consents.names.toSorted()).toEqual(['Query', 'Query', 'Query', 'Update']);
});

// A new lead of the sandbox is also listed in a row of its own, so that a reset of the sandbox finds it at once.
it.each([
  ['producao', {}, 10],
  ['producao', { once: 'k' }, 10],
  ['sandbox', {}, 10],
  ['sandbox', { once: 'k' }, 12],
] as const)(
  'POST /v1/leads of a new person in %s (%o) takes at most 3 calls and %i write units',
  async (environment, options, most) => {
    const key = partner.keys[environment];
    const { status, calls, write } = await cost('createLead', { body: leadBody(), key, ...options });
    expect(status).toBe(201);
    expect(calls).toBeLessThanOrEqual(3);
    expect(write).toBeLessThanOrEqual(most);
  },
);

it('POST /v1/leads that reuses and fills a lead takes at most 4 calls', async () => {
  await newLead({ renda: null });
  const { status, calls } = await cost('createLead', { body: leadBody(), once: 'k' });
  expect(status).toBe(200);
  expect(calls).toBeLessThanOrEqual(4);
});

it('a replay of POST /v1/leads takes at most 3 calls', async () => {
  const call = { body: leadBody(), once: 'k' };
  await cost('createLead', call);
  const { answer, calls } = await cost('createLead', call);
  expect(answer.headers['idempotent-replay']).toBe('true');
  expect(calls).toBeLessThanOrEqual(3);
});

describe.each([1, 2, 6])('with %i banks', (banks) => {
  const bancos = BANKS.slice(0, banks);

  it('POST /v1/simulacoes takes at most 4 calls', async () => {
    const body = simulationBody(await newLead(), { bancos });
    const { status, calls } = await cost('createSimulation', { body, once: 'k' });
    expect(status).toBe(200);
    expect(calls).toBeLessThanOrEqual(4);
  });

  it('POST /v1/analises takes at most 5 calls and 8 N + 20 write units; a replay at most 3 calls', async () => {
    // A lead with a spouse and without a birth date costs most: it takes the birth date of the form,
    // and the spouse is indexed.
    const lead = await newLead({ cpf: cpfFrom(banks), data_nascimento: undefined });
    const conjuge = { conjuge_nome: 'Caio Prado', conjuge_cpf: cpfFrom(9), conjuge_data_nascimento: '1986-02-03' };
    const couple = { estado_civil: 'casado', ...conjuge };
    const body = analysisBody(lead, { cpf: cpfFrom(banks), bancos, ...couple });
    const call = { body, once: 'k' };
    const { status, calls, write } = await cost('submitAnalyses', call);
    expect(status).toBe(202);
    expect(calls).toBeLessThanOrEqual(5);
    expect(write).toBeLessThanOrEqual(8 * banks + 20);
    const replay = await cost('submitAnalyses', call);
    expect(replay.answer.headers['idempotent-replay']).toBe('true');
    expect(replay.calls).toBeLessThanOrEqual(3);
  });
});

/** Returns the bytes of a value as DynamoDB counts them: names, and values in their own forms. */
function bytesOf(value: unknown): number {
  if (value instanceof Uint8Array) return value.byteLength;
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value === 'number') return Math.ceil(String(value).length / 2) + 1;
  if (typeof value !== 'object' || value === null) return 1;
  return Object.entries(value).reduce((sum, [name, part]) => sum + Buffer.byteLength(name) + bytesOf(part), 3);
}

/** DynamoDB stores 100 bytes more for each row and index entry than its content. */
const OVERHEAD = 100;

it('a lead with a simulation and two analyses leaves about the bytes that infra/cost.ts assumes', async () => {
  const person = { cpf: cpfFrom(77) };
  const { answer } = await cost('createLead', { body: leadBody(person), once: 'lead' });
  const lead = Number(answer.body.lead_id);
  await cost('createSimulation', { body: simulationBody(lead, { bancos: BANKS }), once: 'simulation' });
  const body = analysisBody(lead, { ...person, bancos: ['itau', 'inter'] });
  const submitted = await cost('submitAnalyses', { body, once: 'bytes' });
  expect(submitted.status).toBe(202);
  const store = new TableAnalyses(Date.now, eventOf);
  for (const { analise_id } of submitted.answer.body.analises) {
    const before = (await store.get({ unitId: partner.unitId, environment: 'sandbox' }, analise_id))!;
    await store.conclude({ before, after: { ...before, situation: 'aprovado', sequence: 1 } });
  }
  // The entries of the index byDue end with the outcome.
  const rows = (await Promise.all([everyRow(), everyRow('byList')])).flat();
  const inAYear = Date.now() / 1000 + 365 * 86_400;
  const bytes = { lasting: 0, passing: 0 };
  for (const row of rows.filter(({ pk }) => String(pk).includes(`#${partner.unitId}#sandbox`))) {
    const kept = Number(row['expiresAt'] ?? inAYear) >= inAYear ? 'lasting' : 'passing';
    bytes[kept] += (bytesOf(row) + OVERHEAD) / 2;
  }
  expect(bytes.lasting / ANALYSIS_BYTES.lasting).toBeCloseTo(1, 1);
  expect(bytes.passing / ANALYSIS_BYTES.passing).toBeCloseTo(1, 1);
});
