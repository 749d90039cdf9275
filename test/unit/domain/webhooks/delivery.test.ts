import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AnalysisId, EventId, UnitId } from '../../../../shared/domain/values/ids.ts';
import { ENVIRONMENTS, type Environment } from '../../../../shared/domain/values/tenancy.ts';
import {
  type Attempt,
  type AttemptResult,
  DUE_BUCKETS,
  dueBucket,
  type EventType,
  eventIdOf,
  historyAfter,
  LONGEST_WAIT,
  nextCheckAt,
  nextStep,
  QUEUE_WAIT,
  RETRY_WAITS,
  waitAfter,
} from '../../../../shared/domain/webhooks/delivery.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const none = () => 0;
const most = () => 1 - Number.EPSILON;
const environment = fc.constantFrom(...ENVIRONMENTS);
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const asked = fc.option(fc.oneof(fc.nat(), fc.integer({ min: 0, max: 30 * 24 * HOUR }), fc.constant(Infinity)), {
  nil: undefined,
});

describe('the waits', () => {
  test.each<[Environment, number[]]>([
    [
      'producao',
      [0, 5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, ...[10, 10, 10, 10, 10, 10].map((h) => h * HOUR)],
    ],
    ['sandbox', [0, 5 * SECOND, 30 * SECOND, 2 * MINUTE]],
  ])('%s: the contract list, then nothing', (where, waits) => {
    expect(waits.map((_, attempts) => waitAfter(where, attempts, undefined, none))).toEqual(waits);
    expect(waitAfter(where, waits.length, undefined, none)).toBeUndefined();
    expect(waitAfter(where, waits.length + 1, 60 * SECOND, none)).toBeUndefined();
  });

  test('twelve attempts span Friday 18:00 to Monday 09:00 at least, however the jitter falls', () => {
    expect(RETRY_WAITS.producao.reduce((sum, wait) => sum + wait, 0)).toBeGreaterThanOrEqual(67 * HOUR + 35 * MINUTE);
    fc.assert(
      fc.property(fc.array(random, { minLength: 12, maxLength: 12 }), (jitter) => {
        const total = jitter.reduce((sum, r, n) => sum + waitAfter('producao', n, undefined, () => r)!, 0);
        expect(total).toBeGreaterThanOrEqual(67 * HOUR + 35 * MINUTE);
        expect(total).toBeLessThanOrEqual(1.1 * (67 * HOUR + 36 * MINUTE));
      }),
    );
  });

  test('the first attempt never waits', () => {
    fc.assert(
      fc.property(environment, random, (where, r) => {
        expect(waitAfter(where, 0, undefined, () => r)).toBe(0);
      }),
    );
  });

  test('Retry-After stays between the wait and twice the wait, and below 11 h 50', () => {
    fc.assert(
      fc.property(environment, fc.nat({ max: 11 }), asked, random, (where, attempts, retryAfter, r) => {
        const wait = RETRY_WAITS[where][attempts];
        const given = waitAfter(where, attempts, retryAfter, () => r);
        if (wait === undefined) return given === undefined;
        expect(given).toBeGreaterThanOrEqual(wait);
        expect(given).toBeLessThanOrEqual(Math.min(2 * wait, LONGEST_WAIT));
        if (retryAfter !== undefined)
          expect(given).toBeGreaterThanOrEqual(Math.min(retryAfter, 2 * wait, LONGEST_WAIT));
        return true;
      }),
    );
    expect(LONGEST_WAIT).toBe(11 * HOUR + 50 * MINUTE);
  });

  test('jitter adds up to a tenth to the wait and to what the receiver asks for', () => {
    expect(waitAfter('producao', 4, undefined, most)).toBe(132 * MINUTE);
    expect(waitAfter('producao', 4, 3 * HOUR, most)).toBe(198 * MINUTE);
    expect(waitAfter('producao', 4, 3.9 * HOUR, most)).toBe(4 * HOUR);
    expect(waitAfter('producao', 6, 11.5 * HOUR, most)).toBe(LONGEST_WAIT);
  });
});

/** What became of an attempt, and the wait before the next one, for each of the twelve attempts. */
const failure = { delivered: false, milliseconds: 80, detail: '' } as const;
const plain: AttemptResult = { ...failure, failure: 'http_5xx', status: 500 };
const limited: AttemptResult = { ...failure, failure: 'http_4xx', status: 429 };
const later = (retryAfter: number): AttemptResult => ({ ...failure, failure: 'http_5xx', status: 503, retryAfter });
const timeout: AttemptResult = { ...failure, failure: 'timeout', milliseconds: 15_000 };

describe('the retry clock', () => {
  const hours = (...list: number[]) => list.map((h) => h * HOUR);
  const schedule = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, ...hours(2, 5, 10, 10, 10, 10, 10, 10)];
  test.each<[string, AttemptResult, number[]]>([
    ['a plain 500', plain, schedule],
    ['429 without Retry-After', limited, schedule],
    ['a timeout', timeout, schedule],
    ['Retry-After 1 s: never sooner than the wait', later(SECOND), schedule],
    [
      'Retry-After 6 h: up to twice the wait',
      later(6 * HOUR),
      [10 * SECOND, 10 * MINUTE, HOUR, ...hours(4, 6, 10, 10, 10, 10, 10, 10)],
    ],
    [
      'Retry-After a week: never above 11 h 50',
      later(7 * 24 * HOUR),
      [10 * SECOND, 10 * MINUTE, HOUR, ...hours(4, 10), ...Array<number>(6).fill(11 * HOUR + 50 * MINUTE)],
    ],
  ])('production, twelve times %s', (_, result, waits) => {
    let now = 1_763_640_000_000;
    const seen: number[] = [];
    for (let attempts = 1; attempts <= 11; attempts++) {
      const step = nextStep({ environment: 'producao', attempts }, result, false, now, none);
      if (step.state !== 'pendente') throw new Error(`attempt ${attempts} gave ${step.state}`);
      seen.push(step.dueAt - now);
      now = step.dueAt;
    }
    expect(seen).toEqual(waits);
    expect(nextStep({ environment: 'producao', attempts: 12 }, result, false, now, none)).toEqual({
      state: 'esgotada',
    });
  });

  test('the sandbox gives up after four', () => {
    const steps = [1, 2, 3, 4].map((attempts) => nextStep({ environment: 'sandbox', attempts }, plain, false, 0, none));
    expect(steps).toEqual([
      { state: 'pendente', dueAt: 5 * SECOND, retryOwner: 'queue' },
      { state: 'pendente', dueAt: 30 * SECOND, retryOwner: 'queue' },
      { state: 'pendente', dueAt: 2 * MINUTE, retryOwner: 'queue' },
      { state: 'esgotada' },
    ]);
  });

  test('a success is the end, on any attempt', () => {
    const success: AttemptResult = { delivered: true, status: 204, milliseconds: 30 };
    for (const attempts of [1, 12, 13])
      expect(nextStep({ environment: 'producao', attempts }, success, true, 0)).toEqual({ state: 'entregue' });
  });

  test('410 that disabled the endpoint keeps the event for the manager, even on the last attempt', () => {
    const gone: AttemptResult = { ...failure, failure: 'http_4xx', status: 410 };
    for (const attempts of [1, 12])
      expect(nextStep({ environment: 'producao', attempts }, gone, true, 0)).toEqual({ state: 'suspensa' });
  });

  test('410 of an address that the manager has replaced meanwhile is a failure like others', () => {
    const gone: AttemptResult = { ...failure, failure: 'http_4xx', status: 410 };
    const step = nextStep({ environment: 'producao', attempts: 1 }, gone, false, 0, none);
    expect(step).toEqual({ state: 'pendente', dueAt: 5 * SECOND, retryOwner: 'queue' });
    expect(nextStep({ environment: 'producao', attempts: 12 }, gone, false, 0)).toEqual({ state: 'esgotada' });
  });

  test("waits up to 15 minutes are the queue's, longer ones the sweeper's", () => {
    const keeperAfter = (attempts: number, random: () => number) => {
      const step = nextStep({ environment: 'producao', attempts }, later(6 * HOUR), false, 0, random);
      return step.state === 'pendente' && step.retryOwner;
    };
    expect([1, 2, 3, 4, 5, 6, 11].map((attempts) => keeperAfter(attempts, none))).toEqual([
      'queue',
      'queue',
      'sweeper',
      'sweeper',
      'sweeper',
      'sweeper',
      'sweeper',
    ]);
    expect(QUEUE_WAIT).toBe(15 * MINUTE);
  });

  test("the sweeper looks at its own when they are due, and at the queue's when they should have come", () => {
    expect(nextCheckAt('sweeper', 7)).toBe(7);
    expect(nextCheckAt('queue', 7)).toBe(7 + 2 * MINUTE);
  });

  test('a disabled endpoint keeps events that have attempts left, and lets go of those that have none', () => {
    expect(nextStep({ environment: 'producao', attempts: 11 }, plain, true, 0)).toEqual({ state: 'suspensa' });
    expect(nextStep({ environment: 'producao', attempts: 12 }, plain, true, 0)).toEqual({ state: 'esgotada' });
  });

  test('a manual attempt after the last is given up again', () => {
    expect(nextStep({ environment: 'producao', attempts: 13 }, later(HOUR), false, 0)).toEqual({ state: 'esgotada' });
  });
});

describe('what a row remembers', () => {
  test('the last twelve attempts, only the newest with its whole detail', () => {
    let history: readonly Attempt[] = [];
    for (let number = 1; number <= 30; number++)
      history = historyAfter(history, { number, at: number, result: { ...plain, detail: '\u{1f4a5}'.repeat(512) } });
    expect(history.map(({ number }) => number)).toEqual([19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30]);
    expect(history.at(-1)!.result).toEqual({ ...plain, detail: '\u{1f4a5}'.repeat(512) });
    for (const { result } of history.slice(0, -1)) expect(result).toEqual({ ...plain, detail: '\u{1f4a5}'.repeat(60) });
    expect(Buffer.byteLength(JSON.stringify(history))).toBeLessThan(7 * 1024);
  });

  test('a success stays as it is, and so does what is told in few words', () => {
    const attempts: readonly Attempt[] = [
      { number: 12, at: 1, result: { ...plain, detail: 'x'.repeat(120) } },
      { number: 13, at: 2, result: { delivered: true, status: 204, milliseconds: 30 } },
    ];
    expect(historyAfter(attempts, attempts[1]!).slice(0, 2)).toEqual(attempts);
  });

  test('a cut never leaves half a character', () => {
    const result = { ...plain, detail: `x${'\u{1f4a5}'.repeat(512)}` };
    const [first] = historyAfter(historyAfter([], { number: 1, at: 1, result }), { number: 2, at: 2, result });
    expect(first!.result).toEqual({ ...plain, detail: `x${'\u{1f4a5}'.repeat(59)}\ufffd` });
  });
});

describe('event ids', () => {
  const event = fc.record({
    unitId: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }) as fc.Arbitrary<UnitId>,
    environment,
    analysisId: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }) as fc.Arbitrary<AnalysisId>,
    type: fc.constantFrom<EventType>('analise.resultado', 'analise.erro'),
    sequence: fc.integer({ min: 1, max: 1000 }),
  });
  type Event = typeof event extends fc.Arbitrary<infer T> ? T : never;
  const idOf = (e: Event) => eventIdOf(e, e.analysisId, e.type, e.sequence);

  test('are evt_ and 160 bits of SHA-256 in base32', () => {
    fc.assert(
      fc.property(event, (e) => {
        const named = `${e.unitId}/${e.environment}/${e.analysisId}/${e.type}/${e.sequence}`;
        const bits = BigInt(`0x${createHash('sha256').update(named).digest('hex').slice(0, 40)}`).toString(2);
        const digits = bits.padStart(160, '0').match(/.{5}/g)!;
        expect(idOf(e)).toBe(
          `evt_${digits.map((d) => 'abcdefghijklmnopqrstuvwxyz234567'[Number.parseInt(d, 2)]).join('')}`,
        );
      }),
    );
  });

  test('stay what they are: a stored id must be found again by a later version', () => {
    const id = eventIdOf({ unitId: 11 as UnitId, environment: 'producao' }, 9001 as AnalysisId, 'analise.resultado', 1);
    expect(id).toMatchInlineSnapshot(`"evt_dza62o3i6shbw6vfpql7555e5nvpcbdf"`);
  });

  test('two events never share one: unit, environment, analysis, type and sequence all count', () => {
    fc.assert(
      fc.property(event, event, (a, b) => {
        expect(idOf(a) === idOf(b)).toBe(JSON.stringify(a) === JSON.stringify(b));
      }),
    );
    const one = {
      unitId: 1 as UnitId,
      environment: 'sandbox' as const,
      analysisId: 2 as AnalysisId,
      type: 'analise.erro' as const,
      sequence: 3,
    };
    const others: Event[] = [
      { ...one, unitId: 4 as UnitId },
      { ...one, environment: 'producao' },
      { ...one, analysisId: 4 as AnalysisId },
      { ...one, type: 'analise.resultado' },
      { ...one, sequence: 4 },
    ];
    expect(new Set([one, ...others].map(idOf)).size).toBe(6);
  });
});

describe('the part that an event waits in', () => {
  test('is always the same, and each takes its share of the queue’s', () => {
    const counts = new Array<number>(DUE_BUCKETS.queue).fill(0);
    for (let id = 1; id <= 8_000; id++) {
      const eventId = eventIdOf(
        { unitId: 11 as UnitId, environment: 'producao' },
        id as AnalysisId,
        'analise.resultado',
        1,
      );
      const bucket = dueBucket('queue', eventId);
      expect([bucket, dueBucket('sweeper', eventId)]).toEqual([dueBucket('queue', eventId), 0]);
      counts[bucket]! += 1;
    }
    // Rows lie where an earlier version has written them.
    expect(dueBucket('queue', 'evt_dza62o3i6shbw6vfpql7555e5nvpcbdf' as EventId)).toBe(7);
    const mean = 8_000 / DUE_BUCKETS.queue;
    for (const count of counts) expect(Math.abs(count - mean)).toBeLessThan(0.2 * mean);
  });
});
