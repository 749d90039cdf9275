import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  createLead,
  getAccount,
  getLead,
  type Route,
  resendDelivery,
  submitAnalyses,
  updateLead,
} from '../../../shared/contract/routes.ts';
import type { Caller } from '../../../shared/domain/partners/partner.ts';
import { RateExceeded } from '../../../shared/domain/partners/rate.ts';
import { Failure } from '../../../shared/domain/values/failure.ts';
import type { UnitId } from '../../../shared/domain/values/ids.ts';
import type { Tenancy } from '../../../shared/domain/values/tenancy.ts';
import { endpoint, type Request, readEndpoint } from '../../../shared/http/endpoint.ts';
import { LARGEST_BODY } from '../../../shared/http/parse.ts';
import { deadlineSignal } from '../../../shared/runtime/deadline.ts';
import type { CallOptions } from '../../makers/call.ts';
import { answerOf, linesOf, makeCaller, memoryAuth, memoryRefusals } from '../../makers/partner-call.ts';

const NOW = Date.UTC(2026, 10, 21);
const KEY = 'pmc_sandbox_all';
const BODY = { nome: 'Ana' };
const EVENT = `evt_${'a2'.repeat(16)}`;

/** An endpoint of a route on ports in memory, and what its work was given. */
function world<R extends Route>(route: R, work: () => Promise<{ status: number; body: string; replayed?: boolean }>) {
  const requests: Request[] = [];
  const refusals = memoryRefusals();
  const auth = memoryAuth({
    [KEY]: makeCaller,
    pmc_sandbox_none: () => makeCaller({ scopes: [] }),
    pmc_prod: () => makeCaller({ environment: 'producao' }),
    pmc_spent: () => Promise.reject(new RateExceeded(120, 17)),
  });
  const deps = { auth: () => auth, refusals: () => refusals, clock: () => () => NOW, extra: () => 'a port' as const };
  const handler = endpoint(route, deps, async (request, { extra }) => {
    requests.push(request as Request);
    expect(extra).toBe('a port');
    return work();
  });
  const call = async (options: CallOptions = {}) => {
    const { statusCode, headers = {}, body } = await answerOf(handler, route, { key: KEY, ...options });
    return { status: statusCode, headers, body: JSON.parse(body) };
  };
  return { handler, call, requests, refusals };
}

const made = async () => ({ status: 201, body: '{"ok":true}' });

describe('the work of an endpoint', () => {
  it('is given what the checks have read of the call', async () => {
    const { call, requests } = world(submitAnalyses, made);
    const { status, headers, body } = await call({
      body: BODY,
      headers: { 'idempotency-key': '"k"' },
      query: { a: 'b' },
    });
    expect([status, body, headers['RateLimit']]).toEqual([201, { ok: true }, '"padrao";r=117;t=42']);
    expect(requests).toEqual([
      {
        route: submitAnalyses,
        clock: expect.any(Function),
        requestId: headers['X-Request-Id'],
        caller: makeCaller(),
        body: BODY,
        idempotencyKey: 'k',
        id: 0,
        eventId: '',
        query: { a: 'b' },
      },
    ]);
    expect(requests[0]!.clock()).toBe(NOW);
  });

  it('is given the id in its path, of a row of ours or of an event', async () => {
    const update = world(updateLead, made);
    await update.call({ id: 7, body: BODY });
    const resend = world(resendDelivery, made);
    await resend.call({ id: EVENT });
    expect([update.requests[0], resend.requests[0]]).toMatchObject([
      { id: 7, eventId: '' },
      { id: 0, eventId: EVENT },
    ]);
  });

  it('of a GET has no body to read: what came with it is no fault', async () => {
    const { call, requests } = world(getAccount, made);
    await call({ body: '{', headers: { 'content-type': 'text/plain' } });
    expect(requests[0]?.body).toEqual({});
  });

  it('has a key only where the route has one: elsewhere the header is not looked at', async () => {
    const update = world(updateLead, made);
    await update.call({ id: 7, body: BODY, headers: { 'idempotency-key': '' } });
    const create = world(createLead, made);
    await create.call({ body: BODY });
    await create.call({ body: BODY, headers: { 'idempotency-key': 'k' } });
    const keys = [...update.requests, ...create.requests].map(({ idempotencyKey }) => idempotencyKey);
    expect(keys).toEqual([undefined, undefined, 'k']);
  });

  it('that gives an earlier answer again is marked and counted as a replay', async () => {
    const replay = world(createLead, async () => ({ ...(await made()), replayed: true }));
    const lines = await linesOf(async () => {
      expect((await replay.call({ body: BODY })).headers['Idempotent-Replay']).toBe('true');
    });
    expect(lines).toContainEqual(expect.objectContaining({ IdempotencyReplays: 1 }));
    const first = await linesOf(() => world(createLead, made).call({ body: BODY }));
    expect(first.some((line) => 'IdempotencyReplays' in line)).toBe(false);
  });

  it('that throws is answered by the code of what it throws', async () => {
    const { call } = world(createLead, () => Promise.reject(new Failure('lead_nao_encontrado')));
    expect(await call({ body: BODY })).toMatchObject({ status: 422, body: { codigo: 'lead_nao_encontrado' } });
    const broken = world(createLead, () => Promise.reject(new TypeError('x')));
    expect(await broken.call({ body: BODY })).toMatchObject({ status: 500, body: { codigo: 'erro_interno' } });
  });
});

/** Each call has every fault from its row on down. */
describe('the first check that fails answers, and the work is not begun', () => {
  const plain = { 'content-type': 'text/plain' };
  const big = '{'.repeat(LARGEST_BODY + 1);
  const badKey = { 'idempotency-key': '' };
  const badQuery = { a: ['1', '2'] };

  it.each<[string, CallOptions, number, string, string[]?]>([
    ['the key', { key: 'wrong', body: big, headers: plain }, 401, 'auth_invalid'],
    ['the rate', { key: 'pmc_spent', body: big, headers: plain }, 429, 'rate_limited'],
    ['the scope', { key: 'pmc_sandbox_none', body: big, headers: plain }, 403, 'sem_permissao'],
    ['the media type', { body: big, headers: plain }, 415, 'tipo_nao_suportado'],
    ['the size', { body: big, headers: badKey }, 413, 'corpo_muito_grande'],
    ['the JSON', { body: '{', headers: badKey }, 400, 'json_invalido'],
    [
      'the Idempotency-Key',
      { body: BODY, headers: badKey, query: badQuery },
      400,
      'campo_invalido',
      ['Idempotency-Key'],
    ],
    ['the query', { body: BODY, headers: { 'idempotency-key': 'k' }, query: badQuery }, 400, 'campo_invalido', ['a']],
  ])('%s', async (_, options, status, codigo, campos) => {
    const { call, requests } = world(submitAnalyses, made);
    const { status: seen, body, headers } = await call(options);
    const named = body.campos?.map(({ campo }: { campo: string }) => campo);
    expect([seen, body.codigo, named]).toEqual([status, codigo, campos]);
    expect(headers['X-Request-Id']).toBe(body.request_id);
    expect(requests).toEqual([]);
  });

  it('a path id after the JSON and before the query', async () => {
    const { call, requests } = world(updateLead, made);
    expect((await call({ id: 'x', body: '{' })).body.codigo).toBe('json_invalido');
    expect((await call({ id: 'x', body: BODY, query: badQuery })).body.campos[0].campo).toBe('id');
    expect((await call({ id: 7, body: BODY, query: badQuery })).body.campos[0].campo).toBe('a');
    const resend = world(resendDelivery, made);
    expect((await resend.call({ id: 7 })).body.campos[0].campo).toBe('id');
    expect([...requests, ...resend.requests]).toEqual([]);
  });
});

describe('a refusal', () => {
  it('in the sandbox is noted for GET /v1/erros, at the clock’s time', async () => {
    const { call, refusals } = world(createLead, made);
    const { body } = await call({ body: '{' });
    expect(refusals.noted).toMatchObject([
      { tenancy: { unitId: 11 }, call: { at: NOW, code: 'json_invalido', requestId: body.request_id } },
    ]);
  });

  it('is on the log, with its status and its code counted', async () => {
    const { call } = world(createLead, made);
    const lines = await linesOf(() => call({ body: '{' }));
    expect(lines).toContainEqual(
      expect.objectContaining({ code: 'request_completed', status: 400, operation: 'create-lead', unit: 11 }),
    );
    expect(lines).toContainEqual(expect.objectContaining({ ClientErrorsByCode: 1, codigo: 'json_invalido' }));
  });
});

/** What is read by its id, and what happened around it in order. */
function reading(ask: () => Caller | Promise<Caller> = makeCaller) {
  const seen: string[] = [];
  const auth = memoryAuth({ [KEY]: () => ask() });
  const rows = new Map([[`11 sandbox 7`, 'a lead']]);
  const wait = { read: async () => {} };
  const refusals = memoryRefusals();
  const handler = readEndpoint(
    getLead,
    { auth: () => auth, refusals: () => refusals, clock: () => () => NOW },
    async (_, { unitId, environment }: Tenancy, id) => {
      seen.push(`reads ${unitId} ${environment} ${id}`);
      await wait.read();
      const row = rows.get(`${unitId} ${environment} ${id}`);
      if (row === undefined) return undefined;
      const open = async () => {
        seen.push('opens');
        return row;
      };
      return { open };
    },
    (found, { id, requestId }) => ({ status: 200, body: JSON.stringify({ found, id, requestId }) }),
  );
  const call = async (id: number | string = 7, options: CallOptions = {}) => {
    const { statusCode, headers = {}, body } = await answerOf(handler, getLead, { key: KEY, id, ...options });
    return { status: statusCode, headers, body: JSON.parse(body) };
  };
  return { call, seen, wait, handler };
}

describe('a GET of one thing', () => {
  it('reads, opens and answers what its caller’s unit has', async () => {
    const { call, seen } = reading();
    const { status, headers, body } = await call();
    expect([status, body]).toEqual([200, { found: 'a lead', id: 7, requestId: headers['X-Request-Id'] }]);
    expect(seen).toEqual(['reads 11 sandbox 7', 'opens']);
  });

  it('is 404 where the unit, or the environment, has nothing with that id: the same bytes', async () => {
    const here = await reading().call(8);
    const unit = await reading(() => makeCaller({ unitId: 12 as UnitId })).call();
    const environment = await reading(() => makeCaller({ environment: 'producao' })).call();
    for (const { status, body } of [here, unit, environment]) {
      expect([status, { ...body, request_id: '' }]).toEqual([404, { ...here.body, request_id: '' }]);
    }
    expect(here.body.codigo).toBe('nao_encontrado');
  });

  it('reads while the key is asked about, once it was admitted, and opens nothing before it is again', async () => {
    const gate = Promise.withResolvers<Caller>();
    let ask: () => Caller | Promise<Caller> = makeCaller;
    const { call, seen } = reading(() => ask());
    await call();
    seen.length = 0;
    ask = () => gate.promise;
    const answer = call();
    await vi.waitFor(() => expect(seen).toEqual(['reads 11 sandbox 7']));
    // Whatever would follow the row without admission has its turn.
    await new Promise((resolve) => setImmediate(resolve));
    expect(seen).toEqual(['reads 11 sandbox 7']);
    gate.resolve(makeCaller());
    expect((await answer).status).toBe(200);
    expect(seen).toEqual(['reads 11 sandbox 7', 'opens']);
  });

  it.each(['0', 'x', '-7'])('reads nothing for what is no id (400): %s', async (id) => {
    const { call, seen } = reading();
    await call();
    seen.length = 0;
    expect(await call(id)).toMatchObject({ status: 400, body: { codigo: 'campo_invalido' } });
    expect(seen).toEqual([]);
  });

  it('opens nothing for a call that is refused after its read: key, scope, id or query', async () => {
    let ask: () => Caller | Promise<Caller> = makeCaller;
    const { call, seen } = reading(() => ask());
    await call();
    seen.length = 0;
    expect((await call(7, { query: { a: ['1', '2'] } })).status).toBe(400);
    ask = () => makeCaller({ scopes: ['analises'] });
    expect((await call()).status).toBe(403);
    ask = () => Promise.reject(new Failure('auth_invalid'));
    expect((await call()).status).toBe(401);
    expect(seen).toEqual(['reads 11 sandbox 7', 'reads 11 sandbox 7', 'reads 11 sandbox 7']);
  });

  it('reads anew for a key that stands for another unit since, and opens nothing of the one before', async () => {
    let unitId = 12 as UnitId;
    const { call, seen } = reading(() => makeCaller({ unitId }));
    expect((await call()).status).toBe(404);
    unitId = 11 as UnitId;
    expect((await call()).status).toBe(200);
    expect(seen).toEqual(['reads 12 sandbox 7', 'reads 12 sandbox 7', 'reads 11 sandbox 7', 'opens']);
  });

  it('ends a read that its refusal leaves under way before it answers', async () => {
    let ask: () => Caller | Promise<Caller> = makeCaller;
    const { call, wait } = reading(() => ask());
    await call();
    const ended: string[] = [];
    wait.read = () =>
      new Promise((_, reject) =>
        deadlineSignal()!.addEventListener('abort', () => {
          ended.push('read');
          reject(new Failure('servico_indisponivel'));
        }),
      );
    ask = () => Promise.reject(new Failure('auth_invalid'));
    expect((await call()).status).toBe(401);
    expect(ended).toEqual(['read']);
  });

  it('is 503 where the read fails though the key is admitted, and by the key’s failure where both fail', async () => {
    let ask: () => Caller | Promise<Caller> = makeCaller;
    const { call, wait } = reading(() => ask());
    await call();
    wait.read = () => Promise.reject(new Failure('servico_indisponivel'));
    expect((await call()).status).toBe(503);
    ask = () => Promise.reject(new Failure('auth_invalid'));
    expect((await call()).status).toBe(401);
  });
});

describe('priming', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('of a GET by id reads once, of nobody', async () => {
    const { handler, seen } = reading();
    await handler.prime();
    expect(seen).toEqual(['reads 0 producao 0']);
  });

  it('of what reads bodies asks the clock for today’s day, after the questions to the peers have left', async () => {
    const order: string[] = [];
    // A client signs its request, which takes some turns, before it sends it.
    const asks = async (name: string) => {
      for (let turn = 0; turn < 5; turn++) await Promise.resolve();
      order.push(`${name} asks`);
    };
    const deps = (name: string) => ({
      auth: () => Object.assign(memoryAuth({}), { prime: () => asks(name) }),
      refusals: memoryRefusals,
      clock: () => () => {
        order.push(`${name} takes the day`);
        return NOW;
      },
    });
    await endpoint(createLead, deps('POST'), made).prime();
    await endpoint(getAccount, deps('GET'), made).prime();
    expect(order).toEqual(['POST asks', 'POST takes the day', 'GET asks']);
  });
});
