import { expect, it } from 'vitest';
import { getLead } from '#shared/contract/routes.ts';
import type { Caller } from '#shared/domain/partners/partner.ts';
import { Failure } from '#shared/domain/values/failure.ts';
import type { UnitId } from '#shared/domain/values/ids.ts';
import type { Tenancy } from '#shared/domain/values/tenancy.ts';
import { readEndpoint } from '#shared/http/partner/endpoint.ts';
import { ReadAhead } from '#shared/http/partner/read-ahead.ts';
import { deadlineSignal } from '#shared/runtime/deadline.ts';
import type { CallOptions } from '#test/makers/call.ts';
import { invokeHandler, makeCaller, memoryAuth, memoryRefusals } from '#test/makers/partner-call.ts';

const NOW = Date.UTC(2026, 10, 21);
const KEY = 'pmc_sandbox_all';

/** Returns a GET by id, and a record of what happens in it, in order. */
function reading(ask: () => Caller | Promise<Caller> = makeCaller) {
  const seen: string[] = [];
  const port = { ask, read: async () => {} };
  const auth = memoryAuth({ [KEY]: () => port.ask() });
  const admission = { auth: () => auth, refusals: memoryRefusals, clock: () => () => NOW };
  const list = readEndpoint(getLead, admission, {}, async (_, { unitId, environment }, id) => {
    seen.push(`reads ${unitId} ${environment} ${id}`);
    await port.read();
    if (`${unitId} ${environment} ${id}` !== '11 sandbox 7') return undefined;
    const open = async () => {
      seen.push('opens');
      return 'a lead';
    };
    return { open };
  });
  const handler = list.handler(({ found, id }) => ({ status: 200, body: JSON.stringify({ found, id }) }));
  const call = async (id: number | string = 7, options: CallOptions = {}) => {
    const { statusCode, headers = {}, body } = await invokeHandler(handler, getLead, { key: KEY, id, ...options });
    return { status: statusCode, headers, body: JSON.parse(body) };
  };
  return { call, seen, port, handler };
}

/** Returns the same as `reading`, after a first call that has admitted the key. */
async function readBefore() {
  const world = reading();
  await world.call();
  world.seen.length = 0;
  return world;
}
const refuse = () => Promise.reject(new Failure('auth_invalid'));

it('a GET by id reads its row while a known key is checked, and opens it only after the check', async () => {
  const gate = Promise.withResolvers<Caller>();
  const { call, seen, port } = await readBefore();
  port.ask = () => gate.promise;
  const reads = Promise.withResolvers<void>();
  port.read = async () => reads.resolve();
  const answer = call();
  await reads.promise;
  // Everything that would run after the read, without waiting for the admission, gets a chance to run.
  await new Promise((resolve) => setImmediate(resolve));
  expect(seen).toEqual(['reads 11 sandbox 7']);
  gate.resolve(makeCaller());
  expect((await answer).status).toBe(200);
  expect(seen).toEqual(['reads 11 sandbox 7', 'opens']);
});

it.each(['0', 'x', '-7'])('a GET by id reads nothing if the id is malformed (400): %s', async (id) => {
  const { call, seen } = await readBefore();
  expect(await call(id)).toMatchObject({ status: 400, body: { codigo: 'campo_invalido' } });
  expect(seen).toEqual([]);
});

it('a GET by id opens nothing if the call is refused after its read: by key, scope or query', async () => {
  const { call, seen, port } = await readBefore();
  expect((await call(7, { query: { a: ['1', '2'] } })).status).toBe(400);
  port.ask = () => makeCaller({ scopes: ['analises'] });
  expect((await call()).status).toBe(403);
  port.ask = refuse;
  expect((await call()).status).toBe(401);
  expect(seen).toEqual(['reads 11 sandbox 7', 'reads 11 sandbox 7', 'reads 11 sandbox 7']);
});

it('a GET by id ends its read before it answers a refusal', async () => {
  const { call, port } = await readBefore();
  let ended: AbortSignal | undefined;
  port.read = () => {
    ended = deadlineSignal();
    return new Promise((_, reject) => ended!.addEventListener('abort', () => reject(new Error('ended'))));
  };
  port.ask = refuse;
  expect((await call()).status).toBe(401);
  expect(ended?.aborted).toBe(true);
});

const OWN: Tenancy = { unitId: 11 as UnitId, environment: 'sandbox' };

/** Returns a read that records whose rows it asked for. */
function world() {
  const reads: Tenancy[] = [];
  const ahead = new ReadAhead(async (tenancy: Tenancy) => {
    reads.push(tenancy);
    return `${tenancy.unitId} ${tenancy.environment} ${reads.length}`;
  });
  return { reads, ahead };
}

it.each<[string, Tenancy]>([
  ['another unit', { ...OWN, unitId: 12 as UnitId }],
  ['the other environment', { ...OWN, environment: 'producao' }],
])('a caller of %s gets a second read, and nothing of the read ahead', async (_, caller) => {
  const { reads, ahead } = world();
  ahead.begin(OWN);
  expect(await ahead.result(caller)).toBe(`${caller.unitId} ${caller.environment} 2`);
  expect(reads).toEqual([OWN, caller]);
});

it('a failed read ahead fails only the caller with the same tenancy', async () => {
  const ahead = new ReadAhead((tenancy: Tenancy) =>
    tenancy.environment === 'sandbox' ? Promise.reject(new RangeError('gone')) : Promise.resolve('read'),
  );
  ahead.begin(OWN);
  await expect(ahead.result(OWN)).rejects.toThrow(RangeError);
  expect(await ahead.result({ ...OWN, environment: 'producao' })).toBe('read');
  await ahead.end();
});
