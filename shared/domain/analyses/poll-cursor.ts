/**
 * A run of the poller reads a lane partition after partition, the oldest analyses first. If it does not finish the lane, it
 * stores the place, and the next run continues there. So no analysis has a second turn before each of them had one.
 */
import { BANKS, type Bank } from '../values/bank.ts';
import { ENVIRONMENTS, type Environment } from '../values/tenancy.ts';
import type { Instant } from '../values/time.ts';
import { dueIn, minuteOf, type PollPartition, YOUNG } from './poll-schedule.ts';

export const AGES = ['young', 'old'] as const;

/** The young or the old analyses of one bank. Lanes run side by side, so none of them waits for another. */
export interface PollLane {
  readonly environment: Environment;
  readonly bank: Bank;
  readonly age: (typeof AGES)[number];
}

export const POLL_LANES: readonly PollLane[] = ENVIRONMENTS.flatMap((environment) =>
  BANKS.flatMap((bank) => AGES.map((age) => ({ environment, bank, age }))),
);

/** A range of creation times in one partition (`from` inclusive, `to` exclusive) that is due. */
export interface Span {
  readonly partition: PollPartition;
  readonly from: Instant;
  readonly to: Instant;
  /** The first minute that counts: what fell due in it or later has not been read. */
  readonly since: number;
  /** The minute for which the partition has been read once the span is finished. */
  readonly through: number;
}

/** A lane that a run did not finish, and the place at which the next run continues. */
interface CutLane extends PollLane {
  readonly bucket: number;
  readonly at: Instant;
  /** The minute in which the lane began with this partition. */
  readonly begun: number;
  /** By bucket: the last minute for which the partition was read to its end. Without those that no run has read yet. */
  readonly through: Readonly<Record<string, number>>;
}

/** The state that a run stores for the next run of its shard. */
export interface PollCursor {
  /** The minute of the first run. What no run has read yet is due since then. */
  readonly since: number;
  /** The last minute, counted since 1970, for which every other lane was read to its end. */
  readonly through: number;
  readonly cut: readonly CutLane[];
}

/** Whether a cursor was written by a clock that is more than a minute ahead of `now`. */
export const isFromFuture = ({ through }: PollCursor, now: Instant): boolean => through > minuteOf(now) + 1;

const cutOf = (lane: PollLane, cursor: PollCursor | undefined): CutLane | undefined =>
  cursor?.cut.find(
    ({ environment, bank, age }) => environment === lane.environment && bank === lane.bank && age === lane.age,
  );

/**
 * Returns the spans of a lane in their order: the rest of the partition in which the lane was cut off, the other
 * partitions, then the beginning of the first one. Some spans may be empty. `partitions`: those of the bank that the
 * shard has.
 */
export function planLane(
  lane: PollLane,
  partitions: readonly PollPartition[],
  cursor: PollCursor | undefined,
  now: Instant,
): Span[] {
  const cut = cutOf(lane, cursor);
  const minute = minuteOf(now);
  const limit = now - YOUNG;
  const spanOf = (partition: PollPartition, through = cut ? cut.through[partition.bucket] : cursor?.through): Span => {
    const everything = { from: 0, since: cursor?.since ?? minute };
    const { from, since } = through === undefined ? everything : dueIn(partition, through, now);
    const ages = lane.age === 'young' ? { from: Math.max(from, limit), to: now } : { from, to: limit };
    return { partition, ...ages, since, through: minute };
  };
  const first = partitions.find(({ bucket }) => bucket === cut?.bucket);
  if (!cut || !first) return partitions.map((partition) => spanOf(partition));
  const place = partitions.indexOf(first);
  const others = partitions.slice(place + 1).concat(partitions.slice(0, place));
  const rest = spanOf(first);
  const beginning = spanOf(first, cut.begun);
  return [
    { ...rest, from: Math.max(rest.from, cut.at), through: cut.begun },
    ...others.map((partition) => spanOf(partition)),
    { ...beginning, to: Math.min(beginning.to, cut.at) },
  ];
}

/**
 * Returns the place at which the next run continues a lane with this plan. `rest`: the spans that the run did not finish,
 * in their order. Undefined if it finished all of them.
 */
export function cutAfter(
  lane: PollLane,
  plan: readonly Span[],
  rest: readonly Span[],
  cursor: PollCursor | undefined,
): CutLane | undefined {
  const [first] = rest;
  if (!first) return undefined;
  const before = cutOf(lane, cursor);
  const through: Record<string, number> = { ...before?.through };
  if (cursor && !before) for (const { partition } of plan) through[partition.bucket] = cursor.through;
  for (const span of plan.slice(0, plan.length - rest.length)) through[span.partition.bucket] = span.through;
  return { ...lane, bucket: first.partition.bucket, at: first.from, begun: first.through, through };
}
