/**
 * When a pending analysis is asked about, and by which run of the poller.
 *
 * A lane is one bank in one environment. The pending index has ten partitions in each lane, and the partition of an
 * analysis is chosen by a hash of its id. So a page of the index belongs to one lane, and lanes can be polled
 * separately.
 *
 * How often an analysis is asked about (its pace) depends on its age: each minute, or every 2, 10 or 60 minutes.
 * `phaseOf` spreads the partitions over these minutes, and `shardOf` over the shards that share the work of a minute.
 */
import { BANKS, type Bank } from '../values/bank.ts';
import { ENVIRONMENTS, type Environment } from '../values/tenancy.ts';
import { hours, type Instant, type Milliseconds, minutes } from '../values/time.ts';
import type { Analysis } from './analysis.ts';

export interface PollLane {
  readonly environment: Environment;
  readonly bank: Bank;
}

/** A partition of the pending index. */
export interface PollPartition extends PollLane {
  /** 0 to POLL_BUCKETS - 1. */
  readonly bucket: number;
}

export const POLL_LANES: readonly PollLane[] = ENVIRONMENTS.flatMap((environment) =>
  BANKS.map((bank) => ({ environment, bank })),
);

/**
 * Number of partitions of the pending index in each lane. Six banks in two environments make 12 lanes, and so 120
 * partitions.
 *
 * With 20 partitions in a lane, polling would cost too much. Budget 8 of test/bench/README.md allows 0.1 read units a
 * minute for each pending analysis. The poller queries every partition at least once a minute, whatever the number of
 * shards. For 1,000 young analyses the budget is 100 units a minute, and they need:
 * - 40 units for their rows. An index row has about 330 bytes, so the rows are 81 blocks of 4 KB, at half a unit each.
 * - 0.25 units on average for each partition that has analyses, because DynamoDB rounds each query up to 4 KB.
 * - 0.5 units for each partition that is empty.
 * - 1 unit for the cursor.
 *
 * If all lanes have analyses, the sum is 40 + 120 x 0.25 + 1 = 71. If only production has, it is
 * 40 + 60 x 0.25 + 60 x 0.5 + 1 = 86. With 20 partitions in a lane, the second sum would be 131. Queries for older bands
 * add 7 units a minute on average.
 */
export const POLL_BUCKETS = 10;
/** Most shards. Each of them then holds two of the 120 partitions. */
export const MAX_POLL_SHARDS = 60;

/** Returns the number of an analysis's partition within its lane, by Knuth's multiplicative hash of the id. */
const pollBucket = (id: Analysis['id']): number =>
  Math.floor(((Math.imul(Math.floor(id / 4096) ^ id, 2_654_435_761) >>> 0) / 2 ** 32) * POLL_BUCKETS);

/** Returns the partition of the pending index that an analysis belongs to. */
export function pollPartition({ environment, bank, id }: Pick<Analysis, 'environment' | 'bank' | 'id'>): PollPartition {
  return { environment, bank, bucket: pollBucket(id) };
}

const laneIndex = ({ environment, bank }: PollLane): number =>
  ENVIRONMENTS.indexOf(environment) * BANKS.length + BANKS.indexOf(bank);

/** Every partition of the pending index. */
export const POLL_PARTITIONS: readonly PollPartition[] = POLL_LANES.flatMap((lane) =>
  Array.from({ length: POLL_BUCKETS }, (_, bucket) => ({ ...lane, bucket })),
);

function checkShards(shards: number): void {
  if (!Number.isInteger(shards) || shards < 1 || shards > MAX_POLL_SHARDS)
    throw new RangeError(`the poller runs in 1 to ${MAX_POLL_SHARDS} shards, not ${shards}`);
}

/**
 * Returns which of the `shards` shards polls a partition. Partitions are dealt like cards, a lane's even buckets before
 * its odd ones. So no shard has more than its share of a lane, nor of the half of a lane whose 2-minute pace is due in
 * the same minutes. Throws a RangeError unless there are 1 to 60 shards.
 */
export function shardOf(partition: PollPartition, shards: number): number {
  checkShards(shards);
  const { bucket } = partition;
  const evenFirst = Math.floor(bucket / 2) + (bucket % 2) * (POLL_BUCKETS / 2);
  return (laneIndex(partition) * POLL_BUCKETS + evenFirst) % shards;
}

/** Returns the partitions of one shard. Throws a RangeError if there is no such shard. */
export function partitionsOfShard(shard: number, shards: number): PollPartition[] {
  checkShards(shards);
  if (!Number.isInteger(shard) || shard < 0 || shard >= shards)
    throw new RangeError(`there is no shard ${shard} of ${shards}`);
  return POLL_PARTITIONS.filter((partition) => shardOf(partition, shards) === shard);
}

/** How often analyses are asked about: above the age `from`, every `everyMinutes` minutes. 1 means in each run. */
export const POLL_PACES: readonly { readonly from: Milliseconds; readonly everyMinutes: number }[] = [
  { from: 0, everyMinutes: 1 },
  { from: minutes(15), everyMinutes: 2 },
  { from: hours(2), everyMinutes: 10 },
  { from: hours(24), everyMinutes: 60 },
];

/** A range of ages that has queries of its own. `patience`: how long its analyses may wait after they fell due. */
interface PollBand {
  readonly from: Milliseconds;
  readonly patience: Milliseconds;
}

/**
 * The bands, with the youngest ages first. There are fewer bands than paces, because each band that is due costs a
 * query of its own, and even an empty query costs half a read unit.
 */
export const POLL_BANDS: readonly [PollBand, ...PollBand[]] = [
  { from: 0, patience: minutes(1) },
  { from: hours(2), patience: minutes(10) },
  { from: hours(24), patience: minutes(60) },
];

/** Returns the time between two questions about an analysis of this age. */
export const paceOf = (age: Milliseconds): Milliseconds =>
  minutes(POLL_PACES.findLast(({ from }) => age > from)?.everyMinutes ?? 1);

/** Returns the number of full minutes since 1970. */
export const minuteOf = (now: Instant): number => Math.floor(now / minutes(1));

/**
 * Returns the minute of the hour in which the 60-minute pace of a partition is due. Its 10-minute and 2-minute paces
 * are due in the minutes that differ from it by a multiple of 10 or 2.
 *
 * The factor 7 has no common divisor with 10 and 60. So the ten partitions of a lane are spread evenly over two and
 * over ten minutes, and lie about seven minutes apart in the hour. The factor 11 shifts the lanes against each other.
 */
export const phaseOf = (partition: PollPartition): number => (7 * partition.bucket + 11 * laneIndex(partition)) % 60;

/** Returns the moment at which a minute, counted since 1970, begins. */
const startOf = (minute: number): Instant => minute * minutes(1);

/** What is due: the analyses that were created at `from` or later. They have been due since `dueAt`. */
export interface Due {
  readonly from: Instant;
  readonly dueAt: Instant;
}

/**
 * Returns what is due in a partition at `now`. `through` is the last minute for which a run has taken what was due.
 * Every minute after it counts, so that a run that did not take place is made up for. If `through` is undefined,
 * everything is due. Analyses of the youngest ages are due in each run.
 *
 * One range of creation times is enough: each pace is a multiple of the faster ones, so if an age is due, every younger
 * age is due too. Ages are measured at the first minute that counts. Otherwise an analysis that fell due then, and has
 * grown into a slower pace since, would wait for the turn of that pace.
 */
export function dueIn(partition: PollPartition, through: number | undefined, now: Instant): Due {
  const minute = minuteOf(now);
  if (through === undefined) return { from: 0, dueAt: startOf(minute) };
  const first = Math.min(through + 1, minute);
  const phase = phaseOf(partition);
  // An earlier run of this minute has taken the slower paces already.
  const taken = through >= minute;
  const notDue = POLL_PACES.find(({ everyMinutes }) => {
    const wait = (phase + 60 * minute - first) % everyMinutes;
    return everyMinutes > 1 && (taken || first + wait > minute);
  });
  const missed = minutes(minute - first);
  return { from: notDue ? now - missed - notDue.from : 0, dueAt: startOf(first) };
}

/** Minutes after its mark at which an unanswerable analysis is asked about again. After these, each full hour. */
const RETRIES = [1, 2, 4, 8, 16, 32, 64];

const nextRetry = (after: number): number =>
  RETRIES.find((minute) => minute > after) ?? 60 * (Math.floor(after / 60) + 1);

/**
 * Whether a run that begins at `now` asks about an analysis that the operator has not been able to answer since
 * `since`. `dueAt` is since when the analysis is due at its pace.
 *
 * Retries follow at doubling intervals after `since`. The analysis is asked about if one of them lies between the turn
 * before `dueAt` and now. So no number of retries has to be stored.
 */
export function isRetryDue(since: Instant, age: Milliseconds, dueAt: Instant, now: Instant): boolean {
  const elapsed = minuteOf(now) - minuteOf(since);
  // `since` was written by a clock that is ahead of this one.
  if (elapsed < 0) return true;
  const late = minuteOf(now) - minuteOf(Math.min(dueAt, now));
  return nextRetry(elapsed - late - paceOf(age) / minutes(1)) <= elapsed;
}
