/**
 * When a pending analysis is asked about, and by which run of the poller.
 *
 * The pending index has ten partitions for each bank in each environment, and the partition of an analysis is chosen by a
 * hash of its id. So a page of the index belongs to one bank, and banks can be polled separately.
 *
 * How often an analysis is asked about (its pace) depends on its age: each minute, or every 2, 10 or 60 minutes.
 * `phaseOf` spreads the partitions over these minutes, and `shardOf` over the shards that share the work of a minute.
 */
import { BANKS, type Bank } from '../values/bank.ts';
import { ENVIRONMENTS, type Environment } from '../values/tenancy.ts';
import { hours, type Instant, type Milliseconds, minutes } from '../values/time.ts';
import type { Analysis } from './analysis.ts';

/** A partition of the pending index. */
export interface PollPartition {
  readonly environment: Environment;
  readonly bank: Bank;
  /** 0 to POLL_BUCKETS - 1. */
  readonly bucket: number;
}

/**
 * Number of partitions of the pending index for each bank. Six banks in two environments make 120 partitions. Ten of them
 * with phases spread the hourly questions of a bank over the hour (`phaseOf`).
 *
 * With 20 partitions for a bank, polling would cost too much. Budget 8 of test/bench/README.md allows 0.1 read units a
 * minute for each pending analysis. The poller queries every partition at least once a minute, whatever the number of
 * shards. For 1,000 young analyses the budget is 100 units a minute, and they need:
 * - 40 units for their rows. An index row has about 330 bytes, so the rows are 81 blocks of 4 KB, at half a unit each.
 * - 0.25 units on average for each partition that has analyses, because DynamoDB rounds each query up to 4 KB.
 * - 0.5 units for each partition that is empty.
 * - 1 unit for the cursor.
 *
 * If all partitions have analyses, the sum is 40 + 120 x 0.25 + 1 = 71. If only production has, it is
 * 40 + 60 x 0.25 + 60 x 0.5 + 1 = 86. With 20 partitions for a bank, the second sum would be 131. Queries for old
 * analyses add 6 units a minute on average.
 */
export const POLL_BUCKETS = 10;
/** Most shards. Each of them then holds two of the 120 partitions. */
export const MAX_POLL_SHARDS = 60;

/** Returns the number of an analysis's partition among those of its bank, by Knuth's multiplicative hash of the id. */
const pollBucket = (id: Analysis['id']): number =>
  Math.floor(((Math.imul(Math.floor(id / 4096) ^ id, 2_654_435_761) >>> 0) / 2 ** 32) * POLL_BUCKETS);

/** Returns the partition of the pending index that an analysis belongs to. */
export function pollPartition({ environment, bank, id }: Pick<Analysis, 'environment' | 'bank' | 'id'>): PollPartition {
  return { environment, bank, bucket: pollBucket(id) };
}

const bankIndex = ({ environment, bank }: PollPartition): number =>
  ENVIRONMENTS.indexOf(environment) * BANKS.length + BANKS.indexOf(bank);

/** Every partition of the pending index. */
export const POLL_PARTITIONS: readonly PollPartition[] = ENVIRONMENTS.flatMap((environment) =>
  BANKS.flatMap((bank) => Array.from({ length: POLL_BUCKETS }, (_, bucket) => ({ environment, bank, bucket }))),
);

function checkShards(shards: number): void {
  if (!Number.isInteger(shards) || shards < 1 || shards > MAX_POLL_SHARDS)
    throw new RangeError(`the poller runs in 1 to ${MAX_POLL_SHARDS} shards, not ${shards}`);
}

/**
 * Returns which of the `shards` shards polls a partition. Partitions are dealt like cards, a bank's even buckets before
 * its odd ones. So no shard has more than its share of a bank, nor of the half of a bank whose 2-minute pace is due in
 * the same minutes. Throws a RangeError unless there are 1 to 60 shards.
 */
export function shardOf(partition: PollPartition, shards: number): number {
  checkShards(shards);
  const { bucket } = partition;
  const evenFirst = Math.floor(bucket / 2) + (bucket % 2) * (POLL_BUCKETS / 2);
  return (bankIndex(partition) * POLL_BUCKETS + evenFirst) % shards;
}

/** Returns the partitions of one shard. Throws a RangeError if there is no such shard. */
export function partitionsOfShard(shard: number, shards: number): PollPartition[] {
  checkShards(shards);
  if (!Number.isInteger(shard) || shard < 0 || shard >= shards)
    throw new RangeError(`there is no shard ${shard} of ${shards}`);
  return POLL_PARTITIONS.filter((partition) => shardOf(partition, shards) === shard);
}

/** Age up to which an analysis is young. */
export const YOUNG: Milliseconds = hours(2);

/** How often analyses are asked about: above the age `from`, every `everyMinutes` minutes. 1 means in each run. */
export const POLL_PACES: readonly { readonly from: Milliseconds; readonly everyMinutes: number }[] = [
  { from: 0, everyMinutes: 1 },
  { from: minutes(15), everyMinutes: 2 },
  { from: YOUNG, everyMinutes: 10 },
  { from: hours(24), everyMinutes: 60 },
];

const everyMinutes = (age: Milliseconds): number => POLL_PACES.findLast(({ from }) => age > from)?.everyMinutes ?? 1;

/** Returns the time between two questions about an analysis of this age. */
export const paceOf = (age: Milliseconds): Milliseconds => minutes(everyMinutes(age));

/** Returns the number of full minutes since 1970. */
export const minuteOf = (now: Instant): number => Math.floor(now / minutes(1));

/**
 * Returns the minute of the hour in which the 60-minute pace of a partition is due. Its 10-minute and 2-minute paces
 * are due in the minutes that differ from it by a multiple of 10 or 2.
 *
 * The factor 7 has no common divisor with 10 and 60. So the ten partitions of a bank are spread evenly over two and
 * over ten minutes, and lie about seven minutes apart in the hour. The factor 11 shifts the banks against each other.
 */
export const phaseOf = (partition: PollPartition): number => (7 * partition.bucket + 11 * bankIndex(partition)) % 60;

/** Returns when a partition has its turn at the pace of an age, in the minute `since` or after it. */
export function turnOf(partition: PollPartition, since: number, age: Milliseconds): Instant {
  const wait = (phaseOf(partition) + 60 * since - since) % everyMinutes(age);
  return (since + wait) * minutes(1);
}

/**
 * Returns what is due in a partition at `now`: the analyses that were created at `from` or later. `through` is the last
 * minute for which a run has taken what was due. Every minute after it (`since`) counts, so that a run that did not take
 * place is made up for. Analyses of the youngest ages are due in each run.
 *
 * One range of creation times is enough: each pace is a multiple of the faster ones, so if an age is due, every younger
 * age is due too. Ages are measured at the first minute that counts. Otherwise an analysis that fell due then, and has
 * grown into a slower pace since, would wait for the turn of that pace.
 */
export function dueIn(
  partition: PollPartition,
  through: number,
  now: Instant,
): { readonly from: Instant; readonly since: number } {
  const minute = minuteOf(now);
  const since = Math.min(through + 1, minute);
  // An earlier run of this minute has taken the slower paces already.
  const taken = through >= minute;
  const notDue = POLL_PACES.find(({ from }) => from > 0 && (taken || turnOf(partition, since, from + 1) > now));
  return { from: notDue ? now - minutes(minute - since) - notDue.from : 0, since };
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
