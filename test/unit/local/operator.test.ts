import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { OPERATOR_FAULTS, type OperatorFaultKind } from '#infra/local/operator/faults.ts';
import { type StandInOptions, startOperator } from '#infra/local/operator/operator.ts';
import type { Bank } from '#shared/domain/values/bank.ts';
import type { AnalysisId, UnitId } from '#shared/domain/values/ids.ts';
import { HttpOperatorApi } from '#shared/operator/operator-api.ts';
import { makeAnalysis } from '#test/makers/analysis.ts';
import { operatorContract } from '../operator/openapi-document.ts';

const TOKEN = 'local-token';
const CPF = '529.982.247-25';
const form = { nome: 'Maria Exemplo', cpf: CPF, email: 'maria@example.com', renda: 12_345.67 };
const patient = () => new AbortController().signal;

const referenceOf = (id: number) => `producao-12-${id}`;

/**
 * Returns the service's client: it submits the analysis `id` to a bank, and asks about it by reference or by number.
 */
function clientOf(url: string) {
  const client = new HttpOperatorApi({ url, token: async () => TOKEN });
  onTestFinished(() => client.close());
  const analysisOf = (id: number, bank: Bank, queryNumber = '') =>
    makeAnalysis({ unitId: 12 as UnitId, id: id as AnalysisId, bank, queryNumber });
  return {
    submit: (id = 1, bank: Bank = 'itau', cpf = CPF, signal = patient()) =>
      client.submit(analysisOf(id, bank), { ...form, cpf }, signal),
    query: (id = 1, bank: Bank = 'itau', queryNumber = '') =>
      client.query(analysisOf(id, bank, queryNumber), patient()),
  };
}

/** Starts the stand-in. Returns it with a client. */
async function startStandIn(options: Partial<StandInOptions> = {}) {
  const operator = await startOperator({ token: TOKEN, ...options });
  onTestFinished(() => operator.close());
  return { operator, control: operator.control, ...clientOf(operator.url) };
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
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'operator.jsonl');
}

/** By fault: the result of the bank submission, and the number of credit queries that it makes. */
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

test.each(OPERATOR_FAULTS)(
  'after a bank submission with the fault %s, sending again makes one credit query in all',
  async (kind) => {
    const [expected, queries] = HAND_OVERS[kind];
    const { submit, query, control } = await startStandIn();
    control.fault({ kind, times: 1, delayMs: 5 });
    const stop = new AbortController();
    const faulty = submit(1, 'itau', CPF, stop.signal);
    // A stalled answer never ends, so the caller gives up once the operator has the analysis.
    if (kind === 'stalled') await expect.poll(() => control.state().accepted).toBe(1);
    if (kind === 'stalled') stop.abort();
    expect((await faulty).kind).toBe(expected);
    expect(control.state().references[referenceOf(1)]).toEqual({ bank: 'itau', received: 1, accepted: queries });
    expect((await query()).kind).toBe(queries === 0 ? 'absent' : 'known');

    expect(await submit()).toMatchObject({ kind: 'accepted', queryNumber: 'IT-1' });
    expect(await query()).toMatchObject({ kind: 'known', queryNumber: 'IT-1' });
    expect(control.state()).toMatchObject({ received: 2, accepted: 1 });
    expect(control.queriesOn(CPF, 'itau')).toBe(1);
  },
);

test('a file keeps accepted submissions and texts set by hand across restarts, without personal data', async () => {
  const dbFile = temporaryFile();
  const first = await startStandIn({ dbFile });
  const before = await first.submit();
  await first.submit(2, 'inter', '900.000.003-37');
  expect(first.control.decide(referenceOf(1), 'Aprovado a menor')).toBe(true);
  expect(first.control.decide(referenceOf(9), 'Aprovado a menor')).toBe(false);
  await first.operator.close();

  const lines = readFileSync(dbFile, 'utf8').trimEnd().split('\n');
  const accepted = ['at', 'bank', 'outcome', 'queryNumber', 'reference'];
  const decided = [...accepted, 'decided'].sort();
  expect(lines.map((line) => Object.keys(JSON.parse(line)).sort())).toEqual([accepted, accepted, decided]);
  for (const value of Object.values(form)) expect(lines.join('\n')).not.toContain(String(value));
  expect(lines.join('\n')).not.toMatch(/52998224725|900\.?000/);

  const second = await startStandIn({ dbFile, clock: () => Date.now() + 10_000 });
  expect(await second.submit()).toEqual({ ...before, rawStatus: 'Aprovado a menor' });
  expect(await second.query(2, 'inter')).toMatchObject({ rawStatus: 'Reprovado' });
  expect(second.control.state()).toMatchObject({ accepted: 2 });
  expect(second.control.state().references[referenceOf(1)]?.accepted).toBe(1);
  expect(await second.submit(3)).toMatchObject({ queryNumber: 'IT-3' });
});

describe('startOperator', () => {
  const SUBMITTED = '/submissions/producao-12-1';
  const OTHER = '/submissions/producao-12-2';
  const itau = { bank: 'itau', form };
  const brb = { bank: 'brb', form };

  test.each([
    ['submit', 201, 'PUT', OTHER, brb],
    ['submit', 200, 'PUT', SUBMITTED, itau],
    ['submit', 409, 'PUT', SUBMITTED, brb],
    ['submit', 400, 'PUT', OTHER, '{'],
    ['submit', 400, 'PUT', OTHER, { bank: 'banco do povo', form }],
    ['submit', 413, 'PUT', OTHER, 'x'.repeat(65_537)],
    ['submit', 422, 'PUT', OTHER, { bank: 'brb', form: { cpf: '90000000841' } }],
    ['submit', 500, 'PUT', OTHER, brb, 'error_500'],
    ['submit', 401, 'PUT', OTHER, brb, 'unauthorized'],
    ['querySubmission', 200, 'GET', SUBMITTED],
    ['querySubmission', 404, 'GET', OTHER],
    ['querySubmission', 500, 'GET', SUBMITTED, undefined, 'error_500'],
    ['queryByNumber', 200, 'GET', '/queries/IT-1'],
    ['queryByNumber', 200, 'GET', '/queries/IT-1', undefined, 'unknown_status'],
    ['queryByNumber', 404, 'GET', '/queries/IT-2'],
  ] as [string, number, string, string, (string | object)?, OperatorFaultKind?][])(
    'the stand-in answers %s with %i as the contract documents',
    async (operation, status, method, path, body, fault) => {
      const { operator, submit, control } = await startStandIn();
      await submit();
      if (fault) control.fault({ kind: fault });
      const response = await call(operator.url, method, path, body);
      expect(response.status).toBe(status);
      expect(response.headers.get('x-request-id')).toBe('attempt-1');
      const parsed = (await operatorContract()).response(operation, status).safeParse(await response.json());
      expect(parsed.error).toBeUndefined();
    },
  );

  test.each([
    ['PUT', SUBMITTED, itau],
    ['GET', SUBMITTED],
    ['GET', '/queries/IT-1'],
    ['GET', '/control/state'],
    ['POST', '/control/faults', { kind: 'slow' }],
  ] as [string, string, object?][])('the stand-in refuses a wrong token at %s %s', async (method, path, body) => {
    const { operator, control } = await startStandIn();
    const response = await call(operator.url, method, path, body, 'no');
    expect(response.status).toBe(401);
    expect((await operatorContract()).schema('Problem').safeParse(await response.json()).success).toBe(true);
    expect(control.state()).toMatchObject({ received: 0, accepted: 0 });
  });
});
