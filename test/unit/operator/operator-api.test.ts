import { getEventListeners, once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import net, { type AddressInfo } from 'node:net';
import tls from 'node:tls';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Analysis, AnalysisForm } from '../../../shared/domain/analyses/analysis.ts';
import type { AnalysisId, LeadId, PartnerId, SubmissionId, UnitId } from '../../../shared/domain/values/ids.ts';
import { ENVIRONMENTS, type Environment } from '../../../shared/domain/values/tenancy.ts';
import {
  type HttpOperatorApi,
  type HttpOperatorOptions,
  httpOperatorApi,
  type OperatorObservation,
  operatorReference,
} from '../../../shared/operator/operator-api.ts';
import { makeAuthority } from '../../makers/certificate.ts';
import { operatorContract } from './openapi-document.ts';

const CPF = '52998224725';
const form: AnalysisForm = { nome: 'Maria Exemplo', cpf: CPF, renda: 12_000.5, combina: true };
const analysis: Analysis = {
  unitId: 12 as UnitId,
  environment: 'producao',
  id: 9001 as AnalysisId,
  partnerId: 1 as PartnerId,
  leadId: 7001 as LeadId,
  bank: 'itau',
  submissionId: 5 as SubmissionId,
  situation: 'em_analise',
  queryNumber: '',
  rawStatus: '',
  sequence: 0,
  createdAt: 0,
};
const numbered = { ...analysis, queryNumber: 'IT-123' };
const reference = 'producao-12-9001';
const submission = { reference, bank: 'itau', queryNumber: 'IT-123', status: 'Em análise' };
const refusal = { reference, code: 'refused', message: 'no', status: 'Falha no envio' };
const patient = () => new AbortController().signal;

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

/** A server that answers as the test says, and what it has seen. */
async function serverOf(
  respond: (request: http.IncomingMessage, response: http.ServerResponse) => void,
  make: (listener: http.RequestListener) => http.Server = (listener) => http.createServer(listener),
) {
  const seen: Seen[] = [];
  let connections = 0;
  const server = make(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method, url, headers } = request;
    seen.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
    respond(request, response);
  });
  server.on('connection', () => {
    connections += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { seen, port, url: `http://127.0.0.1:${port}`, connections: () => connections };
}

function operatorTo(url: string, options: Partial<HttpOperatorOptions> = {}) {
  const observed: OperatorObservation[] = [];
  const operator: HttpOperatorApi = httpOperatorApi({
    url,
    token: async () => 'secret-token',
    observe: (observation) => observed.push(observation),
    ...options,
  });
  closing.push(() => operator.close());
  return { operator, observed };
}

function json(status: number, body: unknown) {
  return (_: http.IncomingMessage, response: http.ServerResponse) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
}

function raw(status: number, body: string | Buffer, headers: http.OutgoingHttpHeaders = {}) {
  return (_: http.IncomingMessage, response: http.ServerResponse) => {
    response.writeHead(status, headers).end(body);
  };
}

describe('the reference of an analysis', () => {
  const id = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
  const owned = fc.record({ unit: id, environment: fc.constantFrom(...ENVIRONMENTS), analysis: id });
  const of = (one: { unit: number; environment: Environment; analysis: number }) =>
    operatorReference({ unitId: one.unit as UnitId, environment: one.environment }, one.analysis as AnalysisId);

  test('is shared by no two analyses', () => {
    const digits = fc.constantFrom(0, 1, 11, 111, 12, 2, 21, 1_112);
    const close = fc.record({ unit: digits, environment: fc.constantFrom(...ENVIRONMENTS), analysis: digits });
    fc.assert(
      fc.property(fc.oneof(fc.tuple(close, close), fc.tuple(owned, owned)), ([one, other]) => {
        expect(of(one) === of(other)).toBe(
          one.unit === other.unit && one.environment === other.environment && one.analysis === other.analysis,
        );
      }),
      { numRuns: 5_000 },
    );
  });

  test('is one that the contract allows', async () => {
    const schema = (await operatorContract()).schema('Reference');
    fc.assert(
      fc.property(owned, (one) => {
        expect(schema.safeParse(of(one)).success).toBe(true);
      }),
    );
  });
});

describe('what goes to the operator', () => {
  test('a bank submission is one PUT by reference, as the contract writes it', async () => {
    const server = await serverOf(json(201, submission));
    const { operator } = operatorTo(`${server.url}/base/`, { requestId: () => 'attempt-1' });
    await operator.submit(analysis, form, patient());
    expect(server.seen).toHaveLength(1);
    const [call] = server.seen;
    expect(call).toMatchObject({ method: 'PUT', url: `/base/submissions/${reference}` });
    expect(call?.headers).toMatchObject({
      authorization: 'Bearer secret-token',
      'content-type': 'application/json',
      accept: 'application/json',
      'x-request-id': 'attempt-1',
    });
    expect(JSON.parse(call?.body ?? '')).toEqual({ bank: 'itau', form });
    expect((await operatorContract()).request('submit').safeParse(JSON.parse(call?.body ?? '')).success).toBe(true);
  });

  test('a query goes by number, and by reference where there is none', async () => {
    const server = await serverOf(json(200, submission));
    const { operator } = operatorTo(server.url);
    await operator.query(numbered, patient());
    await operator.query(analysis, patient());
    await operator.query({ ...analysis, queryNumber: '2026/17:A' }, patient());
    expect(server.seen.map(({ method, url, body }) => `${method} ${url} ${body}`)).toEqual([
      'GET /queries/IT-123 ',
      `GET /submissions/${reference} `,
      'GET /queries/2026%2F17%3AA ',
    ]);
  });

  test('every call has a request id of its own', async () => {
    const server = await serverOf(json(200, submission));
    const { operator } = operatorTo(server.url);
    for (let call = 0; call < 3; call++) await operator.query(numbered, patient());
    const ids = server.seen.map(({ headers }) => headers['x-request-id']);
    expect(new Set(ids).size).toBe(3);
    const schema = (await operatorContract()).schema('RequestId');
    for (const id of ids) expect(schema.safeParse(id).success).toBe(true);
  });

  test('the token is asked for at each call, so that a rotated one holds at once', async () => {
    const server = await serverOf(json(200, submission));
    const tokens = ['old', 'new'];
    const { operator } = operatorTo(server.url, { token: async () => tokens.shift() ?? 'none' });
    await operator.query(numbered, patient());
    await operator.query(numbered, patient());
    expect(server.seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer old', 'Bearer new']);
  });
});

describe('answers that are trusted', () => {
  test.each([
    [200, submission, { kind: 'accepted', queryNumber: 'IT-123', rawStatus: 'Em análise' }],
    [201, { ...submission, status: '', more: 1 }, { kind: 'accepted', queryNumber: 'IT-123', rawStatus: '' }],
    [422, refusal, { kind: 'refused', rawStatus: 'Falha no envio', reason: 'other' }],
    [400, { ...refusal, code: 'form_invalid' }, { kind: 'refused', reason: 'form_invalid' }],
    [422, { ...refusal, code: 'bank_not_served' }, { kind: 'refused', reason: 'bank_not_served' }],
  ] as const)('to a bank submission: %i %j', async (status, body, expected) => {
    const { operator, observed } = operatorTo((await serverOf(json(status, body))).url);
    expect(await operator.submit(analysis, form, patient())).toMatchObject(expected);
    expect(observed).toMatchObject([{ operation: 'submit', outcome: expected.kind, fault: undefined }]);
  });

  test.each([
    ['RECUSADO: CPF 529.982.247-25', 'RECUSADO: CPF …'],
    ['Aprovado, proposta 12345678901', 'Aprovado, proposta 12345678901'],
  ])('a bank’s text %s is kept as %s', async (status, kept) => {
    const { operator } = operatorTo((await serverOf(json(200, { ...submission, status }))).url);
    expect(await operator.query(numbered, patient())).toMatchObject({ kind: 'known', rawStatus: kept });
    expect(await operator.submit(analysis, form, patient())).toMatchObject({ kind: 'accepted', rawStatus: kept });
  });

  test('the operator’s own message never reaches the partner', async () => {
    const body = { ...refusal, message: `CPF ${CPF} has debts` };
    const { operator } = operatorTo((await serverOf(json(422, body))).url);
    expect(JSON.stringify(await operator.submit(analysis, form, patient()))).not.toContain(CPF);
  });

  test.each([
    ['by number', numbered, 200, submission, { kind: 'known', queryNumber: 'IT-123', rawStatus: 'Em análise' }],
    ['by reference', analysis, 200, submission, { kind: 'known', queryNumber: 'IT-123', rawStatus: 'Em análise' }],
    ['never received', analysis, 404, { reference, code: 'never_received', message: '' }, { kind: 'absent' }],
  ] as const)('to a query %s', async (_, subject, status, body, expected) => {
    const { operator, observed } = operatorTo((await serverOf(json(status, body))).url);
    expect(await operator.query(subject, patient())).toEqual(expected);
    expect(observed).toMatchObject([{ operation: 'query', outcome: expected.kind, fault: undefined }]);
  });

  test('an answer of exactly 64 KB is read', async () => {
    const empty = JSON.stringify({ ...submission, filler: '' });
    const body = JSON.stringify({ ...submission, filler: 'x'.repeat(64 * 1024 - empty.length - 1) });
    expect(Buffer.byteLength(body)).toBe(64 * 1024);
    const { operator } = operatorTo((await serverOf(raw(200, body))).url);
    expect((await operator.query(numbered, patient())).kind).toBe('known');
  });

  test('a text that is no well-formed Unicode is made so, and then equals what the table gives back', async () => {
    const body = JSON.stringify(submission).replace('Em análise', '\\ud800 em análise');
    const { operator } = operatorTo((await serverOf(raw(200, body))).url);
    expect(await operator.query(numbered, patient())).toMatchObject({ rawStatus: '\ufffd em análise' });
  });
});

type Respond = Parameters<typeof serverOf>[0];
const big = JSON.stringify({ ...submission, filler: 'x'.repeat(1024 * 1024) });
const empty = JSON.stringify({ ...submission, filler: '' });
const oneTooMany = JSON.stringify({ ...submission, filler: 'x'.repeat(64 * 1024 - empty.length) });

/** Answers that neither a bank submission nor a query may trust. */
const UNTRUSTED: readonly [string, OperatorObservation['fault'], Respond][] = [
  ['500', 'failing', json(500, submission)],
  ['503', 'failing', json(503, { code: 'away', message: '' })],
  ['429', 'failing', json(429, submission)],
  ['202', 'status', json(202, submission)],
  ['204', 'status', raw(204, '')],
  ['409', 'status', json(409, { code: 'reference_taken', message: '' })],
  ['410', 'status', json(410, refusal)],
  ['a redirect', 'status', raw(307, '', { location: '/elsewhere' })],
  ['401', 'unauthorized', json(401, refusal)],
  ['403', 'unauthorized', json(403, refusal)],
  ['an empty body', 'garbage', raw(200, '')],
  ['HTML', 'garbage', raw(200, '<html></html>')],
  ['JSON null', 'garbage', json(200, null)],
  ['an array', 'garbage', json(200, [submission])],
  ['no status', 'garbage', json(200, { ...submission, status: undefined })],
  ['a status that is no text', 'garbage', json(200, { ...submission, status: 1 })],
  ['a status above 200 characters', 'garbage', json(200, { ...submission, status: 'a'.repeat(201) })],
  ['no query number', 'garbage', json(200, { ...submission, queryNumber: '' })],
  ['a query number that is a path', 'garbage', json(200, { ...submission, queryNumber: '../x' })],
  ['a query number that is too long', 'garbage', json(200, { ...submission, queryNumber: 'x'.repeat(65) })],
  ['a bank that is none', 'garbage', json(200, { ...submission, bank: 'banco do povo' })],
  ['another bank', 'mismatch', json(200, { ...submission, bank: 'inter' })],
  ['another reference', 'mismatch', json(200, { ...submission, reference: 'producao-12-9002' })],
  ['bytes that are no UTF-8', 'garbage', raw(200, Buffer.from(JSON.stringify(submission), 'latin1'))],
  ['a compressed body', 'garbage', raw(200, gzipSync(empty), { 'content-encoding': 'gzip' })],
  ['one byte above 64 KB', 'too_large', raw(200, oneTooMany)],
  ['1 MB', 'too_large', raw(200, big)],
  [
    'a body without an end',
    'too_large',
    (_, response) => {
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(16_384)));
      };
      response.on('drain', more);
      more();
    },
  ],
  [
    'a body cut short',
    'connection',
    (_, response) => {
      const body = JSON.stringify(submission);
      response.writeHead(200, { 'content-length': body.length + 10 });
      response.write(body, () => response.destroy());
    },
  ],
  ['a closed connection', 'connection', (request) => request.socket.destroy()],
  ['a reset connection', 'connection', (request) => request.socket.resetAndDestroy()],
  ['bytes that are no HTTP', 'connection', (request) => request.socket.end('hello\r\n\r\n')],
  ['a header of 1 MB', 'connection', (request) => request.socket.end(`HTTP/1.1 200 OK\r\nx: ${big}\r\n\r\n`)],
];

describe.each(UNTRUSTED)('%s is no answer', (_, fault, respond) => {
  test('to a bank submission: unknown, sent once', async () => {
    const server = await serverOf(respond);
    const { operator, observed } = operatorTo(server.url);
    expect(await operator.submit(analysis, form, patient())).toMatchObject({ kind: 'unknown' });
    expect(observed).toMatchObject([{ bank: 'itau', operation: 'submit', outcome: 'unknown', fault }]);
    expect(server.seen).toHaveLength(1);
  });

  test('to a query: unavailable, asked once', async () => {
    const server = await serverOf(respond);
    const { operator, observed } = operatorTo(server.url);
    expect(await operator.query(numbered, patient())).toMatchObject({ kind: 'unavailable' });
    expect(await operator.query(analysis, patient())).toMatchObject({ kind: 'unavailable' });
    expect(observed).toMatchObject([{ outcome: 'unavailable', fault }, { fault }]);
    expect(server.seen).toHaveLength(2);
  });
});

describe('only what the contract documents is final', () => {
  test.each([
    ['a refusal of another reference', 'mismatch', json(422, { ...refusal, reference: 'producao-1-1' })],
    ['a refusal without a reference', 'garbage', json(422, { code: 'refused', message: '', status: '' })],
    ['a 422 that is HTML', 'garbage', raw(422, '<html>')],
    ['a 400 of a proxy', 'garbage', raw(400, 'Bad Request')],
    ['a 404', 'status', json(404, { reference, code: 'never_received', message: '' })],
  ] as const)('a bank submission with %s is unknown', async (_, fault, respond) => {
    const { operator, observed } = operatorTo((await serverOf(respond)).url);
    expect(await operator.submit(analysis, form, patient())).toMatchObject({ kind: 'unknown' });
    expect(observed[0]?.fault).toBe(fault);
  });

  test.each([
    ['a 404 that is HTML', analysis, 'garbage', raw(404, '<html>')],
    ['a 404 of another kind', analysis, 'garbage', json(404, { reference, code: 'not_found', message: '' })],
    [
      'a 404 of another reference',
      analysis,
      'mismatch',
      json(404, { reference: 'producao-1-1', code: 'never_received', message: '' }),
    ],
    ['a 404 by number', numbered, 'status', json(404, { reference, code: 'never_received', message: '' })],
    ['another query number', numbered, 'mismatch', json(200, { ...submission, queryNumber: 'IT-124' })],
    ['a refusal', analysis, 'status', json(422, refusal)],
  ] as const)('a query with %s is unavailable', async (_, subject, fault, respond) => {
    const { operator, observed } = operatorTo((await serverOf(respond)).url);
    expect(await operator.query(subject, patient())).toMatchObject({ kind: 'unavailable' });
    expect(observed[0]?.fault).toBe(fault);
  });
});

describe('time', () => {
  const silent: Respond = () => {};
  const dripping: Respond = (_, response) => {
    response.writeHead(200);
    response.write('{');
  };

  test.each([
    ['never answers', silent],
    ['begins an answer and never ends it', dripping],
  ])('an operator that %s is given up after the total timeout', async (_, respond) => {
    const server = await serverOf(respond);
    const { operator, observed } = operatorTo(server.url, { totalTimeout: 50 });
    expect(await operator.submit(analysis, form, patient())).toMatchObject({ kind: 'unknown' });
    expect(await operator.query(numbered, patient())).toMatchObject({ kind: 'unavailable' });
    expect(observed.map(({ fault }) => fault)).toEqual(['timeout', 'timeout']);
  });

  test('a token that never comes is given up too, and nothing is sent', async () => {
    const server = await serverOf(json(200, submission));
    const { operator, observed } = operatorTo(server.url, { totalTimeout: 50, token: () => new Promise(() => {}) });
    expect(await operator.submit(analysis, form, patient())).toMatchObject({ kind: 'unknown' });
    expect(observed[0]?.fault).toBe('timeout');
    expect(server.seen).toHaveLength(0);
  });

  test('a token that comes after the end is not used', async () => {
    const server = await serverOf(json(200, submission));
    const late = Promise.withResolvers<string>();
    const { operator } = operatorTo(server.url, { totalTimeout: 20, token: () => late.promise });
    await operator.submit(analysis, form, patient());
    late.resolve('late');
    await late.promise;
    const { operator: other } = operatorTo(server.url);
    await other.query(numbered, patient());
    expect(server.seen.map(({ method }) => method)).toEqual(['GET']);
    expect(server.connections()).toBe(1);
  });

  test('a connection that does not come to stand is given up after the connect timeout', async () => {
    const mute = net.createServer(() => {});
    mute.listen(0, '127.0.0.1');
    await once(mute, 'listening');
    const sockets = new Set<net.Socket>();
    mute.on('connection', (socket) => sockets.add(socket));
    closing.push(() => {
      for (const socket of sockets) socket.destroy();
      mute.close();
    });
    const { port } = mute.address() as AddressInfo;
    const { operator, observed } = operatorTo(`https://127.0.0.1:${port}`, {
      connectTimeout: 50,
      totalTimeout: 30_000,
    });
    expect(await operator.submit(analysis, form, patient())).toMatchObject({ kind: 'unknown' });
    expect(observed[0]?.fault).toBe('timeout');
  }, 20_000);

  test('by default a call has 10 s, and 3 s of them for the connection, which do not cut one that stands', async () => {
    const arrived = Promise.withResolvers<void>();
    const server = await serverOf(() => arrived.resolve());
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    closing.push(() => vi.useRealTimers());
    let ended = false;
    const { operator, observed } = operatorTo(server.url);
    const call = operator.submit(analysis, form, patient()).finally(() => {
      ended = true;
    });
    await arrived.promise;
    vi.advanceTimersByTime(9_999);
    await new Promise((resolve) => setImmediate(resolve));
    expect(ended).toBe(false);
    vi.advanceTimersByTime(1);
    expect(await call).toMatchObject({ kind: 'unknown' });
    expect(observed[0]?.fault).toBe('timeout');
    expect(vi.getTimerCount()).toBe(0);
  });

  test('a call that has ended leaves no timer behind', async () => {
    const server = await serverOf(json(200, submission));
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    closing.push(() => vi.useRealTimers());
    expect(await operatorTo(server.url).operator.query(numbered, patient())).toMatchObject({ kind: 'known' });
    const away = operatorTo('http://127.0.0.1:1').operator;
    expect(await away.query(numbered, patient())).toMatchObject({ kind: 'unavailable' });
    while (vi.getTimerCount() > 0) await new Promise((resolve) => setImmediate(resolve));
  });

  test('the caller’s signal ends a call at once, and leaves no listener behind', async () => {
    const caller = new AbortController();
    const server = await serverOf(() => caller.abort());
    const { operator, observed } = operatorTo(server.url);
    expect(await operator.submit(analysis, form, caller.signal)).toMatchObject({ kind: 'unknown' });
    expect(observed[0]?.fault).toBe('aborted');
    expect(getEventListeners(caller.signal, 'abort')).toHaveLength(0);
  });

  test('a signal that is aborted already lets nothing out', async () => {
    const server = await serverOf(json(200, submission));
    const { operator, observed } = operatorTo(server.url);
    expect(await operator.submit(analysis, form, AbortSignal.abort())).toMatchObject({ kind: 'unknown' });
    expect(await operator.query(numbered, AbortSignal.abort())).toMatchObject({ kind: 'unavailable' });
    expect(observed.map(({ fault }) => fault)).toEqual(['aborted', 'aborted']);
    expect(server.connections()).toBe(0);
    const { operator: tokenless } = operatorTo(server.url, { token: () => new Promise(() => {}) });
    expect(await tokenless.submit(analysis, form, AbortSignal.abort())).toMatchObject({ kind: 'unknown' });
  });

  test('a call that is given up closes its connection', async () => {
    const closed = Promise.withResolvers<void>();
    const caller = new AbortController();
    const server = await serverOf((request) => {
      request.socket.on('close', () => closed.resolve());
      caller.abort();
    });
    const given = operatorTo(server.url).operator.query(numbered, caller.signal);
    expect(await given).toMatchObject({ kind: 'unavailable' });
    await closed.promise;
  });

  test('after a call that went well the caller’s signal carries no listener', async () => {
    const { signal } = new AbortController();
    const { operator } = operatorTo((await serverOf(json(200, submission))).url);
    await operator.query(numbered, signal);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});

describe('before anything is sent', () => {
  test.each([
    ['fails', async () => Promise.reject(new Error('no secret'))],
    [
      'throws at once',
      () => {
        throw new Error('no secret');
      },
    ],
  ])('a token that %s leaves the bank submission in doubt', async (_, token) => {
    const server = await serverOf(json(200, submission));
    const { operator, observed } = operatorTo(server.url, { token });
    expect(await operator.submit(analysis, form, patient())).toMatchObject({ kind: 'unknown' });
    expect(observed[0]?.fault).toBe('token');
    expect(server.connections()).toBe(0);
  });

  test('a token that no header can carry throws nothing', async () => {
    const { operator } = operatorTo((await serverOf(json(200, submission))).url, { token: async () => 'a\r\nb: c' });
    expect(await operator.submit(analysis, form, patient())).toMatchObject({ kind: 'unknown' });
  });

  test('an operator that is not there throws nothing', async () => {
    const { operator, observed } = operatorTo('http://127.0.0.1:1');
    expect(await operator.submit(analysis, form, patient())).toMatchObject({ kind: 'unknown' });
    expect(await operator.query(numbered, patient())).toMatchObject({ kind: 'unavailable' });
    expect(observed.map(({ fault }) => fault)).toEqual(['connection', 'connection']);
  });

  test('a URL that is not https is refused at construction, without repeating it', () => {
    const make = () => httpOperatorApi({ url: 'http://operator.operador.internal', token: async () => '' });
    expect(make).toThrow(TypeError);
    expect(make).not.toThrow(/operador/);
  });
});

describe('connections', () => {
  test('are kept alive: many calls, one connection', async () => {
    const server = await serverOf(json(200, submission));
    const { operator } = operatorTo(server.url);
    for (let call = 0; call < 20; call++) await operator.query(numbered, patient());
    expect(server.seen).toHaveLength(20);
    expect(server.connections()).toBe(1);
  });

  test('are kept after answers that were no good but whole', async () => {
    const server = await serverOf(json(500, {}));
    const { operator } = operatorTo(server.url);
    for (let call = 0; call < 5; call++) await operator.query(numbered, patient());
    expect(server.connections()).toBe(1);
  });

  test('are at most 60 at once', async () => {
    const waiting: http.ServerResponse[] = [];
    let most = 0;
    let open = 0;
    const server = await serverOf(
      (_, response) => {
        waiting.push(response);
        if (waiting.length === 20) for (const held of waiting.splice(0)) json(200, submission)(_, held);
      },
      (listener) =>
        http.createServer(listener).on('connection', (socket) => {
          open += 1;
          most = Math.max(most, open);
          socket.on('close', () => {
            open -= 1;
          });
        }),
    );
    const { operator } = operatorTo(server.url);
    const kinds = await Promise.all(Array.from({ length: 180 }, () => operator.query(numbered, patient())));
    expect(kinds.every(({ kind }) => kind === 'known')).toBe(true);
    expect(most).toBe(60);
  });

  test('that a frozen container held too long are not used again', async () => {
    const server = await serverOf(json(200, submission));
    let now = 0;
    const { operator } = operatorTo(server.url, { clock: () => now });
    await operator.query(numbered, patient());
    now += 15_000;
    await operator.query(numbered, patient());
    expect(server.connections()).toBe(1);
    now += 15_001;
    await operator.query(numbered, patient());
    expect(server.connections()).toBe(2);
  });
});

describe('what is observed', () => {
  test('is one entry a call: bank, operation, outcome, time and request id, and nothing of the person', async () => {
    let now = 1_000;
    const server = await serverOf((request, response) => {
      now += 70;
      json(201, submission)(request, response);
    });
    const { operator, observed } = operatorTo(server.url, { clock: () => now, requestId: () => 'attempt-7' });
    await operator.submit(analysis, form, patient());
    expect(observed).toEqual([
      {
        bank: 'itau',
        operation: 'submit',
        outcome: 'accepted',
        fault: undefined,
        milliseconds: 70,
        requestId: 'attempt-7',
      },
    ]);
  });

  test('cannot lose an outcome by throwing', async () => {
    const { operator } = operatorTo((await serverOf(json(201, submission))).url, {
      observe: () => {
        throw new Error('no metrics');
      },
    });
    expect(await operator.submit(analysis, form, patient())).toMatchObject({ kind: 'accepted' });
  });
});

describe('TLS', () => {
  const authority = makeAuthority();

  test('an operator with a trusted certificate is spoken to, over one connection', async () => {
    const trusted = tls.getCACertificates('default');
    const credential = authority.certify('localhost');
    tls.setDefaultCACertificates([authority.ca]);
    closing.push(() => tls.setDefaultCACertificates(trusted));
    const server = await serverOf(json(200, submission), (listener) => https.createServer(credential, listener));
    const { operator } = operatorTo(`https://localhost:${server.port}`);
    for (let call = 0; call < 3; call++) expect((await operator.query(numbered, patient())).kind).toBe('known');
    expect(server.connections()).toBe(1);
  });

  test.each([
    ['that nobody vouches for', 'localhost', false],
    ['of another name', 'elsewhere.example', true],
  ])('a certificate %s gets neither token nor form', async (_, name, trust) => {
    const trusted = tls.getCACertificates('default');
    const credential = authority.certify(name);
    if (trust) tls.setDefaultCACertificates([authority.ca]);
    closing.push(() => tls.setDefaultCACertificates(trusted));
    const server = await serverOf(json(201, submission), (listener) => https.createServer(credential, listener));
    const { operator, observed } = operatorTo(`https://localhost:${server.port}`);
    expect(await operator.submit(analysis, form, patient())).toMatchObject({ kind: 'unknown' });
    expect(observed[0]?.fault).toBe('connection');
    expect(server.seen).toHaveLength(0);
  });
});
