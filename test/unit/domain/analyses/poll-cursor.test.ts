import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  cutAfter,
  isFromFuture,
  type PollCursor,
  type PollLane,
  planLane,
  type Span,
} from '#shared/domain/analyses/poll-cursor.ts';
import { dueIn, minuteOf, POLL_BUCKETS, type PollPartition } from '#shared/domain/analyses/poll-schedule.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOW = 29_700_000 * MINUTE;
const THIS = minuteOf(NOW);
const young: PollLane = { environment: 'producao', bank: 'itau', age: 'young' };
const old: PollLane = { ...young, age: 'old' };
const PARTITIONS = Array.from({ length: POLL_BUCKETS }, (_, bucket): PollPartition => {
  return { environment: 'producao', bank: 'itau', bucket };
});
const THREE = PARTITIONS.slice(0, 3);
const cursor = (changes: Partial<PollCursor> = {}): PollCursor => {
  return { since: THIS - 1_000, through: THIS - 1, cut: [], ...changes };
};
/** A lane that was cut off in bucket 1, five minutes ago, at analyses that are `age` old now. */
const cutIn = (lane: PollLane, age: number, through: Record<string, number>) =>
  cursor({ cut: [{ ...lane, bucket: 1, at: NOW - age, begun: THIS - 5, through }] });

/** The spans of a plan: bucket, and how long before now they begin and end. */
const shown = (spans: readonly Span[]) => spans.map((span) => [span.partition.bucket, NOW - span.from, NOW - span.to]);

describe('planLane', () => {
  it('without a cursor everything is due, the young in one lane and the old in another', () => {
    expect(shown(planLane(young, THREE, undefined, NOW))).toEqual([0, 1, 2].map((bucket) => [bucket, 2 * HOUR, 0]));
    expect(shown(planLane(old, THREE, undefined, NOW))).toEqual([0, 1, 2].map((bucket) => [bucket, NOW, 2 * HOUR]));
  });

  it('what is due in a partition at one pace is in one of the two lanes', () => {
    fc.assert(
      fc.property(fc.constantFrom(...PARTITIONS), fc.nat(70), (partition, missed) => {
        const through = THIS - 1 - missed;
        const [a] = planLane(young, [partition], cursor({ through }), NOW);
        const [b] = planLane(old, [partition], cursor({ through }), NOW);
        const { from } = dueIn(partition, through, NOW);
        expect(a).toMatchObject({ from: Math.max(from, NOW - 2 * HOUR), to: NOW });
        expect(b).toMatchObject({ from, to: NOW - 2 * HOUR });
        expect(a?.since).toBe(through + 1);
      }),
    );
  });

  it('a lane that was cut off goes on there, and comes to the beginning of that partition last', () => {
    const through = { 0: THIS - 4, 1: THIS - 9, 2: THIS - 9 };
    const plan = planLane(young, THREE, cutIn(young, 5 * MINUTE, through), NOW);
    const all = 2 * HOUR;
    expect(shown(plan)).toEqual([
      [1, 5 * MINUTE, 0],
      [2, all, 0],
      [0, all, 0],
      [1, all, 5 * MINUTE],
    ]);
    expect(plan.map(({ since }) => THIS - since)).toEqual([8, 8, 3, 4]);
    expect(plan.map((span) => THIS - span.through)).toEqual([5, 0, 0, 0]);
  });

  it('what no run has read yet is due since the first run', () => {
    const plan = planLane(old, THREE, { ...cutIn(old, HOUR, { 1: THIS - 9 }), since: THIS - 20 }, NOW);
    expect(plan.map(({ since }) => THIS - since)).toEqual([8, 20, 20, 4]);
    expect(plan.map(({ from }) => from === 0)).toEqual([false, true, true, false]);
  });

  it('a lane ignores what a cursor says about other lanes', () => {
    for (const other of [old, { ...young, bank: 'brb' as const }, { ...young, environment: 'sandbox' as const }])
      expect(planLane(young, THREE, cutIn(other, HOUR, {}), NOW)).toEqual(planLane(young, THREE, cursor(), NOW));
  });
});

describe('cutAfter', () => {
  it('a lane that was read to its end leaves nothing', () => {
    const before = cutIn(young, 5 * MINUTE, { 0: 1, 1: 1, 2: 1 });
    expect(cutAfter(young, planLane(young, THREE, before, NOW), [], before)).toBeUndefined();
  });

  it('a lane that is cut off keeps where it was, and how far each partition was read', () => {
    const plan = planLane(young, THREE, cursor(), NOW);
    const [, second, third] = plan;
    const cut = cutAfter(young, plan, [{ ...second!, from: 7 }, third!], cursor());
    const through = { 0: THIS, 1: THIS - 1, 2: THIS - 1 };
    expect(cut).toEqual({ ...young, bucket: 1, at: 7, begun: THIS, through });
  });

  it('without a cursor a partition that was not read has no minute', () => {
    const plan = planLane(young, THREE, undefined, NOW);
    expect(cutAfter(young, plan, plan.slice(1), undefined)?.through).toEqual({ 0: THIS });
  });

  it('a partition that was cut off counts as read for the minute in which it was begun', () => {
    const before = cutIn(young, 5 * MINUTE, { 0: THIS - 4, 1: THIS - 9, 2: THIS - 9 });
    const plan = planLane(young, THREE, before, NOW);
    expect(cutAfter(young, plan, plan.slice(1), before)?.through).toEqual({ 0: THIS - 4, 1: THIS - 5, 2: THIS - 9 });
    const again = cutAfter(young, plan, [{ ...plan[0]!, from: 8 }, ...plan.slice(1)], before);
    expect(again).toMatchObject({ bucket: 1, at: 8, begun: THIS - 5, through: { 1: THIS - 9 } });
  });

  it('every due analysis has its turn before another one has a second turn, wherever runs are cut off', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 20, maxLength: 40 }), (runs) => {
        // Each of the old partitions has five analyses. A run asks about so many of them.
        const ages = [3, 4, 5, 6, 7].map((hours) => hours * HOUR);
        const turns = new Map<string, number>();
        let state: PollCursor | undefined;
        for (const [minute, most] of runs.entries()) {
          const now = NOW + minute * MINUTE;
          const plan = planLane(old, THREE, state, now);
          let left = most;
          let rest: Span[] = [];
          for (const [index, span] of plan.entries()) {
            const due = ages.map((age) => NOW - age).filter((at) => at >= span.from && at < span.to);
            const turn = due.toSorted((a, b) => a - b).slice(0, left);
            left -= turn.length;
            for (const at of turn) {
              const name = `${span.partition.bucket} ${at}`;
              turns.set(name, (turns.get(name) ?? 0) + 1);
            }
            const next = due.toSorted((a, b) => a - b)[turn.length];
            if (next === undefined) continue;
            rest = [{ ...span, from: next }, ...plan.slice(index + 1)];
            break;
          }
          const cut = cutAfter(old, plan, rest, state);
          state = { since: THIS, through: minuteOf(now), cut: cut ? [cut] : [] };
          const counts = THREE.flatMap(({ bucket }) => ages.map((age) => turns.get(`${bucket} ${NOW - age}`) ?? 0));
          const asked = counts.reduce((sum, count) => sum + count, 0);
          if (asked < counts.length) expect(Math.max(...counts)).toBe(1);
        }
        expect(turns.size).toBe(THREE.length * ages.length);
      }),
    );
  });
});

it('isFromFuture finds a cursor that is more than a minute ahead', () => {
  expect(isFromFuture(cursor({ through: THIS + 1 }), NOW)).toBe(false);
  expect(isFromFuture(cursor({ through: THIS + 2 }), NOW)).toBe(true);
});
