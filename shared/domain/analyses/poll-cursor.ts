/**
 * If a run is cut off within a lane, the next run continues at that place and reads the beginning of the lane last.
 * Otherwise the end of a long lane would never get its turn.
 */
import { BANKS, type Bank } from '../values/bank.ts';
import { ENVIRONMENTS, type Environment } from '../values/tenancy.ts';
import type { Instant } from '../values/time.ts';
import { dueIn, minuteOf, type PollPartition, YOUNG } from './poll-schedule.ts';

export const AGES = ['young', 'old'] as const;

export interface PollLane {
  readonly environment: Environment;
  readonly bank: Bank;
  readonly age: (typeof AGES)[number];
}

export const POLL_LANES: readonly PollLane[] = ENVIRONMENTS.flatMap((environment) =>
  BANKS.flatMap((bank) => AGES.map((age) => ({ environment, bank, age }))),
);

/**
 * Range of creation times that a lane reads in one partition. The range became due in the minutes from `since` to
 * `through`.
 */
export interface Span {
  readonly partition: PollPartition;
  readonly from: Instant;
  readonly to: Instant;
  readonly since: number;
  readonly through: number;
}

/** `at`: creation time in the partition `bucket` at which the lane was cut off. */
interface CutLane extends PollLane {
  readonly bucket: number;
  readonly at: Instant;
  /** Minute through which analyses of `bucket` from before `at` were read. */
  readonly begun: number;
  /** Minute through which each whole partition was read, by bucket. A partition that no run has read is missing. */
  readonly through: Readonly<Record<string, number>>;
}

export interface PollCursor {
  /** A partition that no run has read is due since this minute. */
  readonly since: number;
  /** Minute since 1970 through which every lane that was not cut off was read. */
  readonly through: number;
  readonly cut: readonly CutLane[];
}

export const isFromFuture = ({ through }: PollCursor, now: Instant): boolean => through > minuteOf(now) + 1;

const cutOf = (lane: PollLane, cursor: PollCursor | undefined): CutLane | undefined =>
  cursor?.cut.find(
    ({ environment, bank, age }) => environment === lane.environment && bank === lane.bank && age === lane.age,
  );

/** Some spans may be empty. */
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

/** `rest`: the spans that the run did not finish, in their order. Undefined if the run finished all of them. */
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
  // `cursor.through` holds for every partition of a lane that was not cut off before.
  if (cursor && !before) for (const { partition } of plan) through[partition.bucket] = cursor.through;
  for (const span of plan.slice(0, plan.length - rest.length)) through[span.partition.bucket] = span.through;
  return { ...lane, bucket: first.partition.bucket, at: first.from, begun: first.through, through };
}
