import { expect, it, vi } from 'vitest';
import { createLead, createSimulation, type Route, submitAnalyses } from '#shared/contract/routes.ts';
import type { Caller } from '#shared/domain/partners/partner.ts';
import type { Answer, Claim, IdempotencyRecord } from '#shared/domain/values/idempotency.ts';
import type { EventId } from '#shared/domain/values/ids.ts';
import { earlierAnswer, once } from '#shared/http/once.ts';
import { makeCaller } from '#test/makers/partner-call.ts';

const NOW = Date.UTC(2026, 10, 21);
const HOUR = 3_600_000;
const FIRST: Answer = { status: 201, body: '{"ok":true}' };

interface Changes {
  readonly route?: Route;
  readonly key?: string | undefined;
  readonly caller?: Partial<Caller>;
  readonly fields?: unknown;
  readonly earlier?: IdempotencyRecord;
  readonly resume?: (earlier: IdempotencyRecord, claim: Claim | undefined) => Promise<Answer>;
}

/** A call of POST /v1/leads with the key `k`, its work, and what that work is given to claim. */
function run({ route = createLead, caller, fields = { nome: 'Ana' }, earlier, resume, ...rest }: Changes = {}) {
  const idempotencyKey = 'key' in rest ? rest.key : 'k';
  const path = { id: 0, eventId: '' as EventId, query: {}, body: {} };
  const request = { route, caller: makeCaller(caller), clock: () => NOW, idempotencyKey, requestId: 'r', ...path };
  const work = vi.fn(async (_claim: Claim | undefined) => (earlier ? { earlier } : { done: FIRST }));
  return { answer: once(request, fields, work, resume), claim: work.mock.calls[0]![0] };
}

/** What an earlier call has left under the same key. */
const left = (changes: Partial<IdempotencyRecord> = {}): IdempotencyRecord => {
  return { sameContent: true, answer: FIRST, lockedUntil: NOW, resume: 'place', ...changes };
};
const open = (lockedUntil: number) => left({ answer: undefined, lockedUntil });

it.each([
  ['30 days where a bank is asked', submitAnalyses, 30 * 24 * HOUR],
  ['24 hours for a lead', createLead, 24 * HOUR],
  ['24 hours for a simulation', createSimulation, 24 * HOUR],
])(
  'what an operation claims: is its key, of one unit, environment and operation, with what was sent: for %s',
  (_, route, time) => {
    const tenancy = { unitId: 11, environment: 'sandbox' };
    const own = { operation: route.operation, key: 'k', content: '{"nome":"Ana"}', expiresAt: NOW + time };
    expect(run({ route }).claim).toEqual({ tenancy, ...own });
  },
);

it('what an operation claims: is the same for each key of the unit, and in whatever order the fields come', () => {
  const { claim } = run({ fields: { a: 1, b: { c: 2, d: [1, 2] } } });
  const again = { fields: { b: { d: [1, 2], c: 2 }, a: 1 }, caller: { scopes: [], left: 0 } };
  expect(run(again).claim).toEqual(claim);
});

it('what an operation claims: is nothing without a key', async () => {
  const { answer, claim } = run({ key: undefined });
  expect([await answer, claim]).toEqual([FIRST, undefined]);
});

it('an operation with an Idempotency-Key: gives its own answer the first time, and marks an earlier one as a replay', async () => {
  expect(await run().answer).toEqual(FIRST);
  expect(await run({ earlier: left() }).answer).toEqual({ ...FIRST, replayed: true });
});

it('an operation with an Idempotency-Key: is 422 with another body, also while the first call runs', async () => {
  const conflict = { code: 'idempotency_conflito', fields: [{ field: 'Idempotency-Key' }] };
  for (const earlier of [left({ sameContent: false }), { ...open(NOW + 1), sameContent: false }])
    await expect(run({ earlier }).answer).rejects.toMatchObject(conflict);
});

it.each([
  [6_500, 7],
  [1, 2],
])(
  'an operation with an Idempotency-Key: is 409 for the %i ms that the first call may go on, with Retry-After %i',
  async (time, retryAfter) => {
    const answer = run({ earlier: open(NOW + time), resume: async () => FIRST }).answer;
    await expect(answer).rejects.toMatchObject({ code: 'idempotencia_em_andamento', retryAfter });
  },
);

it('an operation with an Idempotency-Key: is an error of ours where the operation leaves none open', async () => {
  await expect(run({ earlier: open(NOW) }).answer).rejects.toThrow('cannot be resumed');
});

it('the answer of an earlier call is given whether or not its time is over', () => {
  for (const lockedUntil of [NOW, NOW + 1]) expect(earlierAnswer(left({ lockedUntil }), NOW)).toEqual(FIRST);
  expect(earlierAnswer(open(NOW), NOW)).toBeUndefined();
});
