import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  canTransition,
  dueRange,
  isPending,
  POLL_BUCKETS,
  POLL_PACES,
  pollBucket,
  SITUATIONS,
  transition,
} from '../../../../shared/domain/analyses/analysis.ts';
import { type AnalysisId, drawId } from '../../../../shared/domain/values/ids.ts';
import { makeAnalysis } from '../../../makers/analysis.ts';
import { seeded } from '../../../makers/seeded.ts';

const MINUTE = 60_000;

describe('the moves of an analysis', () => {
  it.each(SITUATIONS.flatMap((from) => SITUATIONS.map((to) => [from, to] as const)))('%s to %s', (from, to) => {
    const legal = from === 'em_analise' && to !== 'em_analise';
    expect(canTransition(from, to)).toBe(legal);
    const after = transition(makeAnalysis({ situation: from }), { situation: to, rawStatus: 'x', queryNumber: 'N-1' });
    if (legal) expect(after).toMatchObject({ situation: to, sequence: 1, rawStatus: 'x', queryNumber: 'N-1' });
    else if (from === 'em_analise') expect(after).toMatchObject({ situation: to, sequence: 0, rawStatus: 'x' });
    else expect(after).toBeUndefined();
  });

  it('end where nothing is pending', () => {
    expect(SITUATIONS.filter(isPending)).toEqual(['em_analise']);
  });
});

describe('the paces at which analyses are asked about', () => {
  const asked = (bucket: number, createdAt: number, from: number, minutes: number) =>
    Array.from({ length: minutes }, (_, index) => from + index * MINUTE).filter((now) => {
      const range = dueRange(bucket, now);
      return createdAt >= range.from && createdAt < range.to;
    }).length;

  it('are each tick up to 15 minutes of age, then every 2, 10 and 60 minutes', () => {
    const oldest = [15, 120, 24 * 60, 30 * 24 * 60];
    fc.assert(
      fc.property(
        fc.nat(POLL_BUCKETS - 1),
        fc.nat(3),
        fc.nat(10_000_000),
        fc.double({ min: 0, max: 0.5, noNaN: true }),
        (bucket, pace, start, share) => {
          const { from, everyMinutes } = POLL_PACES[pace]!;
          const every = Math.max(1, everyMinutes);
          const now = 1_780_000_000_000 + start * 1_000;
          const age = from + 1 + Math.floor(share * (oldest[pace]! * MINUTE - from));
          // A pace begins one millisecond past its age; what is created at the very tick is met by the next.
          const room = Math.floor((oldest[pace]! * MINUTE - age) / MINUTE);
          const minutes = Math.floor(room / every) * every;
          expect(asked(bucket, now - age, now, minutes)).toBe(minutes / every);
        },
      ),
    );
  });

  it('leave out no age in an hour, however old', () => {
    fc.assert(
      fc.property(fc.nat(POLL_BUCKETS - 1), fc.integer({ min: 1, max: 40 * 24 * 60 * MINUTE }), (bucket, age) => {
        expect(asked(bucket, 1_780_000_000_000 - age, 1_780_000_000_000, 60)).toBeGreaterThanOrEqual(1);
      }),
    );
  });
});

describe('the buckets', () => {
  it('take the ids of one moment, and of many, in about equal shares', () => {
    const counts = new Array<number>(POLL_BUCKETS).fill(0);
    const random = seeded(1);
    const below = (limit: number) => Math.floor(random() * limit);
    for (let index = 0; index < 60_000; index++) {
      const bucket = pollBucket(drawId<AnalysisId>(1_780_000_000_000 + (index >> 3), below));
      expect(bucket).toBeGreaterThanOrEqual(0);
      expect(bucket).toBeLessThan(POLL_BUCKETS);
      counts[bucket]! += 1;
    }
    expect(Math.max(...counts)).toBeLessThan(1_300);
    expect(Math.min(...counts)).toBeGreaterThan(700);
  });
});
