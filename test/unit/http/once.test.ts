import { describe, expect, it } from 'vitest';
import { createLead, createSimulation, type Route, submitAnalyses } from '../../../shared/contract/routes.ts';
import type { Caller } from '../../../shared/domain/partners/partner.ts';
import type { Failure } from '../../../shared/domain/values/failure.ts';
import type { Answer, Claim, IdempotencyRecord, IdempotentResult } from '../../../shared/domain/values/idempotency.ts';
import type { EventId, UnitId } from '../../../shared/domain/values/ids.ts';
import type { Request } from '../../../shared/http/endpoint.ts';
import { earlierAnswer, once } from '../../../shared/http/once.ts';
import { makeCaller } from '../../makers/partner-call.ts';

const NOW = Date.UTC(2026, 10, 21);
const DAY = 86_400_000;

interface Changes {
  readonly route?: Route;
  readonly key?: string | undefined;
  readonly caller?: Partial<Caller>;
  readonly fields?: unknown;
  readonly how?: 'answers' | 'breaks off';
  readonly resume?: (earlier: IdempotencyRecord, claim: Claim | undefined) => Promise<Answer>;
}

/** Records in memory: a key is claimed by the first call, and remembered until its time is over. */
function world() {
  let now = NOW;
  let runs = 0;
  const records = new Map<string, { claim: Claim; answer: Answer | undefined; lockedUntil: number }>();
  const claims: (Claim | undefined)[] = [];

  const work = async (how: Changes['how'], claim: Claim | undefined): Promise<IdempotentResult<Answer>> => {
    claims.push(claim);
    const place = JSON.stringify([claim?.tenancy, claim?.operation, claim?.key]);
    const earlier = claim && records.get(place);
    if (earlier && earlier.claim.expiresAt > now) {
      const { answer, lockedUntil } = earlier;
      const sameContent = earlier.claim.content === claim.content;
      return { earlier: { sameContent, answer, lockedUntil, resume: 'place' } };
    }
    runs += 1;
    const answer = how === 'breaks off' ? undefined : { status: 201, body: JSON.stringify({ run: runs }) };
    if (claim) records.set(place, { claim, answer, lockedUntil: now + 10_000 });
    if (!answer) throw new Error('broke off');
    return { done: answer };
  };

  const call = ({ route = createLead, caller, fields = { nome: 'Ana' }, how, resume, ...rest }: Changes = {}) => {
    const request: Request = {
      ...{ route, caller: makeCaller(caller), clock: () => now, requestId: 'r' },
      ...{ idempotencyKey: 'key' in rest ? rest.key : 'k', id: 0, eventId: '' as EventId, query: {}, body: {} },
    };
    return once(request, fields, (claim) => work(how, claim), resume);
  };
  const pass = (milliseconds: number) => {
    now += milliseconds;
  };
  return { call, claims, runs: () => runs, pass };
}

const FIRST = { status: 201, body: '{"run":1}' };

describe('an operation with an Idempotency-Key', () => {
  it('runs once: its answer is given again, marked as a replay', async () => {
    const { call, runs } = world();
    expect(await call()).toEqual(FIRST);
    expect(await call()).toEqual({ ...FIRST, replayed: true });
    expect(runs()).toBe(1);
  });

  it('runs each time without a key, and claims nothing', async () => {
    const { call, runs, claims } = world();
    await call({ key: undefined });
    expect(await call({ key: undefined })).toEqual({ status: 201, body: '{"run":2}' });
    expect([runs(), claims]).toEqual([2, [undefined, undefined]]);
  });

  it.each<[string, Changes]>([
    ['another key', { key: 'l' }],
    ['another unit', { caller: { unitId: 12 as UnitId } }],
    ['the other environment', { caller: { environment: 'producao' } }],
    ['another operation', { route: createSimulation }],
  ])('is another one with %s', async (_, changes) => {
    const { call, runs } = world();
    await call();
    expect(await call(changes)).toEqual({ status: 201, body: '{"run":2}' });
    expect(runs()).toBe(2);
  });

  it('is the same one for each key of the unit, and in whatever order its fields come', async () => {
    const { call } = world();
    await call({ fields: { a: 1, b: { c: 2, d: [1, 2] } } });
    const again = { fields: { b: { d: [1, 2], c: 2 }, a: 1 }, caller: { scopes: [], left: 0 } };
    expect(await call(again)).toEqual({ ...FIRST, replayed: true });
  });

  it('is 422 with another body, also while the first one runs', async () => {
    const { call, runs } = world();
    await call();
    await expect(call({ fields: { nome: 'Bia' } })).rejects.toMatchObject({
      code: 'idempotency_conflito',
      fields: [{ field: 'Idempotency-Key' }],
    });
    await expect(call({ key: 'l', how: 'breaks off' })).rejects.toThrow('broke off');
    await expect(call({ key: 'l', fields: {} })).rejects.toMatchObject({ code: 'idempotency_conflito' });
    expect(runs()).toBe(2);
  });

  it.each([
    ['30 days where a bank is asked', submitAnalyses, 30 * DAY],
    ['24 hours for a lead', createLead, DAY],
    ['24 hours for a simulation', createSimulation, DAY],
  ])('is remembered for %s', async (_, route, time) => {
    const { call, claims, pass } = world();
    await call({ route });
    expect(claims[0]).toEqual({
      tenancy: { unitId: 11, environment: 'sandbox' },
      operation: route.operation,
      key: 'k',
      content: '{"nome":"Ana"}',
      expiresAt: NOW + time,
    });
    pass(time - 1);
    expect(await call({ route })).toEqual({ ...FIRST, replayed: true });
    pass(1);
    expect(await call({ route })).toEqual({ status: 201, body: '{"run":2}' });
  });
});

describe('an operation whose first run has not answered', () => {
  const open = async () => {
    const made = world();
    await expect(made.call({ how: 'breaks off' })).rejects.toThrow('broke off');
    return made;
  };

  it('is 409 while that run may go on, with what is left of its time in Retry-After', async () => {
    const { call, pass, runs } = await open();
    pass(3_500);
    const failure: Failure = await call({ resume: () => Promise.resolve(FIRST) }).catch((error) => error);
    expect([failure.code, failure.retryAfter]).toEqual(['idempotencia_em_andamento', 7]);
    pass(6_499);
    await expect(call()).rejects.toMatchObject({ code: 'idempotencia_em_andamento', retryAfter: 2 });
    expect(runs()).toBe(1);
  });

  it('is resumed once that run’s time is over, from what it claimed; the answer is no replay', async () => {
    const { call, pass, claims } = await open();
    pass(10_000);
    const resumed: unknown[] = [];
    const resume = async (earlier: IdempotencyRecord, claim: Claim | undefined) => {
      resumed.push([earlier.resume, claim]);
      return { status: 202, body: '{}' };
    };
    expect(await call({ resume })).toEqual({ status: 202, body: '{}' });
    expect(resumed).toEqual([['place', claims[1]]]);
  });

  it('is an error of ours where the operation leaves none open', async () => {
    const { call, pass } = await open();
    pass(10_000);
    await expect(call()).rejects.toThrow('cannot be resumed');
  });
});

describe('the answer that an earlier call gave', () => {
  const record = { sameContent: true, answer: FIRST, lockedUntil: NOW + 1, resume: undefined };

  it('is given whether or not its run’s time is over', () => {
    expect(earlierAnswer(record, NOW)).toEqual(FIRST);
    expect(earlierAnswer(record, NOW + 1)).toEqual(FIRST);
  });

  it('is none where the run ended without one', () => {
    expect(earlierAnswer({ ...record, answer: undefined }, NOW + 1)).toBeUndefined();
    expect(() => earlierAnswer({ ...record, answer: undefined }, NOW)).toThrow('idempotencia_em_andamento');
  });
});
