import { expect, it } from 'vitest';
import * as routes from '#shared/contract/routes.ts';
import { endpoint, type Request } from '#shared/http/endpoint.ts';
import type { CallOptions } from '#test/makers/call.ts';
import { answerOf, linesOf, makeCaller, memoryAuth, memoryRefusals } from '#test/makers/partner-call.ts';

const NOW = Date.UTC(2026, 10, 21);
const KEY = 'pmc_sandbox_all';
const BODY = { nome: 'Ana' };
const EVENT = `evt_${'a2'.repeat(16)}`;

/** An endpoint of a route on ports in memory, and what its work was given. */
function world<R extends routes.Route>(
  route: R,
  work: () => Promise<{ status: number; body: string; replayed?: boolean }>,
) {
  const requests: Request[] = [];
  const refusals = memoryRefusals();
  const auth = memoryAuth({ [KEY]: makeCaller });
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

it('the work of an endpoint: is given what the checks have read of the call', async () => {
  const { call, requests } = world(routes.submitAnalyses, made);
  const sent = { body: BODY, headers: { 'idempotency-key': '"k"' }, query: { a: 'b' } };
  const { status, headers, body } = await call(sent);
  expect([status, body, headers['RateLimit']]).toEqual([201, { ok: true }, '"padrao";r=117;t=42']);
  expect(headers).not.toHaveProperty('Idempotent-Replay');
  const own = { route: routes.submitAnalyses, clock: expect.any(Function), requestId: headers['X-Request-Id'] };
  const read = { caller: makeCaller(), body: BODY, idempotencyKey: 'k', id: 0, eventId: '', query: { a: 'b' } };
  expect(requests).toEqual([{ ...own, ...read }]);
  expect(requests[0]!.clock()).toBe(NOW);
});

it('the work of an endpoint: is given the id in its path, of a row of ours or of an event', async () => {
  const [update, resend] = [world(routes.updateLead, made), world(routes.resendDelivery, made)];
  await update.call({ id: 7, body: BODY });
  await resend.call({ id: EVENT });
  expect(update.requests).toMatchObject([{ id: 7, eventId: '' }]);
  expect(resend.requests).toMatchObject([{ id: 0, eventId: EVENT }]);
});

it('the work of an endpoint: of a GET has no body to read: what came with it is no fault', async () => {
  const { call, requests } = world(routes.getAccount, made);
  await call({ body: '{', headers: { 'content-type': 'text/plain' } });
  expect(requests[0]?.body).toEqual({});
});

it('the work of an endpoint: that gives an earlier answer again is marked and counted as a replay', async () => {
  const { call } = world(routes.createLead, async () => ({ ...(await made()), replayed: true }));
  const lines = await linesOf(async () => {
    expect((await call({ body: BODY })).headers['Idempotent-Replay']).toBe('true');
  });
  expect(lines).toContainEqual(expect.objectContaining({ IdempotencyReplays: 1 }));
});

it('a refusal in the sandbox is noted for GET /v1/erros at the clock’s time, is on the log, and is counted', async () => {
  const { call, refusals } = world(routes.createLead, made);
  const lines = await linesOf(() => call({ body: '{' }));
  expect(refusals.noted).toMatchObject([{ tenancy: { unitId: 11 }, call: { at: NOW, code: 'json_invalido' } }]);
  expect(lines).toMatchObject([
    { code: 'request_completed', status: 400, operation: 'create-lead', partner: 3, unit: 11, environment: 'sandbox' },
    { Latency: expect.any(Number) },
    { ClientErrorsByCode: 1, codigo: 'json_invalido' },
  ]);
  expect(JSON.stringify(lines)).not.toContain(KEY);
});
