/** Each partition of the index of pending analyses belongs to one bank, so that banks can be polled separately. */
import { BANKS, type Bank } from '../values/bank.ts';
import { ENVIRONMENTS, type Environment } from '../values/tenancy.ts';
import { hours, type Instant, type Milliseconds, minutes } from '../values/time.ts';
import type { Analysis } from './analysis.ts';

export interface PollPartition {
  readonly environment: Environment;
  readonly bank: Bank;
  readonly bucket: number;
}

/**
 * Partitions of the pending index for each bank. With 20, polling would cost more than budget 8 of test/bench/README.md
 * allows. The poller queries every partition at least once a minute, and DynamoDB rounds each query up to 4 KB.
 */
export const POLL_BUCKETS = 10;
export const MAX_POLL_SHARDS = 60;

const pollBucket = (id: Analysis['id']): number =>
  Math.floor(((Math.imul(Math.floor(id / 4096) ^ id, 2_654_435_761) >>> 0) / 2 ** 32) * POLL_BUCKETS);

export function pollPartition({ environment, bank, id }: Pick<Analysis, 'environment' | 'bank' | 'id'>): PollPartition {
  return { environment, bank, bucket: pollBucket(id) };
}

const bankIndex = ({ environment, bank }: PollPartition): number =>
  ENVIRONMENTS.indexOf(environment) * BANKS.length + BANKS.indexOf(bank);

export const POLL_PARTITIONS: readonly PollPartition[] = ENVIRONMENTS.flatMap((environment) =>
  BANKS.flatMap((bank) => Array.from({ length: POLL_BUCKETS }, (_, bucket) => ({ environment, bank, bucket }))),
);

function checkShards(shards: number): void {
  if (!Number.isInteger(shards) || shards < 1 || shards > MAX_POLL_SHARDS)
    throw new RangeError(`the poller runs in 1 to ${MAX_POLL_SHARDS} shards, not ${shards}`);
}

/**
 * Partitions are dealt to the shards in turn, a bank's even buckets before its odd buckets. So every shard has its
 * share of each bank, and of the buckets whose 2-minute pace is due in the same minutes. Throws a RangeError unless
 * there are 1 to 60 shards.
 */
export function shardOf(partition: PollPartition, shards: number): number {
  checkShards(shards);
  const { bucket } = partition;
  const evenFirst = Math.floor(bucket / 2) + (bucket % 2) * (POLL_BUCKETS / 2);
  return (bankIndex(partition) * POLL_BUCKETS + evenFirst) % shards;
}

/** Throws a RangeError if there is no such shard. */
export function partitionsOfShard(shard: number, shards: number): PollPartition[] {
  checkShards(shards);
  if (!Number.isInteger(shard) || shard < 0 || shard >= shards)
    throw new RangeError(`there is no shard ${shard} of ${shards}`);
  return POLL_PARTITIONS.filter((partition) => shardOf(partition, shards) === shard);
}

export const YOUNG: Milliseconds = hours(2);

export const POLL_PACES: readonly { readonly from: Milliseconds; readonly everyMinutes: number }[] = [
  { from: 0, everyMinutes: 1 },
  { from: minutes(15), everyMinutes: 2 },
  { from: YOUNG, everyMinutes: 10 },
  { from: hours(24), everyMinutes: 60 },
];

const everyMinutes = (age: Milliseconds): number => POLL_PACES.findLast(({ from }) => age > from)?.everyMinutes ?? 1;

export const paceOf = (age: Milliseconds): Milliseconds => minutes(everyMinutes(age));

export const minuteOf = (now: Instant): number => Math.floor(now / minutes(1));

/**
 * The factor 7 has no common divisor with 10 and 60. So the ten partitions of a bank are spread evenly over two and
 * over ten minutes, and lie about seven minutes apart in the hour. The factor 11 shifts the banks against each other.
 */
export const phaseOf = (partition: PollPartition): number => (7 * partition.bucket + 11 * bankIndex(partition)) % 60;

/** `60 * since` is a multiple of each pace, and keeps the remainder positive. */
export function turnOf(partition: PollPartition, since: number, age: Milliseconds): Instant {
  const wait = (phaseOf(partition) + 60 * since - since) % everyMinutes(age);
  return (since + wait) * minutes(1);
}

/**
 * `through` is the last minute whose due analyses a run has read. Every minute after it (`since`) counts, so that a
 * missed run is made up for.
 *
 * Each pace is a multiple of the faster paces: if an age is due, every younger age is due too. So one range of creation
 * times is enough. Ages are measured at the first minute that counts. Otherwise an analysis that fell due then, but has
 * a slower pace now, would wait for the turn of the slower pace.
 */
export function dueIn(
  partition: PollPartition,
  through: number,
  now: Instant,
): { readonly from: Instant; readonly since: number } {
  const minute = minuteOf(now);
  const since = Math.min(through + 1, minute);
  // An earlier run of this minute has read the slower paces already.
  const taken = through >= minute;
  const notDue = POLL_PACES.find(({ from }) => from > 0 && (taken || turnOf(partition, since, from + 1) > now));
  return { from: notDue ? now - minutes(minute - since) - notDue.from : 0, since };
}

/** Minutes after `unanswerableSince`. Later retries are at each full hour. */
const RETRIES = [1, 2, 4, 8, 16, 32, 64];

const nextRetry = (after: number): number =>
  RETRIES.find((minute) => minute > after) ?? 60 * (Math.floor(after / 60) + 1);

/**
 * An analysis is asked about if a retry lies between the turn before `dueAt` and now. So no number of retries is
 * stored.
 */
export function isRetryDue(since: Instant, age: Milliseconds, dueAt: Instant, now: Instant): boolean {
  const elapsed = minuteOf(now) - minuteOf(since);
  // `since` was written by a clock that is ahead of ours.
  if (elapsed < 0) return true;
  const late = minuteOf(now) - minuteOf(Math.min(dueAt, now));
  return nextRetry(elapsed - late - paceOf(age) / minutes(1)) <= elapsed;
}
