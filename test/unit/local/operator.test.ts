import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  OPERATOR_FAULTS,
  type OperatorFaultKind,
  type OperatorFaultOrder,
} from '../../../infra/local/operator/faults.ts';
import { type OperatorState, type StandInOptions, startOperator } from '../../../infra/local/operator/operator.ts';
import type { Analysis, Situation } from '../../../shared/domain/analyses/analysis.ts';
import type { Bank } from '../../../shared/domain/values/bank.ts';
import type { AnalysisId, LeadId, PartnerId, SubmissionId, UnitId } from '../../../shared/domain/values/ids.ts';
import {
  type HttpOperatorOptions,
  httpOperatorApi,
  type OperatorObservation,
  operatorReference,
} from '../../../shared/operator/operator-api.ts';
import { readStatus } from '../../../shared/operator/statuses.ts';
import { operatorContract } from '../operator/openapi-document.ts';

const TOKEN = 'local-token';
const CPF = '529.982.247-25';
const form = { nome: 'Maria Exemplo', cpf: CPF, email: 'maria@example.com', renda: 12_000 };
const patient = () => new AbortController().signal;

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function analysisOf(id: number, bank: Bank = 'itau'): Analysis {
  return {
    unitId: 12 as UnitId,
    environment: 'producao',
    id: id as AnalysisId,
    partnerId: 1 as PartnerId,
    leadId: 7001 as LeadId,
    bank,
    submissionId: 5 as SubmissionId,
    situation: 'em_analise',
    queryNumber: '',
    rawStatus: '',
    sequence: 0,
    createdAt: 0,
  };
}
const referenceOf = (analysis: Analysis) => operatorReference(analysis, analysis.id);

/** The stand-in and the service's client to it. */
async function operatorAndClient(options: Partial<StandInOptions> = {}, client: Partial<HttpOperatorOptions> = {}) {
  const operator = await startOperator({ token: TOKEN, ...options });
  closing.push(() => operator.close());
  const observed: OperatorObservation[] = [];
  const remote = httpOperatorApi({
    url: operator.url,
    token: async () => TOKEN,
    observe: (observation) => observed.push(observation),
    ...client,
  });
  closing.push(() => remote.close());
  return { operator, remote, observed, control: operator.control };
}

/** A client that gives up early, for the one call that it is to give up: an ordinary answer may take as long on a busy machine. */
function impatientClient({ url }: { readonly url: string }) {
  const client = httpOperatorApi({ url, token: async () => TOKEN, observe: () => undefined, totalTimeout: 500 });
  closing.push(() => client.close());
  return client;
}

function call(url: string, method: string, path: string, body?: string | object, token = TOKEN) {
  return fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'x-request-id': 'attempt-1' },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
}

function temporaryFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'operator-'));
  closing.push(() => rmSync(folder, { recursive: true }));
  return join(folder, 'operator.jsonl');
}

/** Fault, what the bank submission comes to, and how many queries on the person it makes. */
const HAND_OVERS: Readonly<Record<OperatorFaultKind, readonly ['accepted' | 'refused' | 'unknown', number]>> = {
  slow: ['accepted', 1],
  error_500: ['unknown', 0],
  error_500_after: ['unknown', 1],
  lost_answer: ['unknown', 1],
  lost_before: ['unknown', 0],
  reset: ['unknown', 0],
  garbage: ['unknown', 1],
  huge_body: ['unknown', 1],
  wrong_reference: ['unknown', 1],
  wrong_bank: ['unknown', 1],
  unknown_status: ['accepted', 1],
  refused: ['refused', 0],
  unauthorized: ['unknown', 0],
  stalled: ['unknown', 1],
};

describe.each(OPERATOR_FAULTS)('a bank submission that meets %s', (kind) => {
  const [expected, queries] = HAND_OVERS[kind];

  test(`is ${expected}; the reference tells what became of it, and sending again makes one query in all`, async () => {
    const { operator, remote, control } = await operatorAndClient();
    const first = kind === 'stalled' ? impatientClient(operator) : remote;
    const analysis = analysisOf(1);
    control.fault({ kind, times: 1, delayMs: 5 });
    expect((await first.submit(analysis, form, patient())).kind).toBe(expected);
    expect(control.state().references[referenceOf(analysis)]).toEqual({
      bank: 'itau',
      received: 1,
      accepted: queries,
    });
    expect((await remote.query(analysis, patient())).kind).toBe(queries === 0 ? 'absent' : 'known');

    const again = await remote.submit(analysis, form, patient());
    expect(again.kind).toBe('accepted');
    const asked = await remote.query(analysis, patient());
    expect(asked).toMatchObject({ kind: 'known', queryNumber: again.kind === 'accepted' ? again.queryNumber : '' });
    expect(control.state()).toMatchObject({ received: 2, accepted: 1 });
    expect(control.queriesOn(CPF, 'itau')).toBe(1);
  });
});

test.each(OPERATOR_FAULTS)(
  'a query that meets %s gives a trusted text or none, and changes nothing at the operator',
  async (kind) => {
    const { operator, remote, control } = await operatorAndClient();
    const faulty = kind === 'stalled' ? impatientClient(operator) : remote;
    const analysis = analysisOf(1);
    const accepted = await remote.submit(analysis, form, patient());
    const queryNumber = accepted.kind === 'accepted' ? accepted.queryNumber : '';
    control.fault({ kind, operation: 'query', times: 2, delayMs: 5 });
    const usable = kind === 'slow' || kind === 'unknown_status' || kind === 'refused';
    for (const subject of [analysis, { ...analysis, queryNumber }])
      expect((await faulty.query(subject, patient())).kind).toBe(usable ? 'known' : 'unavailable');
    control.clear();
    expect(await remote.query(analysis, patient())).toEqual({ kind: 'known', queryNumber, rawStatus: 'Em análise' });
    expect(control.state().accepted).toBe(1);
  },
);

test('an unknown text reaches the reader of texts as it is', async () => {
  const { remote, control } = await operatorAndClient();
  control.fault({ kind: 'unknown_status' });
  const answer = await remote.submit(analysisOf(1), form, patient());
  expect(answer.kind === 'accepted' && readStatus(answer.rawStatus)).toEqual({
    situation: 'em_analise',
    known: false,
  });
});

test('an outage is not taken for a reference that never arrived', async () => {
  const { remote, control } = await operatorAndClient();
  control.fault({ kind: 'error_500' });
  expect(await remote.query(analysisOf(1), patient())).toMatchObject({ kind: 'unavailable' });
});

test('an operator slower than the client’s limit has accepted: in doubt, then found by reference', async () => {
  const { operator, remote, control } = await operatorAndClient();
  control.fault({ kind: 'slow', delayMs: 60_000, times: 1 });
  expect(await impatientClient(operator).submit(analysisOf(1), form, patient())).toMatchObject({ kind: 'unknown' });
  expect((await remote.query(analysisOf(1), patient())).kind).toBe('known');
  expect(control.state().accepted).toBe(1);
});

describe('one reference, one query', () => {
  test('among 50 parallel bank submissions too, all with one number', async () => {
    const { remote, control } = await operatorAndClient();
    const answers = await Promise.all(Array.from({ length: 50 }, () => remote.submit(analysisOf(1), form, patient())));
    expect(new Set(answers.map((answer) => (answer.kind === 'accepted' ? answer.queryNumber : '')))).toEqual(
      new Set(['IT-1']),
    );
    expect(control.state()).toMatchObject({ received: 50, accepted: 1 });
  });

  test('in parallel, with half of the answers lost and half of the calls lost before', async () => {
    const { remote, control } = await operatorAndClient({ seed: 7 });
    control.fault({ kind: 'lost_before', rate: 0.5 });
    control.fault({ kind: 'lost_answer', rate: 0.5 });
    await Promise.all(Array.from({ length: 40 }, (_, id) => remote.submit(analysisOf(id % 4), form, patient())));
    for (const counts of Object.values(control.state().references)) expect(counts.accepted).toBeLessThanOrEqual(1);
    control.clear();
    await Promise.all([0, 1, 2, 3].map((id) => remote.submit(analysisOf(id), form, patient())));
    expect(control.state().accepted).toBe(4);
  });

  test('but another bank under a reference is refused, and the first stands', async () => {
    const { remote, control } = await operatorAndClient();
    await remote.submit(analysisOf(1, 'itau'), form, patient());
    expect(await remote.submit(analysisOf(1, 'inter'), form, patient())).toMatchObject({ kind: 'unknown' });
    expect(control.state()).toMatchObject({ accepted: 1 });
    expect((await remote.query(analysisOf(1, 'itau'), patient())).kind).toBe('known');
  });

  test('unless the operator is told to break its promise: then a second query shows in the counts', async () => {
    const { remote, control } = await operatorAndClient({ idempotent: false });
    await remote.submit(analysisOf(1), form, patient());
    await remote.submit(analysisOf(1), form, patient());
    expect(control.state().references[referenceOf(analysisOf(1))]).toEqual({ bank: 'itau', received: 2, accepted: 2 });
    expect(control.queriesOn(CPF, 'itau')).toBe(2);
  });

  test('and a person is counted by CPF and bank, whatever the reference', async () => {
    const { remote, control } = await operatorAndClient();
    await remote.submit(analysisOf(1), form, patient());
    await remote.submit(analysisOf(2), form, patient());
    await remote.submit(analysisOf(3, 'inter'), form, patient());
    expect(control.queriesOn('52998224725', 'itau')).toBe(2);
    expect(control.queriesOn(CPF, 'inter')).toBe(1);
    expect(control.queriesOn(CPF, 'brb')).toBe(0);
  });
});

describe('faults on order', () => {
  const unknowns = async (
    remote: Awaited<ReturnType<typeof operatorAndClient>>['remote'],
    banks: readonly Bank[],
    first = 0,
  ) =>
    Promise.all(
      banks.map(async (bank, index) => {
        const { kind } = await remote.submit(analysisOf(first + index, bank), form, patient());
        return kind === 'unknown';
      }),
    );

  test('strike one bank and spare the others', async () => {
    const { remote, control } = await operatorAndClient();
    control.fault({ kind: 'error_500', bank: 'itau' });
    expect(await unknowns(remote, ['itau', 'inter', 'itau', 'brb'])).toEqual([true, false, true, false]);
  });

  test('strike bank submissions or queries', async () => {
    const { remote, control } = await operatorAndClient();
    control.fault({ kind: 'error_500', operation: 'submit' });
    expect((await remote.submit(analysisOf(1), form, patient())).kind).toBe('unknown');
    expect((await remote.query(analysisOf(1), patient())).kind).toBe('absent');
  });

  test('are spent after so many calls, and the next order follows', async () => {
    const { remote, control } = await operatorAndClient();
    control.fault({ kind: 'error_500', times: 2 });
    control.fault({ kind: 'refused', times: 1 });
    const kinds: string[] = [];
    for (let id = 0; id < 4; id++) kinds.push((await remote.submit(analysisOf(id), form, patient())).kind);
    expect(kinds).toEqual(['unknown', 'unknown', 'refused', 'accepted']);
  });

  test('strike at a rate that repeats with the seed', async () => {
    const series: boolean[][] = [];
    for (const seed of [3, 3, 4]) {
      const { remote, control } = await operatorAndClient({ seed });
      control.fault({ kind: 'error_500', rate: 0.3 });
      const struck: boolean[] = [];
      for (let id = 0; id < 60; id++) struck.push(...(await unknowns(remote, ['itau'], id)));
      series.push(struck);
    }
    const [one, same, other] = series;
    expect(same).toEqual(one);
    expect(other).not.toEqual(one);
    const share = (one ?? []).filter(Boolean).length / 60;
    expect(share).toBeGreaterThan(0.1);
    expect(share).toBeLessThan(0.5);
  });

  test('leave a reference that was accepted before alone, where they would refuse it', async () => {
    const { remote, control } = await operatorAndClient();
    await remote.submit(analysisOf(1), form, patient());
    control.fault({ kind: 'refused' });
    expect((await remote.submit(analysisOf(1), form, patient())).kind).toBe('accepted');
  });
});

describe('outcomes', () => {
  const OUTCOMES: readonly (readonly [string, ...Situation[]])[] = [
    ['900.000.001-75', 'em_analise', 'aprovado', 'aprovado'],
    ['900.000.002-56', 'em_analise', 'condicionado', 'condicionado'],
    ['900.000.003-37', 'em_analise', 'recusado', 'recusado'],
    ['900.000.004-18', 'em_analise', 'cancelado', 'cancelado'],
    ['900.000.005-07', 'em_analise', 'erro', 'erro'],
    ['900.000.006-80', 'em_analise', 'em_analise', 'em_analise'],
    ['900.000.007-60', 'em_analise', 'em_analise', 'aprovado'],
    [CPF, 'em_analise', 'aprovado', 'aprovado'],
  ];

  test.each(OUTCOMES)('of %s follow the test CPFs: %s, after 10 s %s, after 5 min %s', async (cpf, ...expected) => {
    let now = 1_000_000;
    const { remote } = await operatorAndClient({ clock: () => now });
    await remote.submit(analysisOf(1), { ...form, cpf }, patient());
    const seen: (Situation | undefined)[] = [];
    for (const age of [9_999, 10_000, 300_000]) {
      now = 1_000_000 + age;
      const answer = await remote.query(analysisOf(1), patient());
      seen.push(answer.kind === 'known' ? readStatus(answer.rawStatus).situation : undefined);
    }
    expect(seen).toEqual(expected);
  });

  test('of 900.000.008-41 are a refused bank submission, without a query on the person', async () => {
    const { remote, control } = await operatorAndClient();
    const result = await remote.submit(analysisOf(1), { ...form, cpf: '90000000841' }, patient());
    expect(result).toMatchObject({ kind: 'refused', rawStatus: 'Falha no envio ao banco' });
    expect(control.state().accepted).toBe(0);
    expect((await remote.query(analysisOf(1), patient())).kind).toBe('absent');
  });

  test('come when the options say', async () => {
    let now = 0;
    const { remote } = await operatorAndClient({ clock: () => now, delayMs: 500 });
    await remote.submit(analysisOf(1), form, patient());
    now = 500;
    expect(await remote.query(analysisOf(1), patient())).toMatchObject({ rawStatus: 'Aprovado' });
  });

  test('can be set by hand, for a submission that is known', async () => {
    const { remote, control } = await operatorAndClient();
    await remote.submit(analysisOf(1), form, patient());
    expect(control.decide(referenceOf(analysisOf(1)), 'Crédito vencido')).toBe(true);
    expect(control.decide('producao-1-1', 'Aprovado')).toBe(false);
    expect(await remote.query(analysisOf(1), patient())).toMatchObject({ rawStatus: 'Crédito vencido' });
  });
});

describe('across restarts', () => {
  test('with a file every acceptance and every text set by hand is kept, and no personal data', async () => {
    const dbFile = temporaryFile();
    const first = await operatorAndClient({ dbFile });
    const before = await first.remote.submit(analysisOf(1), form, patient());
    await first.remote.submit(analysisOf(2, 'inter'), { ...form, cpf: '900.000.003-37' }, patient());
    first.control.decide(referenceOf(analysisOf(1)), 'Aprovado a menor');
    await first.operator.close();

    const lines = readFileSync(dbFile, 'utf8').trimEnd().split('\n');
    expect(lines.map((line) => Object.keys(JSON.parse(line)).sort())).toEqual([
      ['at', 'bank', 'outcome', 'queryNumber', 'reference'],
      ['at', 'bank', 'outcome', 'queryNumber', 'reference'],
      ['at', 'bank', 'decided', 'outcome', 'queryNumber', 'reference'],
    ]);
    for (const value of Object.values(form)) expect(lines.join('\n')).not.toContain(String(value));
    expect(lines.join('\n')).not.toMatch(/52998224725|900\.?000/);

    const second = await operatorAndClient({ dbFile, clock: () => Date.now() + 10_000 });
    const after = await second.remote.submit(analysisOf(1), form, patient());
    expect(after).toEqual({ ...before, rawStatus: 'Aprovado a menor' });
    expect(await second.remote.query(analysisOf(2, 'inter'), patient())).toMatchObject({ rawStatus: 'Reprovado' });
    expect(second.control.state()).toMatchObject({ accepted: 2 });
    expect(second.control.state().references[referenceOf(analysisOf(1))]?.accepted).toBe(1);
    const third = await second.remote.submit(analysisOf(3), form, patient());
    expect(third).toMatchObject({ queryNumber: 'IT-3' });
  });

  test('a line torn by a kill is left out, and the next is whole', async () => {
    const dbFile = temporaryFile();
    const first = await operatorAndClient({ dbFile });
    await first.remote.submit(analysisOf(1), form, patient());
    await first.operator.close();
    appendFileSync(dbFile, '{"reference":"producao-12-2","ba');

    const second = await operatorAndClient({ dbFile });
    expect((await second.remote.query(analysisOf(2), patient())).kind).toBe('absent');
    expect((await second.remote.submit(analysisOf(2), form, patient())).kind).toBe('accepted');
    await second.operator.close();

    const third = await operatorAndClient({ dbFile });
    for (const id of [1, 2]) expect((await third.remote.query(analysisOf(id), patient())).kind).toBe('known');
    expect(third.control.state().accepted).toBe(2);
  });
});

describe('what the stand-in answers is what the contract documents', () => {
  test.each([
    ['submit', 201, 'PUT', '/submissions/producao-12-77', { bank: 'brb', form }, undefined],
    ['submit', 200, 'PUT', '/submissions/producao-12-1', { bank: 'itau', form }, undefined],
    ['submit', 409, 'PUT', '/submissions/producao-12-1', { bank: 'brb', form }, undefined],
    ['submit', 400, 'PUT', '/submissions/producao-12-2', '{', undefined],
    ['submit', 400, 'PUT', '/submissions/producao-12-2', { bank: 'banco do povo', form }, undefined],
    ['submit', 413, 'PUT', '/submissions/producao-12-2', 'x'.repeat(65_537), undefined],
    ['submit', 422, 'PUT', '/submissions/producao-12-2', { bank: 'brb', form: { cpf: '90000000841' } }, undefined],
    ['submit', 500, 'PUT', '/submissions/producao-12-2', { bank: 'brb', form }, 'error_500'],
    ['submit', 401, 'PUT', '/submissions/producao-12-2', { bank: 'brb', form }, 'unauthorized'],
    ['querySubmission', 200, 'GET', '/submissions/producao-12-1', undefined, undefined],
    ['querySubmission', 404, 'GET', '/submissions/producao-12-2', undefined, undefined],
    ['querySubmission', 500, 'GET', '/submissions/producao-12-1', undefined, 'error_500'],
    ['queryByNumber', 200, 'GET', '/queries/IT-1', undefined, undefined],
    ['queryByNumber', 200, 'GET', '/queries/IT-1', undefined, 'unknown_status'],
    ['queryByNumber', 404, 'GET', '/queries/IT-2', undefined, undefined],
  ] as const)('%s: %i', async (operation, status, method, path, body, fault) => {
    const { operator, remote, control } = await operatorAndClient();
    await remote.submit(analysisOf(1), form, patient());
    if (fault) control.fault({ kind: fault });
    const response = await call(operator.url, method, path, body);
    expect(response.status).toBe(status);
    expect(response.headers.get('x-request-id')).toBe('attempt-1');
    const parsed = (await operatorContract()).response(operation, status).safeParse(await response.json());
    expect(parsed.error).toBeUndefined();
  });

  test('a wrong token opens nothing, neither the operator nor its control', async () => {
    const { operator, control } = await operatorAndClient();
    for (const [method, path] of [
      ['PUT', '/submissions/producao-12-1'],
      ['GET', '/submissions/producao-12-1'],
      ['GET', '/queries/IT-1'],
      ['GET', '/control/state'],
      ['POST', '/control/faults'],
    ] as const) {
      const response = await call(
        operator.url,
        method,
        path,
        method === 'GET' ? undefined : { bank: 'itau', form },
        'no',
      );
      expect(response.status).toBe(401);
      expect((await operatorContract()).schema('Problem').safeParse(await response.json()).success).toBe(true);
    }
    expect(control.state()).toMatchObject({ received: 0, accepted: 0 });
  });

  test.each([
    ['GET', '/'],
    ['GET', '/submissions'],
    ['GET', '/submissions/'],
    ['POST', '/submissions/producao-12-1'],
    ['PUT', '/submissions/not-a-reference'],
    ['PUT', '/submissions/producao-12-1/more'],
    ['GET', '/queries/%E0%A4%A'],
    ['GET', '/control/other'],
    ['PUT', '/control/status'],
  ])('%s %s is a 404', async (method, path) => {
    const { operator } = await operatorAndClient();
    const response = await call(operator.url, method, path, method === 'GET' ? undefined : { bank: 'itau', form });
    expect(response.status).toBe(404);
  });
});

describe('control over HTTP', () => {
  test('orders faults, drops them, tells the counts and sets a text', async () => {
    const { operator, remote } = await operatorAndClient();
    const order: OperatorFaultOrder = { kind: 'lost_answer', bank: 'itau', times: 5 };
    expect((await call(operator.url, 'POST', '/control/faults', order)).status).toBe(200);
    expect((await remote.submit(analysisOf(1), form, patient())).kind).toBe('unknown');
    expect((await call(operator.url, 'DELETE', '/control/faults')).status).toBe(200);
    expect((await remote.submit(analysisOf(1), form, patient())).kind).toBe('accepted');

    const path = `/control/status/${referenceOf(analysisOf(1))}`;
    expect((await call(operator.url, 'PUT', path, { status: 'Reprovado' })).status).toBe(200);
    expect((await call(operator.url, 'PUT', '/control/status/producao-1-1', { status: 'Reprovado' })).status).toBe(404);
    expect(await remote.query(analysisOf(1), patient())).toMatchObject({ rawStatus: 'Reprovado' });

    const state = (await (await call(operator.url, 'GET', '/control/state')).json()) as OperatorState;
    expect(state).toMatchObject({
      received: 2,
      accepted: 1,
      calls: { submit: 2, query: 1 },
      references: { [referenceOf(analysisOf(1))]: { bank: 'itau', received: 2, accepted: 1 } },
    });
  });

  test.each([
    ['POST', '/control/faults', { kind: 'flood' }],
    ['POST', '/control/faults', { kind: 'slow', times: 0 }],
    ['POST', '/control/faults', { kind: 'slow', rate: 2 }],
    ['POST', '/control/faults', '{'],
    ['PUT', '/control/status/producao-12-1', {}],
  ] as const)('refuses %s %s %j', async (method, path, body) => {
    const { operator } = await operatorAndClient();
    expect((await call(operator.url, method, path, body)).status).toBe(400);
  });
});

test('calls one after the other use one connection', async () => {
  const { remote, control } = await operatorAndClient();
  for (let id = 0; id < 30; id++) await remote.submit(analysisOf(id), form, patient());
  expect(control.state()).toMatchObject({ accepted: 30, connections: 1 });
});

test('an answer above the client’s limit is cut off and told as such', async () => {
  const { remote, observed, control } = await operatorAndClient();
  control.fault({ kind: 'huge_body' });
  expect(await remote.submit(analysisOf(1), form, patient())).toMatchObject({ kind: 'unknown' });
  expect(observed[0]?.fault).toBe('too_large');
});

test('answers take as long as the options say', async () => {
  const { remote } = await operatorAndClient({ answerMs: 60_000 }, { totalTimeout: 50 });
  expect(await remote.submit(analysisOf(1), form, patient())).toMatchObject({ kind: 'unknown' });
});

test('a closed operator leaves no timer behind', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  closing.push(() => vi.useRealTimers());
  const { operator, remote, control } = await operatorAndClient();
  control.fault({ kind: 'slow', delayMs: 600_000 });
  const pending = remote.submit(analysisOf(1), form, patient());
  while (vi.getTimerCount() < 2) await new Promise((resolve) => setImmediate(resolve));
  await operator.close();
  expect(await pending).toMatchObject({ kind: 'unknown' });
  while (vi.getTimerCount() > 0) await new Promise((resolve) => setImmediate(resolve));
});

test('the operator closes while answers are still due', async () => {
  const { operator, remote, control } = await operatorAndClient();
  control.fault({ kind: 'slow', delayMs: 600_000 });
  const pending = remote.submit(analysisOf(1), form, patient());
  await expect.poll(() => control.state().accepted).toBe(1);
  await operator.close();
  expect(await pending).toMatchObject({ kind: 'unknown' });
});

test('a port that is taken is an error at the start', async () => {
  const { operator } = await operatorAndClient();
  await expect(startOperator({ token: TOKEN, port: Number(new URL(operator.url).port) })).rejects.toThrow('is in use');
});
