import { expect, it, vi } from 'vitest';
import { createLead, createSimulation, type Route, submitAnalyses } from '#shared/contract/routes.ts';
import type { Caller } from '#shared/domain/partners/partner.ts';
import type { Answer, Claim, IdempotencyRecord } from '#shared/domain/values/idempotency.ts';
import { earlierAnswer, once, onceIfKeyed } from '#shared/http/partner/once.ts';
import { makeCaller } from '#test/makers/partner-call.ts';

const NOW = Date.UTC(2026, 10, 21);
const HOUR = 3_600_000;
const FIRST: Answer = { status: 201, body: '{"ok":true}' };
const RESUMED: Answer = { status: 202, body: '{"ok":true}' };

interface Changes {
  readonly route?: Route;
  readonly key?: string | undefined;
  readonly caller?: Partial<Caller>;
  readonly fields?: unknown;
  readonly earlier?: IdempotencyRecord;
}

const callOf = ({ route = createLead, caller, ...rest }: Changes) => {
  return { route, caller: makeCaller(caller), idempotencyKey: 'key' in rest ? rest.key : 'k' };
};

/** Returns the answer of a POST /v1/leads with the key `k`, and the claim that its work got. */
function run(changes: Changes = {}) {
  const { fields = { nome: 'Ana' }, earlier } = changes;
  const work = vi.fn(async (_claim: Claim | undefined) => (earlier ? { earlier } : { done: FIRST }));
  return { answer: onceIfKeyed(callOf(changes), () => NOW, fields, work), claim: work.mock.calls[0]![0] };
}

/** Returns the answer of a POST /v1/analises with the key `k`, its work, and its resumption. */
function submit(changes: Changes = {}) {
  const { fields = { nome: 'Ana' }, earlier } = changes;
  const work = vi.fn(async (_claim: Claim) => (earlier ? { earlier } : { done: FIRST }));
  const resume = vi.fn(async (_earlier: IdempotencyRecord) => RESUMED);
  const call = callOf({ route: submitAnalyses, ...changes });
  return { answer: once(call, () => NOW, fields, work, resume), work, resume };
}

/** Returns the record that an earlier call has left under the same key. */
const left = (changes: Partial<IdempotencyRecord> = {}): IdempotencyRecord => {
  return { sameContent: true, answer: FIRST, lockedUntil: NOW, resume: 'place', ...changes };
};
const open = (lockedUntil: number) => left({ answer: undefined, lockedUntil });

it.each([
  ['30 days for analyses', submitAnalyses, 30 * 24 * HOUR],
  ['24 hours for leads', createLead, 24 * HOUR],
  ['24 hours for simulations', createSimulation, 24 * HOUR],
])('a claim is of one key, unit, environment, operation and content, and lasts %s', (_, route, time) => {
  const tenancy = { unitId: 11, environment: 'sandbox' };
  const own = { operation: route.operation, key: 'k', content: '{"nome":"Ana"}', expiresAt: NOW + time };
  expect(run({ route }).claim).toEqual({ tenancy, ...own });
});

it('a claim is the same for every key of the unit and for every order of the fields', () => {
  const { claim } = run({ fields: { a: 1, b: { c: 2, d: [1, 2] } } });
  const again = { fields: { b: { d: [1, 2], c: 2 }, a: 1 }, caller: { scopes: [], left: 0 } };
  expect(run(again).claim).toEqual(claim);
});

it('a call without a key claims nothing', async () => {
  const { answer, claim } = run({ key: undefined });
  expect(await answer).toEqual(FIRST);
  expect(claim).toBeUndefined();
});

it('the first call of a key returns its own answer, and a later call returns it as a replay', async () => {
  for (const call of [run, submit]) {
    expect(await call().answer).toEqual(FIRST);
    expect(await call({ earlier: left() }).answer).toEqual({ ...FIRST, replayed: true });
  }
});

it('a key with another body is refused (422), also while the first call runs', async () => {
  const conflict = { code: 'idempotency_conflito', fields: [{ field: 'Idempotency-Key' }] };
  for (const earlier of [left({ sameContent: false }), { ...open(NOW + 1), sameContent: false }])
    for (const call of [run, submit]) await expect(call({ earlier }).answer).rejects.toMatchObject(conflict);
});

it.each([
  [6_500, 7],
  [1, 2],
])(
  'a call is refused (409) for the %i ms that the first call may still run, with Retry-After %i',
  async (time, retryAfter) => {
    const inFlight = { code: 'idempotencia_em_andamento', retryAfter };
    await expect(run({ earlier: open(NOW + time) }).answer).rejects.toMatchObject(inFlight);
    const { answer, resume } = submit({ earlier: open(NOW + time) });
    await expect(answer).rejects.toMatchObject(inFlight);
    expect(resume).not.toHaveBeenCalled();
  },
);

it('an open record of an operation that cannot be resumed is an error', async () => {
  await expect(run({ earlier: open(NOW) }).answer).rejects.toThrow('cannot be resumed');
});

it('POST /v1/analises resumes work that an earlier call has claimed and not answered', async () => {
  const earlier = open(NOW);
  const { answer, resume } = submit({ earlier });
  expect(await answer).toEqual(RESUMED);
  expect(resume).toHaveBeenCalledWith(earlier);
});

it('the work of a route that requires an Idempotency-Key never runs without a key', async () => {
  const { answer, work } = submit({ key: undefined });
  await expect(answer).rejects.toMatchObject({ code: 'campo_obrigatorio', fields: [{ field: 'Idempotency-Key' }] });
  expect(work).not.toHaveBeenCalled();
});

it('an earlier answer is returned whether or not its lock is over', () => {
  for (const lockedUntil of [NOW, NOW + 1]) expect(earlierAnswer(left({ lockedUntil }), NOW)).toEqual(FIRST);
  expect(earlierAnswer(open(NOW), NOW)).toBeUndefined();
});
