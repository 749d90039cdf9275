import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { owedOf, type PollCursor, planLane, type Span } from '../../../../shared/domain/analyses/poll-cursor.ts';
import { minuteOf, POLL_BUCKETS, type PollPartition } from '../../../../shared/domain/analyses/poll-schedule.ts';

const MINUTE = 60_000;
const NOW = 29_700_000 * MINUTE;
const partition = (bucket: number): PollPartition => ({ environment: 'producao', bank: 'itau', bucket });
const LANE = Array.from({ length: POLL_BUCKETS }, (_, bucket) => partition(bucket));
const cursor = (changes: Partial<PollCursor>): PollCursor => ({
  through: minuteOf(NOW) - 1,
  owed: [],
  begin: [],
  ...changes,
});

/** What a plan goes through, as text. */
const shown = (spans: readonly Span[]) =>
  spans.map((span) => [span.partition.bucket, NOW - span.from, NOW - span.to, NOW - span.dueAt]);
const YOUNG = 15 * MINUTE;

describe('the plan of a lane', () => {
  it('is everything where no run has ended yet', () => {
    expect(shown(planLane(LANE.slice(0, 2), undefined, NOW))).toEqual([
      [0, NOW, 0, 0],
      [1, NOW, 0, 0],
    ]);
  });

  it('goes first through what is owed for longest, from where it was cut to now and then round to it', () => {
    const [a, b, c] = LANE;
    const owed = [
      { ...b!, at: NOW - 8 * MINUTE, dueAt: NOW - MINUTE },
      {
        ...c!,
        at: NOW - 500 * MINUTE,
        dueAt: NOW - 3 * MINUTE,
        rest: { from: NOW - 900 * MINUTE, dueAt: NOW - 2 * MINUTE },
      },
    ];
    const plan = shown(planLane([a!, b!, c!], cursor({ owed }), NOW));
    expect(plan.slice(0, 3)).toEqual([
      [2, 500 * MINUTE, 0, 3 * MINUTE],
      [2, 900 * MINUTE, 500 * MINUTE, 2 * MINUTE],
      [1, 8 * MINUTE, 0, MINUTE],
    ]);
    // What is due now comes on top of what bucket 1 owes: its youngest, up to where it was cut.
    expect(plan.slice(3).map(([bucket]) => bucket)).toEqual([0, 1]);
    expect(plan.at(-1)![1]).toBeGreaterThanOrEqual(YOUNG);
    expect(plan.at(-1)![2]).toBe(8 * MINUTE);
  });

  it('begins behind where a bank was left alone, and ends there', () => {
    const begin = [{ ...partition(1), at: NOW - 5 * MINUTE }];
    const plan = shown(planLane(LANE.slice(0, 3), cursor({ begin }), NOW));
    expect(plan.map(([bucket, from, to]) => [bucket, from! > YOUNG ? YOUNG : from, to])).toEqual([
      [1, 5 * MINUTE, 0],
      [2, YOUNG, 0],
      [0, YOUNG, 0],
      [1, YOUNG, 5 * MINUTE],
    ]);
  });

  it('leaves other lanes’ cursors alone', () => {
    const other = { ...partition(0), bank: 'brb' as const, at: 5, dueAt: 5 };
    expect(planLane(LANE, cursor({ owed: [other], begin: [other] }), NOW)).toEqual(planLane(LANE, cursor({}), NOW));
  });
});

describe('what is owed', () => {
  it('is where the cut was, where the first part of a ring was cut, and what its second part holds', () => {
    const spans = [
      { partition: partition(4), from: 700, to: 1_000, dueAt: 30 },
      { partition: partition(4), from: 200, to: 500, dueAt: 60 },
      { partition: partition(5), from: 0, to: 1_000, dueAt: 60 },
    ];
    expect(owedOf(spans)).toEqual([
      { ...partition(4), at: 700, dueAt: 30, rest: { from: 200, dueAt: 60 } },
      { ...partition(5), at: 0, dueAt: 60 },
    ]);
    expect(owedOf(spans.slice(1))).toEqual([
      { ...partition(4), at: 200, dueAt: 60 },
      { ...partition(5), at: 0, dueAt: 60 },
    ]);
    expect(owedOf([])).toEqual([]);
  });

  /** A lane whose every run comes to `capacity` analyses: how many runs until each that is pending has had its turn. */
  function runsUntilAllHadTheirTurn(
    pending: readonly { bucket: number; createdAt: number }[],
    capacities: readonly number[],
  ) {
    const turns = new Set<number>();
    let before: PollCursor | undefined;
    for (let run = 0; ; run++) {
      if (turns.size === pending.length) return run;
      const now = NOW + run * MINUTE;
      let left = capacities[run % capacities.length]!;
      const plan = planLane(LANE, before, now);
      const rest: Span[] = [];
      for (const span of plan) {
        const inSpan = pending
          .map((one, index) => ({ ...one, index }))
          .filter(
            ({ bucket, createdAt }) =>
              bucket === span.partition.bucket && createdAt >= span.from && createdAt < span.to,
          )
          .sort((a, b) => a.createdAt - b.createdAt);
        const mine = rest.length > 0 ? [] : inSpan.slice(0, left);
        left -= mine.length;
        for (const { index } of mine) turns.add(index);
        const next = inSpan[mine.length];
        if (rest.length > 0 || next) rest.push(rest.length > 0 ? span : { ...span, from: next!.createdAt });
      }
      before = { through: minuteOf(now), owed: owedOf(rest), begin: [] };
      if (run > 3 * pending.length + 3) throw new Error(`after ${run} runs only ${turns.size} of ${pending.length}`);
    }
  }

  it('gives everyone a turn in as many runs as it takes to ask all once, or a few more, wherever the runs are cut off', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ bucket: fc.nat(POLL_BUCKETS - 1), age: fc.integer({ min: 1, max: 20 * 24 * 60 }) }), {
          minLength: 1,
          maxLength: 80,
        }),
        fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 10 }),
        (ages, capacities) => {
          const pending = ages.map(({ bucket, age }, index) => ({ bucket, createdAt: NOW - age * MINUTE - index }));
          const mean = capacities.reduce((sum, one) => sum + one, 0) / capacities.length;
          const runs = runsUntilAllHadTheirTurn(pending, capacities);
          expect(runs).toBeLessThanOrEqual(Math.ceil((2 * pending.length) / mean) + capacities.length);
        },
      ),
      { numRuns: 300 },
    );
  });
});
