import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as schedule from '#shared/domain/analyses/poll-schedule.ts';
import { drawId } from '#shared/domain/values/ids.ts';
import { makeAnalysis } from '#test/makers/analysis.ts';

type Partition = (typeof schedule.POLL_PARTITIONS)[number];
const MINUTE = 60_000;
const NOW = 29_700_000 * MINUTE;
const anyPartition = fc.constantFrom(...schedule.POLL_PARTITIONS);

/** The times in so many minutes at which an analysis is due to runs of one a minute. */
function dueTimes(partition: Partition, createdAt: number, start: number, minutes: number) {
  return Array.from({ length: minutes }, (_, index) => start + index * MINUTE).filter(
    (now) => schedule.dueIn(partition, schedule.minuteOf(now) - 1, now).from <= createdAt,
  );
}

it('the paces at which analyses are asked about: are each tick up to 15 minutes of age, then every 2, 10 and 60 minutes', () => {
  const oldest = [15, 120, 24 * 60, 30 * 24 * 60];
  fc.assert(
    fc.property(
      anyPartition,
      fc.nat(3),
      fc.nat(10_000_000),
      fc.double({ min: 0, max: 0.5, noNaN: true }),
      (partition, pace, start, share) => {
        const { from, everyMinutes } = schedule.POLL_PACES[pace]!;
        const now = NOW + start * 1_000;
        const age = from + 1 + Math.floor(share * (oldest[pace]! * MINUTE - from));
        expect(schedule.paceOf(age)).toBe(everyMinutes * MINUTE);
        const room = Math.floor((oldest[pace]! * MINUTE - age) / MINUTE);
        const minutes = Math.floor(room / everyMinutes) * everyMinutes;
        expect(dueTimes(partition, now - age, now, minutes)).toHaveLength(minutes / everyMinutes);
      },
    ),
  );
});

it('the paces at which analyses are asked about: make up for every tick that was missed, due since the first of them', () => {
  const [DAY, anyAge] = [24 * 60 * MINUTE, fc.integer({ min: 1, max: 40 * 24 * 60 * MINUTE })];
  // Due in a missed tick at an age below a day, and above it by now.
  const ninth: Partition = { environment: 'producao', bank: 'itau', bucket: 9 };
  fc.assert(
    fc.property(anyPartition, anyAge, fc.nat(200), (partition, age, missed) => {
      const createdAt = NOW - age;
      const through = schedule.minuteOf(NOW) - 1 - missed;
      const due = schedule.dueIn(partition, through, NOW);
      const wasDue = dueTimes(partition, createdAt, NOW - missed * MINUTE, missed + 1).length > 0;
      expect(due.dueAt).toBe((through + 1) * MINUTE);
      if (wasDue) expect(due.from).toBeLessThanOrEqual(createdAt);
      if (missed >= 59) expect(due.from).toBe(0);
    }),
    { examples: [1, 5 * MINUTE].map((more) => [ninth, DAY + more, 10]) },
  );
});

it('the paces at which analyses are asked about: take all as due where no run has ended yet, and in a second run of a minute the youngest alone', () => {
  for (const partition of schedule.POLL_PARTITIONS) {
    expect(schedule.dueIn(partition, undefined, NOW)).toEqual({ from: 0, dueAt: NOW });
    expect(schedule.dueIn(partition, schedule.minuteOf(NOW), NOW)).toEqual({ from: NOW - 15 * MINUTE, dueAt: NOW });
  }
});

it('the phases: spread the buckets of a lane evenly over the minutes of each pace', () => {
  for (const lane of schedule.POLL_LANES) {
    const phases = Array.from({ length: schedule.POLL_BUCKETS }, (_, bucket) => schedule.phaseOf({ ...lane, bucket }));
    expect(phases.filter((phase) => phase % 2 === 0)).toHaveLength(schedule.POLL_BUCKETS / 2);
    expect(new Set(phases.map((phase) => phase % 10)).size).toBe(schedule.POLL_BUCKETS);
    const hour = [...phases].sort((a, b) => a - b);
    const gaps = hour.map((phase, index) => (hour[index + 1] ?? hour[0]! + 60) - phase);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(7);
  }
});

it.each(Array.from({ length: schedule.MAX_POLL_SHARDS }, (_, index) => index + 1))(
  'the shards: %i share every partition, lane and phase',
  (shards) => {
    const dealt = Array.from({ length: shards }, (_, shard) => schedule.partitionsOfShard(shard, shards));
    expect(dealt.flat()).toHaveLength(schedule.POLL_PARTITIONS.length);
    expect(new Set(dealt.flat())).toEqual(new Set(schedule.POLL_PARTITIONS));
    const most = (of: (partition: Partition) => boolean) => Math.max(...dealt.map((mine) => mine.filter(of).length));
    expect(most(() => true)).toBeLessThanOrEqual(Math.ceil(schedule.POLL_PARTITIONS.length / shards));
    for (const { environment, bank } of schedule.POLL_LANES) {
      const ofLane = (one: Partition) => one.environment === environment && one.bank === bank;
      expect(most(ofLane)).toBeLessThanOrEqual(Math.ceil(schedule.POLL_BUCKETS / shards));
      for (const half of [0, 1])
        expect(most((one) => ofLane(one) && schedule.phaseOf(one) % 2 === half)).toBeLessThanOrEqual(
          Math.ceil(schedule.POLL_BUCKETS / 2 / shards),
        );
    }
    if (shards === 1) return;
    // The work of no minute falls on one shard alone: of any twelve minutes' old analyses none holds much more than its share.
    for (let minute = 0; minute < 60; minute++) {
      const dueSoon = (one: Partition) => (schedule.phaseOf(one) - minute + 60) % 60 < 12;
      const all = schedule.POLL_PARTITIONS.filter(dueSoon).length;
      expect(most(dueSoon)).toBeLessThanOrEqual(Math.ceil(all / shards) + 5);
    }
  },
);

it.each([0, 61, -1, 1.5, Number.NaN])('the shards: are refused where there are %d', (shards) => {
  expect(() => schedule.partitionsOfShard(0, shards)).toThrow(RangeError);
});

it('the buckets take the ids of one moment, and of many, in about equal shares', () => {
  const counts = new Array<number>(schedule.POLL_BUCKETS).fill(0);
  for (let index = 0; index < 60_000; index++) {
    const { bucket } = schedule.pollPartition(makeAnalysis({ id: drawId(1_780_000_000_000 + (index >> 3)) }));
    counts[bucket]! += 1;
  }
  expect(counts).toHaveLength(schedule.POLL_BUCKETS);
  expect(Math.max(...counts)).toBeLessThan(6_600);
  expect(Math.min(...counts)).toBeGreaterThan(5_400);
});

describe('an analysis that the operator cannot answer', () => {
  /** Minutes after its first fault in which it is asked about, where it is due every `pace` minutes. */
  function asked(pace: number, age: number, minutes: number, late = 0): number[] {
    const since = NOW + 20_000;
    return Array.from({ length: Math.floor(minutes / pace) }, (_, index) => (index + 1) * pace).filter((minute) => {
      const now = NOW + (minute + late) * MINUTE;
      return schedule.isRetryDue(since, age, now - late * MINUTE, now);
    });
  }

  it('is asked at doubling distances, and hourly in the end', () => {
    expect(asked(1, MINUTE, 240)).toEqual([1, 2, 4, 8, 16, 32, 64, 120, 180, 240]);
    expect(asked(2, 20 * MINUTE, 240)).toEqual([2, 4, 8, 16, 32, 64, 120, 180, 240]);
    expect(asked(10, 200 * MINUTE, 240)).toEqual([10, 20, 40, 70, 120, 180, 240]);
    expect(asked(60, 2_000 * MINUTE, 300)).toEqual([60, 120, 180, 240, 300]);
  });

  it('is asked at each turn while its mark is from the future: another clock made it', () => {
    expect(schedule.isRetryDue(NOW + 2 * 24 * 60 * MINUTE, 2_000 * MINUTE, NOW, NOW)).toBe(true);
  });

  it('misses no question where its turn comes late', () => {
    for (const late of [1, 3, 17]) {
      const times = asked(10, 200 * MINUTE, 300, late);
      expect(times.length).toBeGreaterThanOrEqual(asked(10, 200 * MINUTE, 300).length);
    }
  });
});
