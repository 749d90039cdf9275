import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AnalysisId, UnitId } from '#shared/domain/values/ids.ts';
import { ENVIRONMENTS, type Environment, type Tenancy } from '#shared/domain/values/tenancy.ts';
import * as delivery from '#shared/domain/webhooks/delivery.ts';
import { disablingCause } from '#shared/domain/webhooks/endpoint.ts';

const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000];
const UNIT: Tenancy = { unitId: 11 as UnitId, environment: 'producao' };
const none = () => 0;
const most = () => 1 - Number.EPSILON;
const environment = fc.constantFrom(...ENVIRONMENTS);
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const asked = fc.oneof(fc.nat(), fc.integer({ min: 0, max: 30 * DAY }), fc.constantFrom(Infinity, undefined));

test('waitAfter keeps Retry-After between the wait and twice the wait, and at most 11 h 50 min', () => {
  fc.assert(
    fc.property(environment, fc.nat({ max: 11 }), asked, random, (where, attempts, retryAfter, r) => {
      const wait = delivery.RETRY_WAITS[where][attempts];
      const given = delivery.waitAfter(where, attempts, retryAfter, () => r);
      if (wait === undefined) return given === undefined;
      expect(given).toBeGreaterThanOrEqual(wait);
      expect(given).toBeLessThanOrEqual(Math.min(2 * wait, delivery.LONGEST_RETRY_WAIT));
      if (retryAfter !== undefined)
        expect(given).toBeGreaterThanOrEqual(Math.min(retryAfter, 2 * wait, delivery.LONGEST_RETRY_WAIT));
      return true;
    }),
  );
  expect(delivery.LONGEST_RETRY_WAIT).toBe(11 * HOUR + 50 * MINUTE);
});

test('waitAfter adds jitter of up to a tenth to the wait and to Retry-After', () => {
  expect(delivery.waitAfter('producao', 4, undefined, most)).toBe(132 * MINUTE);
  expect(delivery.waitAfter('producao', 4, 3 * HOUR, most)).toBe(198 * MINUTE);
  expect(delivery.waitAfter('producao', 4, 3.9 * HOUR, most)).toBe(4 * HOUR);
  expect(delivery.waitAfter('producao', 6, 11.5 * HOUR, most)).toBe(delivery.LONGEST_RETRY_WAIT);
});

const failure = { delivered: false, milliseconds: 80, detail: '' } as const;
const plain: delivery.AttemptResult = { ...failure, failure: 'http_5xx', status: 500 };
const gone: delivery.AttemptResult = { ...failure, failure: 'http_4xx', status: 410 };
const later = (retryAfter: number): delivery.AttemptResult => ({
  ...failure,
  failure: 'http_5xx',
  status: 503,
  retryAfter,
});

const success: delivery.AttemptResult = { delivered: true, status: 204, milliseconds: 30 };
const due = (dueAt: number): delivery.NextStep => ({ state: 'pendente', dueAt });
test.each<[string, Environment, number, delivery.AttemptResult, boolean, delivery.NextStep]>([
  ['a success', 'producao', 1, success, true, { state: 'entregue' }],
  ['a first failure', 'sandbox', 1, plain, false, due(5 * SECOND)],
  ['a third failure', 'sandbox', 3, plain, false, due(2 * MINUTE)],
  ['a last failure', 'sandbox', 4, plain, false, { state: 'esgotada' }],
  ['a failed manual attempt after the last', 'producao', 13, later(HOUR), false, { state: 'esgotada' }],
  ['410 that disabled the endpoint', 'producao', 1, gone, true, { state: 'suspensa' }],
  ['410 that disabled the endpoint', 'producao', 12, gone, true, { state: 'suspensa' }],
  ['410 of an address that was replaced meanwhile', 'producao', 1, gone, false, due(5 * SECOND)],
  ['410 of an address that was replaced meanwhile', 'producao', 12, gone, false, { state: 'esgotada' }],
  ['a failure at a disabled endpoint, attempts left', 'producao', 11, plain, true, { state: 'suspensa' }],
  ['a failure at a disabled endpoint, no attempt left', 'producao', 12, plain, true, { state: 'esgotada' }],
])('nextStep returns the step that follows %s: %s, attempt %i', (_, environment, attempts, result, disabled, next) => {
  expect(delivery.nextStep({ environment, attempts }, result, disabled, 0, none)).toEqual(next);
});

test('historyAfter keeps the last twelve attempts, and only the newest with its whole detail', () => {
  let history: readonly delivery.Attempt[] = [];
  for (let number = 1; number <= 30; number++)
    history = delivery.historyAfter(history, {
      number,
      at: number,
      result: { ...plain, detail: '\u{1f4a5}'.repeat(512) },
    });
  expect(history.map(({ number }) => number)).toEqual([19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30]);
  expect(history.at(-1)!.result).toEqual({ ...plain, detail: '\u{1f4a5}'.repeat(512) });
  for (const { result } of history.slice(0, -1)) expect(result).toEqual({ ...plain, detail: '\u{1f4a5}'.repeat(60) });
  expect(Buffer.byteLength(JSON.stringify(history))).toBeLessThan(7 * 1024);
});

test('historyAfter changes neither a success nor a failure with a short detail', () => {
  const attempts: readonly delivery.Attempt[] = [
    { number: 12, at: 1, result: { ...plain, detail: 'x'.repeat(120) } },
    { number: 13, at: 2, result: success },
  ];
  expect(delivery.historyAfter(attempts, attempts[1]!).slice(0, 2)).toEqual(attempts);
});

describe('eventIdOf', () => {
  const event = fc.record({
    unitId: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }) as fc.Arbitrary<UnitId>,
    environment,
    analysisId: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }) as fc.Arbitrary<AnalysisId>,
    type: fc.constantFrom<delivery.EventType>('analise.resultado', 'analise.erro'),
    sequence: fc.integer({ min: 1, max: 1000 }),
  });
  type Event = typeof event extends fc.Arbitrary<infer T> ? T : never;
  const idOf = (e: Event) => delivery.eventIdOf(e, e.analysisId, e.type, e.sequence);

  test('the id of an event never changes, since a later version must find the stored row', () => {
    const id = delivery.eventIdOf(UNIT, 9001 as AnalysisId, 'analise.resultado', 1);
    expect(id).toMatchInlineSnapshot(`"evt_dza62o3i6shbw6vfpql7555e5nvpcbdf"`);
  });

  test('two events have different ids if unit, environment, analysis, type or sequence differs', () => {
    const field = fc.constantFrom<keyof Event>('unitId', 'environment', 'analysisId', 'type', 'sequence');
    fc.assert(
      fc.property(event, event, field, (one, other, key) => {
        expect(idOf({ ...one, [key]: other[key] }) === idOf(one)).toBe(other[key] === one[key]);
      }),
    );
  });
});

test('lookAt is two minutes after an attempt if a message waits for it, and one minute before if none does', () => {
  expect(delivery.lookAt(10 * MINUTE, true)).toBe(12 * MINUTE);
  expect(delivery.lookAt(10 * MINUTE, false)).toBe(9 * MINUTE);
});

test('waitsInQueue is true for an attempt that is due within 15 minutes, and false for a later one', () => {
  expect(delivery.waitsInQueue(15 * MINUTE, 0)).toBe(true);
  expect(delivery.waitsInQueue(15 * MINUTE + 1, 0)).toBe(false);
});

test('dueBucket returns the same partition each time, and spreads events evenly over all partitions', () => {
  const counts = new Array<number>(delivery.DUE_BUCKETS).fill(0);
  for (let id = 1; id <= 8_000; id++) {
    const eventId = delivery.eventIdOf(UNIT, id as AnalysisId, 'analise.resultado', 1);
    const bucket = delivery.dueBucket(eventId);
    expect(delivery.dueBucket(eventId)).toBe(bucket);
    counts[bucket]! += 1;
  }
  const mean = 8_000 / delivery.DUE_BUCKETS;
  for (const count of counts) expect(Math.abs(count - mean)).toBeLessThan(0.2 * mean);
});

test.each<[string, number, number | undefined, number, delivery.AttemptResult, 'failing' | 'gone' | undefined]>([
  ['12 failures, the first 5 days ago', 12, HOUR, HOUR + 5 * DAY, plain, 'failing'],
  ['12 failures, a moment less than 5 days', 12, 0, 5 * DAY - 1, plain, undefined],
  ['11 failures in 9 days', 11, 0, 9 * DAY, plain, undefined],
  ['no failure in 30 days', 0, undefined, 30 * DAY, plain, undefined],
  ['a 410, whatever went before', 1, 1, 1, gone, 'gone'],
  ['a success', 99, 0, 9 * DAY, success, undefined],
])(
  'disablingCause returns why the endpoint is disabled, or undefined: %s',
  (_, failures, failingSince, now, result, cause) => {
    expect(disablingCause({ failures, failingSince }, result, now)).toBe(cause);
  },
);
