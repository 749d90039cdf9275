/**
 * Where a run begins and what it leaves to the next.
 *
 * A run plans, for each of its partitions, the creation times that it has to go through: what is due now, united with what
 * the run before was cut off from. A cut-off partition is a ring: from where it was cut up to now, then from the lowest time
 * still owed up to the cut. A run that is cut off in its first part leaves its second part behind it; cut off in the second,
 * it has only that rest. So every due analysis has its turn before any has it twice, however little a run can do.
 * What is owed for longest comes first. A lane whose breaker opened owes nothing (all of it is due again at its pace),
 * but from then on begins behind where it was stopped, so that what fails first does not keep the rest from its turn.
 */
import { dueIn, type PollLane, type PollPartition } from './poll-schedule.ts';

/** A stretch of creation times of one partition (`from` inclusive, `to` exclusive), due since `dueAt`. All in milliseconds. */
export interface Span {
  readonly partition: PollPartition;
  readonly from: number;
  readonly to: number;
  readonly dueAt: number;
}

/** A place in the order of a lane: a partition and a creation time in milliseconds. */
export interface PollPosition extends PollPartition {
  readonly at: number;
}

/** What a run that was cut off owes to a partition. */
export interface Owed extends PollPosition {
  /** Since when what was created from `at` on is due, in milliseconds. */
  readonly dueAt: number;
  /** What was created from here up to `at` is owed too, and since when it is due. */
  readonly rest?: { readonly from: number; readonly dueAt: number } | undefined;
}

/** What a run leaves to the next one of its shard. */
export interface PollCursor {
  /** The last minute (since 1970) whose due phases have been taken. */
  readonly through: number;
  readonly owed: readonly Owed[];
  /** Of a lane that was left alone: where its next runs begin. */
  readonly begin: readonly PollPosition[];
}

export function isSameLane(a: PollLane, b: PollLane): boolean {
  return a.environment === b.environment && a.bank === b.bank;
}

function isSamePartition(a: PollPartition, b: PollPartition): boolean {
  return a.bucket === b.bucket && isSameLane(a, b);
}

/** What is due in a partition now, united with what is owed, in the order in which it is gone through. */
function ringOf(partition: PollPartition, cursor: PollCursor | undefined, now: number): Span[] {
  const due = dueIn(partition, cursor?.through, now);
  const owed = cursor?.owed.find((one) => isSamePartition(one, partition));
  if (!owed) return [{ partition, from: due.from, to: now, dueAt: due.dueAt }];
  const rest = owed.rest ?? { from: owed.at, dueAt: due.dueAt };
  return [
    { partition, from: owed.at, to: now, dueAt: owed.dueAt },
    { partition, from: Math.min(rest.from, due.from), to: owed.at, dueAt: Math.min(rest.dueAt, due.dueAt) },
  ].filter(({ from, to }) => from < to);
}

/** The spans from a position on, and round to it. */
function rotated(spans: readonly Span[], begin: PollPosition): readonly Span[] {
  const cut = spans.flatMap((span) =>
    isSamePartition(span.partition, begin) && span.from < begin.at && begin.at < span.to
      ? [
          { ...span, to: begin.at },
          { ...span, from: begin.at },
        ]
      : [span],
  );
  const first = cut.findIndex(({ partition, from }) => isSamePartition(partition, begin) && from >= begin.at);
  return first < 0 ? cut : [...cut.slice(first), ...cut.slice(0, first)];
}

/** What a lane has to go through at `now` (milliseconds), in order. `partitions`: those of the lane that the shard holds. */
export function planLane(partitions: readonly PollPartition[], cursor: PollCursor | undefined, now: number): Span[] {
  const spans = partitions.flatMap((partition) => ringOf(partition, cursor, now));
  const begin = cursor?.begin.find((one) => partitions.some((partition) => isSamePartition(partition, one)));
  return [...(begin ? rotated(spans, begin) : spans)].sort((a, b) => a.dueAt - b.dueAt);
}

/** What is owed of spans that a run did not come to; in the order of its plan, the first perhaps from its middle on. */
export function owedOf(left: readonly Span[]): Owed[] {
  const firsts = left.filter(
    ({ partition }, index) => left.findIndex((other) => isSamePartition(other.partition, partition)) === index,
  );
  return firsts.map((first) => {
    const { partition, from: at, dueAt } = first;
    const below = left.filter((span) => isSamePartition(span.partition, partition) && span.from < at);
    if (below.length === 0) return { ...partition, at, dueAt };
    const from = Math.min(...below.map((span) => span.from));
    return { ...partition, at, dueAt, rest: { from, dueAt: Math.min(...below.map((span) => span.dueAt)) } };
  });
}
