/**
 * When a pending analysis is asked about, and by which run.
 *
 * A lane is an environment and a bank: what goes through one takes nothing from another. The pending index is
 * partitioned by lane and bucket (a hash of the id), so a page of it belongs to one lane. Ten buckets a lane are 120
 * partitions and 120 queries a tick, whatever the number of shards. An index row is about 330 bytes, so 1,000 young
 * analyses are 81 blocks of 4 KB at half a read unit each; every query rounds up by half a block on average, an empty one
 * costs half a unit. All lanes in use: 40 + 120 x 0.25 + 1 (the cursor) = 71 units; production alone: 40 + 60 x 0.25 +
 * 60 x 0.5 + 1 = 86, below 0.1 each (test/bench/README.md, budget 8). Twice the buckets would be 131. An older band of ages that
 * is due beside the young costs its partition one query more: 7 units a tick on average.
 *
 * The paces are each tick, 2, 10 and 60 minutes by age. A partition's phase says in which minutes the slower ones are
 * due: 7 x bucket + 11 x lane, modulo 60. Seven is prime to 10 and 60, so a lane's buckets fall evenly into both minutes
 * of two, into all of ten, and about seven minutes apart into the hour; 11 shifts the lanes against each other.
 * Partitions are dealt to shards like cards, a lane's even buckets before its odd ones: for 1 to 60 shards no shard holds
 * more than its share of a lane, nor of one phase of the two-minute pace within it.
 */
import { BANKS, type Bank } from '../values/bank.ts';
import { ENVIRONMENTS, type Environment } from '../values/tenancy.ts';
import { hours, type Instant, type Milliseconds, minutes } from '../values/time.ts';
import type { Analysis } from './analysis.ts';

export interface PollLane {
  readonly environment: Environment;
  readonly bank: Bank;
}

/** One partition of the pending index. */
export interface PollPartition extends PollLane {
  /** 0 to POLL_BUCKETS - 1. */
  readonly bucket: number;
}

export const POLL_LANES: readonly PollLane[] = ENVIRONMENTS.flatMap((environment) =>
  BANKS.map((bank) => ({ environment, bank })),
);

/** Partitions of the pending index in each lane. */
export const POLL_BUCKETS = 10;
/** The most shards: each then holds two partitions of the 120. */
export const MAX_POLL_SHARDS = 60;

/** The bucket of an analysis in its lane. Knuth's multiplicative hash of the id. */
const pollBucket = (id: Analysis['id']): number =>
  Math.floor(((Math.imul(Math.floor(id / 4096) ^ id, 2_654_435_761) >>> 0) / 2 ** 32) * POLL_BUCKETS);

/** The partition of the pending index in which an analysis waits. */
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

/** The shard of a number of shards that asks about a partition. Throws a RangeError for less than 1 and more than 60 shards. */
export function shardOf(partition: PollPartition, shards: number): number {
  checkShards(shards);
  const { bucket } = partition;
  const evenFirst = Math.floor(bucket / 2) + (bucket % 2) * (POLL_BUCKETS / 2);
  return (laneIndex(partition) * POLL_BUCKETS + evenFirst) % shards;
}

/** The partitions of one shard. Throws a RangeError where there is no such shard. */
export function partitionsOfShard(shard: number, shards: number): PollPartition[] {
  checkShards(shards);
  if (!Number.isInteger(shard) || shard < 0 || shard >= shards)
    throw new RangeError(`there is no shard ${shard} of ${shards}`);
  return POLL_PARTITIONS.filter((partition) => shardOf(partition, shards) === shard);
}

/** Ages from which an analysis is asked about less often, and every how many minutes; 1 is each run. */
export const POLL_PACES: readonly { readonly from: Milliseconds; readonly everyMinutes: number }[] = [
  { from: 0, everyMinutes: 1 },
  { from: minutes(15), everyMinutes: 2 },
  { from: hours(2), everyMinutes: 10 },
  { from: hours(24), everyMinutes: 60 },
];

/** Ages that a run reads apart, and for how long after it fell due each may wait for its turn. */
interface PollBand {
  readonly from: Milliseconds;
  readonly patience: Milliseconds;
}

/**
 * The bands, the youngest ages first. Fewer than the paces: each band costs a query of its own when it is due, an empty
 * one half a unit.
 */
export const POLL_BANDS: readonly [PollBand, ...PollBand[]] = [
  { from: 0, patience: minutes(1) },
  { from: hours(2), patience: minutes(10) },
  { from: hours(24), patience: minutes(60) },
];

/** The time between two questions about an analysis of an age. */
export const paceOf = (age: Milliseconds): Milliseconds =>
  minutes(POLL_PACES.findLast(({ from }) => age > from)?.everyMinutes ?? 1);

/** The whole minute of a moment, since 1970. */
export const minuteOf = (now: Instant): number => Math.floor(now / minutes(1));

/** The minute of the hour in which a partition's 60-minute pace is due; the faster ones are due in step with it. */
export const phaseOf = (partition: PollPartition): number => (7 * partition.bucket + 11 * laneIndex(partition)) % 60;

/** The moment at which a minute since 1970 begins. */
const startOf = (minute: number): Instant => minute * minutes(1);

/** Creation times that are due, and since when. */
export interface Due {
  readonly from: Instant;
  readonly dueAt: Instant;
}

/**
 * What is due in a partition at `now`: all that was created from `from` on. Counts every minute after
 * `through`, the last whose phases a run has taken, so that a tick that was missed is made up for; the youngest are due
 * in each run. Undefined for `through`: nobody has taken any, all is due. One range is enough: each pace divides the
 * next, so where an age is due every younger one is too. Ages are those at the first tick that was missed: what fell due
 * then and has grown into a slower pace since would otherwise wait for that one's turn.
 */
export function dueIn(partition: PollPartition, through: number | undefined, now: Instant): Due {
  const minute = minuteOf(now);
  if (through === undefined) return { from: 0, dueAt: startOf(minute) };
  const first = Math.min(through + 1, minute);
  const phase = phaseOf(partition);
  // Phases taken before belong to the run that took them.
  const taken = through >= minute;
  const notDue = POLL_PACES.find(({ everyMinutes }) => {
    const wait = (phase + 60 * minute - first) % everyMinutes;
    return everyMinutes > 1 && (taken || first + wait > minute);
  });
  const missed = minutes(minute - first);
  return { from: notDue ? now - missed - notDue.from : 0, dueAt: startOf(first) };
}

/** Minutes after the first unanswered question at which the first ones follow; then each full hour. */
const RETRIES = [1, 2, 4, 8, 16, 32, 64];

const nextRetry = (after: number): number =>
  RETRIES.find((minute) => minute > after) ?? 60 * (Math.floor(after / 60) + 1);

/**
 * Whether an analysis that the operator could not answer since `since` is asked about by a run that begins at `now`, for
 * which it is due at its pace since `dueAt`. Its retries come at doubling distances; it is
 * asked where one of them lies in the minutes since it was due before. No count of questions is kept.
 */
export function isRetryDue(since: Instant, age: Milliseconds, dueAt: Instant, now: Instant): boolean {
  const elapsed = minuteOf(now) - minuteOf(since);
  // Noted by a clock that was ahead of this one.
  if (elapsed < 0) return true;
  const late = minuteOf(now) - minuteOf(Math.min(dueAt, now));
  return nextRetry(elapsed - late - paceOf(age) / minutes(1)) <= elapsed;
}
