import { describe, expect, it } from 'vitest';
import { owedOf, type PollCursor, planLane, type Span } from '#shared/domain/analyses/poll-cursor.ts';
import { minuteOf, POLL_BUCKETS, type PollPartition } from '#shared/domain/analyses/poll-schedule.ts';

const MINUTE = 60_000;
const NOW = 29_700_000 * MINUTE;
const partition = (bucket: number): PollPartition => ({ environment: 'producao', bank: 'itau', bucket });
const LANE = Array.from({ length: POLL_BUCKETS }, (_, bucket) => partition(bucket));
const cursor = (changes: Partial<PollCursor>): PollCursor => {
  return { through: minuteOf(NOW) - 1, owed: [], begin: [], ...changes };
};

/** The spans of a plan: bucket, and how long before now they begin, end and were due. */
const shown = (spans: readonly Span[]) =>
  spans.map((span) => [span.partition.bucket, NOW - span.from, NOW - span.to, NOW - span.dueAt]);
const [YOUNG, HOUR] = [15 * MINUTE, 60 * MINUTE];

describe('planLane', () => {
  it('a lane without a cursor plans everything', () => {
    const all = [0, 1].map((bucket) => [bucket, NOW, 0, 0]);
    expect(shown(planLane(LANE.slice(0, 2), undefined, NOW))).toEqual(all);
  });

  it('after an hour without a run, a lane plans all ages, the young first', () => {
    const plan = shown(planLane(LANE.slice(0, 2), cursor({ through: minuteOf(NOW) - 60 }), NOW));
    const bands = [2 * HOUR, 24 * HOUR, NOW].map((from, index, all) => [from, all[index - 1] ?? 0, 59 * MINUTE]);
    expect(plan).toEqual(bands.flatMap((band) => [0, 1].map((bucket) => [bucket, ...band])));
  });

  it('a lane orders its spans by deadline, owed ones included, and plans no creation time twice', () => {
    const [a, b] = LANE;
    const owed = [
      { ...a!, from: 0, to: NOW - 30 * HOUR, dueAt: NOW - 58 * MINUTE },
      { ...b!, from: NOW - 50 * HOUR, to: NOW - 40 * HOUR, dueAt: NOW - 61 * MINUTE },
      { ...b!, from: NOW - 5 * HOUR, to: NOW - 90 * MINUTE, dueAt: NOW - 8 * MINUTE },
      { ...b!, from: NOW - 8 * MINUTE, to: NOW - MINUTE, dueAt: NOW - MINUTE },
    ];
    const plan = shown(planLane([a!, b!], cursor({ owed }), NOW));
    expect(plan.slice(0, 3)).toEqual([
      // Due for eight minutes, and may wait for one: seven minutes late.
      [1, 2 * HOUR, 90 * MINUTE, 8 * MINUTE],
      [1, 50 * HOUR, 40 * HOUR, 61 * MINUTE],
      [1, 8 * MINUTE, MINUTE, MINUTE],
    ]);
    const young = plan.slice(3).filter(([, from]) => from! <= 2 * HOUR);
    expect(young.map(([bucket]) => bucket).sort()).toEqual(expect.arrayContaining([0, 1]));
    const old = plan.slice(3 + young.length).map((one) => one.slice(0, 3));
    expect(old).toContainEqual([1, 5 * HOUR, 2 * HOUR]);
    expect(old).toContainEqual([0, NOW, 30 * HOUR]);
    // Spans of a partition do not overlap.
    for (const bucket of [0, 1]) {
      const mine = plan.filter((one) => one[0] === bucket).sort((x, y) => x[1]! - y[1]!);
      for (const [index, one] of mine.slice(1).entries()) expect(one[2]).toBeGreaterThanOrEqual(mine[index]![1]!);
    }
  });

  it('after its breaker opened, a lane begins at the place where it stopped, and ends there', () => {
    const begin = [{ ...partition(1), at: NOW - 5 * MINUTE }];
    const plan = shown(planLane(LANE.slice(0, 3), cursor({ begin }), NOW));
    expect(plan.map(([bucket, from, to]) => [bucket, from! > YOUNG ? YOUNG : from, to])).toEqual([
      [1, 5 * MINUTE, 0],
      [2, YOUNG, 0],
      [0, YOUNG, 0],
      [1, YOUNG, 5 * MINUTE],
    ]);
  });

  it('after its breaker opened, a lane begins with the spans that have been due for longest', () => {
    const begin = [{ ...partition(1), at: NOW - 5 * MINUTE }];
    const owed = [{ ...partition(2), from: 0, to: NOW - 10 * MINUTE, dueAt: NOW - 30 * MINUTE }];
    const plan = planLane(LANE.slice(0, 3), cursor({ begin, owed }), NOW);
    expect(shown(plan)[0]).toEqual([2, NOW, 10 * MINUTE, 30 * MINUTE]);
    expect(plan.filter(({ from, to }) => from >= to)).toEqual([]);
  });

  it('a lane ignores what a cursor says about other lanes', () => {
    const other = { ...partition(0), bank: 'brb' as const };
    const owed = [{ ...other, from: 5, to: NOW, dueAt: 5 }];
    const plan = planLane(LANE, cursor({ owed, begin: [{ ...other, at: 5 }] }), NOW);
    expect(plan).toEqual(planLane(LANE, cursor({}), NOW));
  });
});

it('owedOf joins neighbouring spans of a band, unless the younger one has been due for longer', () => {
  const spans = [
    { partition: partition(4), from: 700, to: 1_000, dueAt: 30 },
    { partition: partition(4), from: 1_000, to: 1_100, dueAt: 60 },
    { partition: partition(4), from: 500, to: 700, dueAt: 60 },
    { partition: partition(5), from: 0, to: 1_100, dueAt: 60 },
  ];
  expect(owedOf(spans, 1_100)).toEqual([
    { ...partition(5), from: 0, to: 1_100, dueAt: 60 },
    { ...partition(4), from: 500, to: 700, dueAt: 60 },
    { ...partition(4), from: 700, to: 1_100, dueAt: 30 },
  ]);
  expect(owedOf(spans.slice(0, 2), 1_050 + 2 * HOUR)).toHaveLength(2);
  const together = spans.slice(0, 2).map((span) => ({ ...span, dueAt: 60 }));
  expect(owedOf(together, 1_100)).toEqual([{ ...partition(4), from: 700, to: 1_100, dueAt: 60 }]);
  expect(owedOf([], 0)).toEqual([]);
});
