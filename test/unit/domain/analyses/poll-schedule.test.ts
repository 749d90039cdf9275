import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as schedule from '#shared/domain/analyses/poll-schedule.ts';
import { drawId } from '#shared/domain/values/ids.ts';
import { makeAnalysis } from '#test/makers/analysis.ts';

type Partition = (typeof schedule.POLL_PARTITIONS)[number];
const MINUTE = 60_000;
const NOW = 29_700_000 * MINUTE;
const BY_BANK = Map.groupBy(schedule.POLL_PARTITIONS, ({ environment, bank }) => `${environment} ${bank}`);
const anyPartition = fc.constantFrom(...schedule.POLL_PARTITIONS);

/** Returns the times at which an analysis is due, if a run begins in each of these minutes. */
function dueTimes(partition: Partition, createdAt: number, start: number, minutes: number) {
  return Array.from({ length: minutes }, (_, index) => start + index * MINUTE).filter(
    (now) => schedule.dueIn(partition, schedule.minuteOf(now) - 1, now).from <= createdAt,
  );
}

it('an analysis is due each minute up to an age of 15 minutes, then every 2, 10 and 60 minutes', () => {
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

it('dueIn makes up for every missed minute, and counts since the first of them', () => {
  const [DAY, anyAge] = [24 * 60 * MINUTE, fc.integer({ min: 1, max: 40 * 24 * 60 * MINUTE })];
  // An analysis that was due in a missed minute, when it was younger than a day, and that is older now.
  const ninth: Partition = { environment: 'producao', bank: 'itau', bucket: 9 };
  fc.assert(
    fc.property(anyPartition, anyAge, fc.nat(200), (partition, age, missed) => {
      const createdAt = NOW - age;
      const through = schedule.minuteOf(NOW) - 1 - missed;
      const due = schedule.dueIn(partition, through, NOW);
      const wasDue = dueTimes(partition, createdAt, NOW - missed * MINUTE, missed + 1).length > 0;
      expect(due.since).toBe(through + 1);
      if (wasDue) expect(due.from).toBeLessThanOrEqual(createdAt);
      if (missed >= 59) expect(due.from).toBe(0);
    }),
    { examples: [1, 5 * MINUTE].map((more) => [ninth, DAY + more, 10]) },
  );
});

it('only the youngest are due in a second run of the same minute', () => {
  for (const partition of schedule.POLL_PARTITIONS) {
    const due = schedule.dueIn(partition, schedule.minuteOf(NOW), NOW);
    expect(due).toEqual({ from: NOW - 15 * MINUTE, since: schedule.minuteOf(NOW) });
  }
});

it('turnOf finds the first minute in which a pace is due', () => {
  fc.assert(
    fc.property(anyPartition, fc.nat(10_000), fc.constantFrom(1, 2, 10, 60), (partition, start, everyMinutes) => {
      const since = schedule.minuteOf(NOW) + start;
      const { from } = schedule.POLL_PACES.find((pace) => pace.everyMinutes === everyMinutes)!;
      const turn = schedule.turnOf(partition, since, from + 1) / MINUTE;
      expect(turn).toBeGreaterThanOrEqual(since);
      expect(turn).toBeLessThan(since + everyMinutes);
      expect((turn - schedule.phaseOf(partition)) % everyMinutes).toBe(0);
    }),
  );
});

it('the phases spread the buckets of a bank evenly over the minutes of each pace', () => {
  for (const [, ofBank] of BY_BANK) {
    const phases = ofBank.map(schedule.phaseOf);
    expect(phases.filter((phase) => phase % 2 === 0)).toHaveLength(schedule.POLL_BUCKETS / 2);
    expect(new Set(phases.map((phase) => phase % 10)).size).toBe(schedule.POLL_BUCKETS);
    const hour = [...phases].sort((a, b) => a - b);
    const gaps = hour.map((phase, index) => (hour[index + 1] ?? hour[0]! + 60) - phase);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(7);
  }
});

it.each(Array.from({ length: schedule.MAX_POLL_SHARDS }, (_, index) => index + 1))(
  '%i shards share every partition, bank and phase evenly',
  (shards) => {
    const dealt = Array.from({ length: shards }, (_, shard) => schedule.partitionsOfShard(shard, shards));
    expect(dealt.flat()).toHaveLength(schedule.POLL_PARTITIONS.length);
    expect(new Set(dealt.flat())).toEqual(new Set(schedule.POLL_PARTITIONS));
    const most = (of: (partition: Partition) => boolean) => Math.max(...dealt.map((mine) => mine.filter(of).length));
    expect(most(() => true)).toBeLessThanOrEqual(Math.ceil(schedule.POLL_PARTITIONS.length / shards));
    for (const [, ofBank] of BY_BANK) {
      expect(most((one) => ofBank.includes(one))).toBeLessThanOrEqual(Math.ceil(schedule.POLL_BUCKETS / shards));
      for (const half of [0, 1])
        expect(most((one) => ofBank.includes(one) && schedule.phaseOf(one) % 2 === half)).toBeLessThanOrEqual(
          Math.ceil(schedule.POLL_BUCKETS / 2 / shards),
        );
    }
    if (shards === 1) return;
    // The hourly work is spread, too: of the partitions due in any twelve minutes, no shard has much more than its
    // share.
    for (let minute = 0; minute < 60; minute++) {
      const dueSoon = (one: Partition) => (schedule.phaseOf(one) - minute + 60) % 60 < 12;
      const all = schedule.POLL_PARTITIONS.filter(dueSoon).length;
      expect(most(dueSoon)).toBeLessThanOrEqual(Math.ceil(all / shards) + 5);
    }
  },
);

it.each([0, 61, -1, 1.5, Number.NaN])('partitionsOfShard throws a RangeError if there are %d shards', (shards) => {
  expect(() => schedule.partitionsOfShard(0, shards)).toThrow(RangeError);
});

it('pollPartition spreads the ids of one moment, and of many, evenly over the buckets', () => {
  const counts = new Array<number>(schedule.POLL_BUCKETS).fill(0);
  for (let index = 0; index < 60_000; index++) {
    const { bucket } = schedule.pollPartition(makeAnalysis({ id: drawId(1_780_000_000_000 + (index >> 3)) }));
    counts[bucket]! += 1;
  }
  expect(counts).toHaveLength(schedule.POLL_BUCKETS);
  expect(Math.max(...counts)).toBeLessThan(6_600);
  expect(Math.min(...counts)).toBeGreaterThan(5_400);
});

describe('isRetryDue', () => {
  /** The minutes after its mark in which an analysis is asked about, if it is due every `pace` minutes. */
  function asked(pace: number, age: number, minutes: number, late = 0): number[] {
    const since = NOW + 20_000;
    return Array.from({ length: Math.floor(minutes / pace) }, (_, index) => (index + 1) * pace).filter((minute) => {
      const now = NOW + (minute + late) * MINUTE;
      return schedule.isRetryDue(since, age, now - late * MINUTE, now);
    });
  }

  it('an unanswerable analysis is asked about at doubling intervals, and each hour in the end', () => {
    expect(asked(1, MINUTE, 240)).toEqual([1, 2, 4, 8, 16, 32, 64, 120, 180, 240]);
    expect(asked(2, 20 * MINUTE, 240)).toEqual([2, 4, 8, 16, 32, 64, 120, 180, 240]);
    expect(asked(10, 200 * MINUTE, 240)).toEqual([10, 20, 40, 70, 120, 180, 240]);
    expect(asked(60, 2_000 * MINUTE, 300)).toEqual([60, 120, 180, 240, 300]);
  });

  it('an unanswerable analysis is asked about at each turn while its mark lies in the future', () => {
    expect(schedule.isRetryDue(NOW + 2 * 24 * 60 * MINUTE, 2_000 * MINUTE, NOW, NOW)).toBe(true);
  });

  it('an unanswerable analysis misses no question if its turns come late', () => {
    for (const late of [1, 3, 17]) {
      const times = asked(10, 200 * MINUTE, 300, late);
      expect(times.length).toBeGreaterThanOrEqual(asked(10, 200 * MINUTE, 300).length);
    }
  });
});
