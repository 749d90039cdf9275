import type http from 'node:http';
import { gzipSync } from 'node:zlib';
import { createConfig, lint } from '@redocly/openapi-core';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Analysis } from '#shared/domain/analyses/analysis.ts';
import { BANKS } from '#shared/domain/values/bank.ts';
import type { AnalysisId, UnitId } from '#shared/domain/values/ids.ts';
import { ENVIRONMENTS, type Environment } from '#shared/domain/values/tenancy.ts';
import {
  HttpOperatorApi,
  type HttpOperatorOptions,
  type OperatorObservation,
  operatorReference,
  readOutcomes,
} from '#shared/operator/operator-api.ts';
import { makeAnalysis } from '#test/makers/analysis.ts';
import { startPlainReceiver, startRawReceiver } from '#test/makers/receiver.ts';
import { OPERATOR_CONTRACT, operatorContract } from './openapi-document.ts';

const CPF = '52998224725';
const form = { nome: 'Maria Exemplo', cpf: CPF, renda: 12_000.5, combina: true };
const analysis = makeAnalysis({ unitId: 12 as UnitId, queryNumber: '', rawStatus: '' });
const numbered = { ...analysis, queryNumber: 'IT-123' };
const reference = 'producao-12-9001';
const submission = { reference, bank: 'itau', queryNumber: 'IT-123', status: 'Em análise' };
const refusal = { reference, code: 'refused', message: 'no', status: 'Falha no envio' };
const neverReceived = { reference, code: 'never_received', message: '' };
const patient = () => new AbortController().signal;

// No time limit ends by itself, however slow the machine is.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

function clientOf(url: string, options: Partial<HttpOperatorOptions> = {}) {
  const observed: OperatorObservation[] = [];
  const operator = new HttpOperatorApi({
    url,
    token: async () => 'secret-token',
    observe: (observation) => observed.push(observation),
    ...options,
  });
  onTestFinished(() => operator.close());
  return {
    observed,
    submit: (signal = patient()) => operator.submit(analysis, form, signal),
    query: (subject = numbered, signal = patient()) => operator.query(subject, signal),
    ask: (of: readonly Analysis[], signal = patient()) => operator.queryBatch!(of, signal),
  };
}

/** Returns a client of an operator that answers with `respond`, and the requests that the operator has seen. */
async function operatorOf(
  respond: http.RequestListener,
  options: Partial<HttpOperatorOptions> & { readonly path?: string } = {},
) {
  const seen: Pick<http.IncomingMessage, 'method' | 'url' | 'headers'>[] = [];
  const bodies: string[] = [];
  const server = await startPlainReceiver(async (request, response) => {
    bodies.push((await request.toArray()).join(''));
    const { method, url, headers } = request;
    seen.push({ method, url, headers });
    respond(request, response);
  });
  onTestFinished(() => server.stop());
  const url = `http://127.0.0.1:${server.port}`;
  return { ...clientOf(url + (options.path ?? ''), options), url, seen, bodies, connections: server.connections };
}

const raw =
  (status: number, body: string | Buffer, headers: http.OutgoingHttpHeaders = {}): http.RequestListener =>
  (_, response) =>
    void response.writeHead(status, headers).end(body);
const json = (status: number, body: unknown) => raw(status, JSON.stringify(body));

describe('operatorReference', () => {
  const of = (one: { unit: number; environment: Environment; analysis: number }) =>
    operatorReference({ unitId: one.unit as UnitId, environment: one.environment }, one.analysis as AnalysisId);
  const owned = (id: fc.Arbitrary<number>) =>
    fc.record({ unit: id, environment: fc.constantFrom(...ENVIRONMENTS), analysis: id });
  const any = owned(fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }));

  test('no two analyses have the same reference', () => {
    const close = owned(fc.constantFrom(0, 1, 11, 111, 12, 2, 21, 1_112));
    fc.assert(
      fc.property(fc.oneof(fc.tuple(close, close), fc.tuple(any, any)), ([one, other]) => {
        expect(of(one) === of(other)).toBe(
          one.unit === other.unit && one.environment === other.environment && one.analysis === other.analysis,
        );
      }),
      { numRuns: 5_000 },
    );
  });

  test('the contract allows the reference of every analysis', async () => {
    const schema = (await operatorContract()).schema('Reference');
    fc.assert(fc.property(any, (one) => void expect(schema.safeParse(of(one)).success).toBe(true)));
  });
});

describe('calls to the operator', () => {
  test('a bank submission is one PUT by reference that fits the contract', async () => {
    const options = { path: '/base/', requestId: () => 'attempt-1' };
    const { submit, seen, bodies } = await operatorOf(json(201, submission), options);
    await submit();
    const headers = {
      authorization: 'Bearer secret-token',
      'x-request-id': 'attempt-1',
      'content-type': 'application/json',
      accept: 'application/json',
    };
    expect(seen).toMatchObject([{ method: 'PUT', url: `/base/submissions/${reference}`, headers }]);
    const body = JSON.parse(bodies[0]!);
    expect(body).toEqual({ bank: 'itau', form });
    expect((await operatorContract()).request('submit').safeParse(body).success).toBe(true);
  });

  test('a query asks by number, or by reference if there is no number or one with a mask', async () => {
    const { query, seen, bodies } = await operatorOf(json(200, submission));
    for (const queryNumber of ['IT-123', '', '2026/17:A', '***-7']) await query({ ...analysis, queryNumber });
    expect(seen.map(({ method, url }, call) => `${method} ${url} ${bodies[call]}`)).toEqual(
      ['queries/IT-123', `submissions/${reference}`, 'queries/2026%2F17%3AA', `submissions/${reference}`].map(
        (path) => `GET /${path} `,
      ),
    );
  });

  test('every call has a request id of its own and reads the token again, so a rotated token is used at once', async () => {
    const tokens = ['old', 'new', 'newest'];
    const { query, seen } = await operatorOf(json(200, submission), { token: async () => tokens.shift()! });
    for (let call = 0; call < 3; call++) await query();
    expect(seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer old', 'Bearer new', 'Bearer newest']);
    const ids = seen.map(({ headers }) => headers['x-request-id']);
    expect(new Set(ids).size).toBe(3);
    const schema = (await operatorContract()).schema('RequestId');
    for (const id of ids) expect(schema.safeParse(id).success).toBe(true);
  });
});

describe('trusted answers', () => {
  const ACCEPTED = { kind: 'accepted', queryNumber: 'IT-123', rawStatus: 'Em análise' };
  const KNOWN = { ...ACCEPTED, kind: 'known' };
  const REFUSED = { kind: 'refused', rawStatus: 'Falha no envio' };

  // The operator's own message may name a person, so no outcome contains it.
  test.each([
    [200, submission, ACCEPTED],
    [201, { ...submission, status: '', more: 1 }, { ...ACCEPTED, rawStatus: '' }],
    [422, refusal, { ...REFUSED, reason: 'other' }],
    [400, { ...refusal, code: 'form_invalid' }, { ...REFUSED, reason: 'form_invalid' }],
    [422, { ...refusal, code: 'bank_not_served' }, { ...REFUSED, reason: 'bank_not_served' }],
  ])('the answer %i to a bank submission is trusted: %j', async (status, body, expected) => {
    const { submit, observed } = await operatorOf(json(status, body));
    expect(await submit()).toEqual(expected);
    expect(observed).toMatchObject([{ operation: 'submit', outcome: expected.kind, fault: undefined }]);
  });

  test.each([
    ['asked by number', numbered, json(200, submission), KNOWN],
    ['asked by reference', analysis, json(200, submission), KNOWN],
    ['that was never received', analysis, json(404, neverReceived), { kind: 'absent' }],
    ['with exactly 64 KB', numbered, raw(200, bodyOf(64 * 1024)), KNOWN],
  ])('the answer to a query %s is trusted', async (_, subject, respond, expected) => {
    const { query, observed } = await operatorOf(respond);
    expect(await query(subject)).toEqual(expected);
    expect(observed).toMatchObject([{ operation: 'query', outcome: expected.kind, fault: undefined }]);
  });
});

/** Returns the body of a valid answer with this number of bytes. */
function bodyOf(bytes: number): string {
  const body = (filler: string) => JSON.stringify({ ...submission, filler });
  return body('x'.repeat(bytes - Buffer.byteLength(body(''))));
}
const cutShort: http.RequestListener = (_, response) => {
  const body = JSON.stringify(submission);
  response.writeHead(200, { 'content-length': body.length + 10 }).write(body, () => response.destroy());
};

test.each<[string, OperatorObservation['fault'], http.RequestListener]>([
  ['500', 'failing', json(500, submission)],
  ['202', 'status', json(202, submission)],
  ['409', 'status', json(409, { code: 'reference_taken', message: '' })],
  ['a redirect', 'status', raw(307, '', { location: '/elsewhere' })],
  ['401', 'unauthorized', json(401, refusal)],
  ['an empty body', 'garbage', raw(200, '')],
  ['two texts', 'garbage', raw(200, JSON.stringify(submission).replace('{', '{"status":"Reprovado",'))],
  ['no status', 'garbage', json(200, { ...submission, status: undefined })],
  ['a status that is no text', 'garbage', json(200, { ...submission, status: 1 })],
  ['a status above 200 characters', 'garbage', json(200, { ...submission, status: 'a'.repeat(201) })],
  ['no query number', 'garbage', json(200, { ...submission, queryNumber: '' })],
  ['a query number that is a path', 'garbage', json(200, { ...submission, queryNumber: '../x' })],
  ['a bank that is none', 'garbage', json(200, { ...submission, bank: 'banco do povo' })],
  ['another bank', 'mismatch', json(200, { ...submission, bank: 'inter' })],
  ['another reference', 'mismatch', json(200, { ...submission, reference: 'producao-12-9002' })],
  ['bytes that are no UTF-8', 'garbage', raw(200, Buffer.from(JSON.stringify(submission), 'latin1'))],
  ['a compressed body', 'garbage', raw(200, gzipSync(JSON.stringify(submission)), { 'content-encoding': 'gzip' })],
  ['one byte above 64 KB', 'too_large', raw(200, bodyOf(64 * 1024 + 1))],
  ['a body cut short', 'connection', cutShort],
  ['a reset connection', 'connection', (request) => void request.socket.resetAndDestroy()],
  ['bytes that are no HTTP', 'connection', (request) => void request.socket.end('hello\r\n\r\n')],
])('%s counts as no usable answer to a submission and to a query, each sent once', async (_, fault, respond) => {
  const isOfBank = fault === 'failing' || fault === 'unauthorized' || fault === 'connection';
  const outcome = isOfBank ? 'failed' : 'unanswerable';
  const { submit, query, observed, seen } = await operatorOf(respond);
  expect(await submit()).toMatchObject({ kind: 'unknown' });
  expect(await query()).toEqual({ kind: outcome });
  expect(await query(analysis)).toEqual({ kind: outcome });
  expect(observed).toMatchObject([
    { bank: 'itau', operation: 'submit', outcome: 'unknown', fault },
    { bank: 'itau', operation: 'query', outcome, fault },
    { fault },
  ]);
  expect(seen).toHaveLength(3);
});

test.each([
  ['a refusal of another reference', 'mismatch', json(422, { ...refusal, reference: 'producao-1-1' })],
  ['a refusal without a reference', 'garbage', json(422, { code: 'refused', message: '', status: '' })],
  ['a 400 of a proxy', 'garbage', raw(400, 'Bad Request')],
  ['a 404', 'status', json(404, neverReceived)],
])(
  'a bank submission that is answered with %s is unknown, since only documented answers are final',
  async (_, fault, respond) => {
    const { submit, observed } = await operatorOf(respond);
    expect(await submit()).toMatchObject({ kind: 'unknown' });
    expect(observed[0]?.fault).toBe(fault);
  },
);

test.each([
  ['a 404 that is HTML', analysis, 'garbage', raw(404, '<html>')],
  ['a 404 of another kind', analysis, 'garbage', json(404, { ...neverReceived, code: 'not_found' })],
  ['a 404 of another reference', analysis, 'mismatch', json(404, { ...neverReceived, reference: 'producao-1-1' })],
  ['a 404 by number', numbered, 'status', json(404, neverReceived)],
  ['another query number', numbered, 'mismatch', json(200, { ...submission, queryNumber: 'IT-124' })],
  ['a refusal', analysis, 'status', json(422, refusal)],
])(
  'a query that is answered with %s is unanswerable, since only documented answers are final',
  async (_, subject, fault, respond) => {
    const { query, observed } = await operatorOf(respond);
    expect(await query(subject)).toEqual({ kind: 'unanswerable' });
    expect(observed[0]?.fault).toBe(fault);
  },
);

describe('the time limit of a call', () => {
  const never = () => new Promise<never>(() => {});

  test('a call whose token does not come in time ends as timeout, and nothing is sent when it comes', async () => {
    const late = Promise.withResolvers<string>();
    const options = { totalTimeout: 20, token: () => late.promise };
    const { submit, observed, url, seen, connections } = await operatorOf(json(200, submission), options);
    const call = submit();
    vi.advanceTimersByTime(20);
    expect(await call).toMatchObject({ kind: 'unknown' });
    expect(observed[0]?.fault).toBe('timeout');
    late.resolve('late');
    await late.promise;
    await clientOf(url).query();
    expect(seen.map(({ method }) => method)).toEqual(['GET']);
    expect(connections()).toBe(1);
  });

  test('by default a call has 10 s, and the 3 s for the connection do not end an open connection', async () => {
    const arrived = Promise.withResolvers<void>();
    const { submit, observed } = await operatorOf(() => arrived.resolve());
    const ended = vi.fn();
    const call = submit().finally(ended);
    await arrived.promise;
    vi.advanceTimersByTime(9_999);
    await new Promise((resolve) => setImmediate(resolve));
    expect(ended).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(await call).toMatchObject({ kind: 'unknown' });
    expect(observed[0]?.fault).toBe('timeout');
    expect(vi.getTimerCount()).toBe(0);
  });

  test('by default a connection that does not open ends after 3 s, and leaves the bank submission in doubt', async () => {
    const arrived = Promise.withResolvers<void>();
    // Accepts the connection, and never answers the handshake of TLS.
    const server = await startRawReceiver(() => arrived.resolve());
    onTestFinished(() => server.stop());
    const { submit, observed } = clientOf(`https://127.0.0.1:${server.port}`);
    const ended = vi.fn();
    const call = submit().finally(ended);
    await arrived.promise;
    vi.advanceTimersByTime(2_999);
    await new Promise((resolve) => setImmediate(resolve));
    expect(ended).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    await new Promise((resolve) => setImmediate(resolve));
    expect(ended).toHaveBeenCalled();
    expect(await call).toMatchObject({ kind: 'unknown' });
    expect(observed).toHaveLength(1);
    expect(observed[0]?.fault).toBe('timeout');
    expect(vi.getTimerCount()).toBe(0);
  });

  test.each([
    ['', async () => 'secret-token'],
    [', also if the token never comes', never],
  ])('a call whose signal is aborted already sends nothing%s', async (_, token) => {
    const { submit, query, observed, connections } = await operatorOf(json(200, submission), { token });
    expect(await submit(AbortSignal.abort())).toMatchObject({ kind: 'unknown' });
    expect(await query(numbered, AbortSignal.abort())).toEqual({ kind: 'failed' });
    expect(observed.map(({ fault }) => fault)).toEqual(['aborted', 'aborted']);
    expect(connections()).toBe(0);
  });
});

const fail = () => {
  throw new Error('no secret');
};

test.each([
  ['fails', 'token', async () => fail()],
  ['throws at once', 'token', fail],
  ['fits no header', 'connection', async () => 'a\r\nb: c'],
])('a token that %s leaves the bank submission in doubt, and nothing is sent', async (_, fault, token) => {
  const { submit, observed, connections } = await operatorOf(json(200, submission), { token });
  expect(await submit()).toMatchObject({ kind: 'unknown' });
  expect(observed[0]?.fault).toBe(fault);
  expect(connections()).toBe(0);
});

test('the client opens at most 120 connections at once', async () => {
  const waiting: http.ServerResponse[] = [];
  // No connection is closed while the calls run, so all that were opened were open at the same time.
  const { query, connections } = await operatorOf((request, response) => {
    waiting.push(response);
    if (waiting.length === 20) for (const held of waiting.splice(0)) json(200, submission)(request, held as never);
  });
  const answers = await Promise.all(Array.from({ length: 180 }, () => query()));
  expect(answers.every(({ kind }) => kind === 'known')).toBe(true);
  expect(connections()).toBe(120);
});

test('an observation has bank, operation, outcome, time and request id, and nothing of the person', async () => {
  let now = 1_000;
  const respond: http.RequestListener = (request, response) => {
    now += 70;
    json(201, submission)(request, response);
  };
  const { submit, observed } = await operatorOf(respond, { clock: () => now, requestId: () => 'attempt-7' });
  await submit();
  const entry = { bank: 'itau', operation: 'submit', outcome: 'accepted', fault: undefined };
  expect(observed).toEqual([{ ...entry, milliseconds: 70, requestId: 'attempt-7' }]);
});

test('a call keeps its outcome if the observer throws', async () => {
  const { submit } = await operatorOf(json(201, submission), { observe: fail });
  expect(await submit()).toMatchObject({ kind: 'accepted' });
});

describe('queryBatch', () => {
  const referenceOf = (one: Analysis) => operatorReference(one, one.id);
  const analysesOf = (count: number) =>
    Array.from({ length: count }, (_, index) =>
      makeAnalysis({ id: (index + 1) as AnalysisId, queryNumber: `IT-${index + 1}` }),
    );
  const submissionOf = (one: Analysis) => {
    return { reference: referenceOf(one), bank: one.bank, queryNumber: one.queryNumber, status: 'Em análise' };
  };
  const known = ({ queryNumber }: Analysis) => ({ kind: 'known', queryNumber, rawStatus: 'Em análise' });
  const ODD = { kind: 'unanswerable' };

  test('a batch is one call that fits the contract, and its statuses come in the order asked', async () => {
    const all = analysesOf(100);
    const answer = { submissions: all.map(submissionOf).reverse() };
    const { ask, observed, seen, bodies } = await operatorOf(json(200, answer));
    expect(await ask(all)).toEqual(all.map(known));
    const body = { bank: 'itau', references: all.map(referenceOf) };
    const headers = { authorization: 'Bearer secret-token' };
    expect(seen).toMatchObject([{ method: 'POST', url: '/situacoes', headers }]);
    expect(JSON.parse(bodies[0]!)).toEqual(body);
    expect((await operatorContract()).schema('BatchQuery').parse(body)).toEqual(body);
    expect(observed).toMatchObject([{ operation: 'query_batch', bank: 'itau', outcome: 'answered', fault: undefined }]);
  });

  test('a batch leaves an analysis without an answer unless exactly one entry fits it', async () => {
    const all = analysesOf(9);
    const told = all.map(submissionOf);
    const answer = {
      submissions: [
        told[0],
        // Analysis 1 is left out; 2 comes twice; 3 is of another bank; 4 has another number; 5 has a text that is too
        // long.
        told[2],
        { ...told[2], status: 'Aprovado' },
        { ...told[3], bank: 'brb' },
        { ...told[4], queryNumber: 'IT-99' },
        { ...told[5], status: 'a'.repeat(201) },
        null,
        { ...told[6], reference: 'producao-1-1' },
        // An entry that does not fit does not spoil one that does.
        { ...told[7], bank: 'brb' },
        told[7],
        told[8],
        { ...told[8], reference: 'producao-1-2' },
      ],
    };
    const { ask } = await operatorOf(json(200, answer));
    expect(await ask(all)).toEqual(all.map((one, index) => ([0, 7, 8].includes(index) ? known(one) : ODD)));
  });

  const whole = JSON.stringify({ submissions: analysesOf(2).map(submissionOf) });
  test.each([
    [404, '{}', 'unanswerable'],
    [501, '{}', 'unanswerable'],
    [202, whole, 'unanswerable'],
    [500, whole, 'failed'],
    [200, '<html>', 'unanswerable'],
    [200, '{"submissions":1}', 'unanswerable'],
    [200, JSON.stringify({ submissions: [], filler: 'x'.repeat(1024 * 1024) }), 'unanswerable'],
  ])('a batch that is answered with %i %.20s is %s', async (status, body, outcome) => {
    const { ask, observed } = await operatorOf(raw(status, body));
    expect(await ask(analysesOf(2))).toBe(outcome);
    expect(observed).toMatchObject([{ outcome }]);
  });
});

const told = { reference: 'producao-12-901943132160000', bank: 'itau', queryNumber: 'IT-123', status: 'Aprovado' };

test('readOutcomes reads an outcome with the unit and the analysis that its reference names', () => {
  const said = { bank: 'itau', queryNumber: 'IT-123', rawStatus: 'Aprovado' };
  expect(readOutcomes([told, { ...told, reference: 'sandbox-7-9', more: 1 }])).toEqual([
    { environment: 'producao', unitId: 12, id: 901943132160000, ...said },
    { environment: 'sandbox', unitId: 7, id: 9, ...said },
  ]);
});

test.each([
  ['no object', null],
  ['a reference without an analysis', { ...told, reference: 'producao-12' }],
  ['a reference of another environment', { ...told, reference: 'staging-1-2' }],
  // 9007199254740993 would be read as ...992, which is the id of another analysis.
  ['an id that is not exact as a number', { ...told, reference: 'producao-12-9007199254740993' }],
  ['an id with leading zeros', { ...told, reference: 'producao-012-7' }],
  ['a field that no answer may have', { ...told, queryNumber: ' IT-123' }],
])('readOutcomes returns undefined for an entry with %s, and reads the others', (_, broken) => {
  const [unread, read] = readOutcomes([broken, told]);
  expect(unread).toBeUndefined();
  expect(read).toMatchObject({ unitId: 12 });
});

test('the operator’s contract is a valid OpenAPI 3.1 document by the recommended rules', async () => {
  const problems = await lint({ ref: OPERATOR_CONTRACT, config: await createConfig({ extends: ['recommended'] }) });
  expect(problems.map(({ ruleId, message, location }) => ({ ruleId, message, at: location[0]?.pointer }))).toEqual([]);
});

test('the operator’s contract names the banks of the domain', async () => {
  const bank = (await operatorContract()).schema('Bank');
  expect(bank).toMatchObject({ options: BANKS });
});
