import { expect, it } from 'vitest';
import * as routes from '#shared/contract/routes.ts';
import type { Caller } from '#shared/domain/partners/partner.ts';
import { endpoint } from '#shared/http/partner/endpoint.ts';
import type { CallOptions } from '#test/makers/call.ts';
import { captureLogLines, invokeHandler, makeCaller, memoryAuth, memoryRefusals } from '#test/makers/partner-call.ts';

const NOW = Date.UTC(2026, 10, 21);
const KEY = 'pmc_sandbox_all';
const BODY = { nome: 'Ana' };
const EVENT = `evt_${'a2'.repeat(16)}`;

/** Returns an endpoint of a route with ports in memory, and a record of the calls that its work got. */
function world(
  route: routes.Route,
  work: () => Promise<{ status: number; body: string; replayed?: boolean }>,
  ask: () => Caller | Promise<Caller> = makeCaller,
) {
  const calls: object[] = [];
  const refusals = memoryRefusals();
  const auth = memoryAuth({ [KEY]: ask });
  const admission = { auth: () => auth, refusals: () => refusals, clock: () => () => NOW };
  const list = endpoint(route, admission, { extra: () => ({ name: 'a port' }) });
  const handler = list.handler(async ({ event, route, startedAt, ...found }, { extra, clock }) => {
    calls.push(found);
    expect(extra.name).toBe('a port');
    expect(clock()).toBe(NOW);
    return work();
  });
  const call = async (options: CallOptions = {}) => {
    const { statusCode, headers = {}, body } = await invokeHandler(handler, route, { key: KEY, ...options });
    return { status: statusCode, headers, body: JSON.parse(body) };
  };
  return { handler, call, calls, refusals };
}

const made = async () => ({ status: 201, body: '{"ok":true}' });

it('the work of an endpoint gets everything that the checks have read of the call', async () => {
  const { call, calls } = world(routes.submitAnalyses, made);
  const sent = { body: BODY, headers: { 'idempotency-key': '"k"' }, query: { a: 'b' } };
  const { status, headers, body } = await call(sent);
  expect(status).toBe(201);
  expect(body).toEqual({ ok: true });
  expect(headers['RateLimit']).toBe('"padrao";r=117;t=42');
  expect(headers).not.toHaveProperty('Idempotent-Replay');
  const found = { caller: makeCaller(), body: BODY, idempotencyKey: 'k', id: undefined, query: { a: 'b' } };
  expect(calls).toEqual([found]);
});

it('the work of an endpoint gets the id in its path: the number of a row or the id of an event', async () => {
  const [update, resend] = [world(routes.updateLead, made), world(routes.resendDelivery, made)];
  await update.call({ id: 7, body: BODY });
  await resend.call({ id: EVENT });
  expect(update.calls).toMatchObject([{ id: 7 }]);
  expect(resend.calls).toMatchObject([{ id: EVENT }]);
});

it('the work of a GET gets an empty body, and a body that came with the call is no fault', async () => {
  const { call, calls } = world(routes.getAccount, made);
  await call({ body: '{', headers: { 'content-type': 'text/plain' } });
  expect(calls).toMatchObject([{ body: {} }]);
});

it('a reply that repeats an earlier answer is marked and counted as a replay', async () => {
  const { call } = world(routes.createLead, async () => ({ ...(await made()), replayed: true }));
  const lines = await captureLogLines(async () => {
    expect((await call({ body: BODY })).headers['Idempotent-Replay']).toBe('true');
  });
  expect(lines).toContainEqual(expect.objectContaining({ IdempotencyReplays: 1 }));
});

it('a refusal in the sandbox is noted for GET /v1/erros, logged and counted', async () => {
  const { call, refusals } = world(routes.createLead, made);
  const lines = await captureLogLines(() => call({ body: '{' }));
  expect(refusals.noted).toMatchObject([{ tenancy: { unitId: 11 }, call: { at: NOW, code: 'json_invalido' } }]);
  expect(lines).toMatchObject([
    { code: 'request_completed', status: 400, operation: 'create-lead', partner: 3, unit: 11, environment: 'sandbox' },
    { Latency: expect.any(Number) },
    { ClientErrorsByCode: 1, codigo: 'json_invalido' },
  ]);
  expect(JSON.stringify(lines)).not.toContain(KEY);
});

it('the Idempotency-Key of a route with an id in its path is checked before that id', async () => {
  // No route of the contract has both today.
  const { call } = world({ ...routes.updateLead, idempotency: 'required' }, made);
  const refusal = async (options: CallOptions) => (await call({ id: 'x', body: BODY, ...options })).body.campos;
  expect(await refusal({})).toMatchObject([{ campo: 'Idempotency-Key' }]);
  expect(await refusal({ once: 'k' })).toMatchObject([{ campo: 'id' }]);
});

it('a call whose ports cannot be made is answered 500, with its log line and its metrics, each time', async () => {
  const auth = memoryAuth({ [KEY]: makeCaller });
  const broken = () => {
    throw new RangeError('an environment variable is missing');
  };
  const admission = { auth: () => auth, refusals: memoryRefusals, clock: () => () => NOW };
  const handler = endpoint(routes.createLead, admission, { broken }).handler(made);
  for (let call = 0; call < 2; call++) {
    const lines = await captureLogLines(async () => {
      const { statusCode, body } = await invokeHandler(handler, routes.createLead, { key: KEY, body: BODY });
      expect(statusCode).toBe(500);
      expect(JSON.parse(body)).toMatchObject({ codigo: 'erro_interno' });
    });
    expect(lines).toMatchObject([
      { code: 'request_failed', errors: [{ name: 'RangeError' }] },
      { code: 'request_completed', status: 500, operation: 'create-lead' },
      { ServerErrors: 1, operation: 'create-lead' },
    ]);
  }
});

it('a call whose admission hangs is answered 504, with its log line and its metrics', async () => {
  const { call, calls } = world(routes.getAccount, made, () => new Promise(() => {}));
  const lines = await captureLogLines(async () => {
    const { status, headers, body } = await call({ remaining: 550 });
    expect(status).toBe(504);
    expect(body).toMatchObject({ codigo: 'tempo_esgotado', request_id: headers['X-Request-Id'] });
  });
  expect(lines).toMatchObject([
    { code: 'request_completed', status: 504, operation: 'get-account' },
    { ServerErrors: 1, operation: 'get-account' },
  ]);
  expect(calls).toEqual([]);
});
