/**
 * Where a run begins and what it leaves to the next.
 *
 * A run plans, for each of its partitions, the creation times that it has to go through: what runs before were cut off
 * from, since when it is due, and the rest of what is due now. Each stretch is cut where a band of ages begins and goes by
 * its deadline: since when it is due, and how long its band may wait (a minute up to two hours of age, ten minutes up to a
 * day, then an hour). So thousands of old analyses that fall due at once take no turn from young ones, and their own comes
 * when their hour ends, however little a run can do. What is left is kept as it is: within a band the asked are not owed,
 * so that every due analysis has its turn before another of the band has it twice.
 * A lane whose breaker opened owes nothing (all of it is due again at its pace), but from then on begins behind where it was
 * stopped, whatever the bands, so that what fails first does not keep the rest from its turn; until a run has come through.
 */
import type { Instant } from '../values/time.ts';
import { dueIn, minuteOf, POLL_BANDS, type PollLane, type PollPartition } from './poll-schedule.ts';

/** A stretch of creation times of one partition (`from` inclusive, `to` exclusive), due since `dueAt`. */
export interface Span {
  readonly partition: PollPartition;
  readonly from: Instant;
  readonly to: Instant;
  readonly dueAt: Instant;
}

/** A place in the order of a lane: a partition and a creation time. */
export interface PollPosition extends PollPartition {
  readonly at: Instant;
}

/** Creation times of a partition that a run was cut off from, and since when they are due. */
export type Owed = PollPartition & Omit<Span, 'partition'>;

/** What a run leaves to the next one of its shard. */
export interface PollCursor {
  /** The last minute (since 1970) whose due phases have been taken. */
  readonly through: number;
  readonly owed: readonly Owed[];
  /** Of a lane that was left alone: where its next runs begin, until one has come through. */
  readonly begin: readonly PollPosition[];
}

/**
 * Whether the clock of the run that left a cursor was more than a minute ahead of `now`: all is then due, as
 * without a cursor, rather than nobody until the clock has come there.
 */
export const isFromFuture = ({ through }: PollCursor, now: Instant): boolean => through > minuteOf(now) + 1;

export const isSameLane = (a: PollLane, b: PollLane): boolean => a.environment === b.environment && a.bank === b.bank;

const isSamePartition = (a: PollPartition, b: PollPartition): boolean => a.bucket === b.bucket && isSameLane(a, b);

/** What is owed of a partition, and of what is due now the rest. */
function spansOf(partition: PollPartition, cursor: PollCursor | undefined, now: Instant): Span[] {
  const due = dueIn(partition, cursor?.through, now);
  const owed = (cursor?.owed ?? [])
    .filter((one) => isSamePartition(one, partition))
    .map(({ from, to, dueAt }) => ({ partition, from, to, dueAt }))
    .sort((a, b) => a.from - b.from);
  const rest: Span[] = [];
  let from = due.from;
  for (const one of owed) {
    if (from < one.from) rest.push({ partition, from, to: one.from, dueAt: due.dueAt });
    from = Math.max(from, one.to);
  }
  if (from < now) rest.push({ partition, from, to: now, dueAt: due.dueAt });
  return owed.concat(rest);
}

/** The band of a span that lies in one; the youngest for a span that lies in the future. */
const bandOf = ({ to }: Span, now: Instant) => POLL_BANDS.findLast(({ from }) => now - to >= from) ?? POLL_BANDS[0];

/** A span, cut where a band begins; the youngest part first. */
function inBands(span: Span, now: Instant): Span[] {
  return POLL_BANDS.map(({ from }, index) => {
    const next = POLL_BANDS[index + 1];
    return {
      ...span,
      from: next ? Math.max(span.from, now - next.from) : span.from,
      to: Math.min(span.to, now - from),
    };
  }).filter(({ from, to }) => from < to);
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
  return first < 0 ? cut : cut.slice(first).concat(cut.slice(0, first));
}

/** What a lane has to go through at `now`, in order. `partitions`: those of the lane that the shard holds. */
export function planLane(partitions: readonly PollPartition[], cursor: PollCursor | undefined, now: Instant): Span[] {
  const spans = partitions.flatMap((partition) => spansOf(partition, cursor, now));
  const begin = cursor?.begin.find((one) => partitions.some((partition) => isSamePartition(partition, one)));
  if (begin) return rotated(spans, begin).toSorted((a, b) => a.dueAt - b.dueAt);
  // All is due since now: nothing waits for longer than another, and a query a partition finds it.
  if (!cursor) return spans;
  const deadline = (span: Span) => span.dueAt + bandOf(span, now).patience;
  return spans.flatMap((span) => inBands(span, now)).sort((a, b) => deadline(a) - deadline(b));
}

/**
 * What is owed of spans that a run of `now` did not come to. Neighbours of one band become one where the
 * older in creation is due for longer, so that a lane that never comes through owes two stretches a band at most.
 */
export function owedOf(left: readonly Span[], now: Instant): Owed[] {
  const owed: Span[] = [];
  for (const span of left.toSorted((a, b) => a.from - b.from)) {
    const below = owed.findLast(({ partition }) => isSamePartition(partition, span.partition));
    const joins = below?.to === span.from && below.dueAt <= span.dueAt && bandOf(below, now) === bandOf(span, now);
    if (below && joins) owed[owed.indexOf(below)] = { ...below, to: span.to };
    else owed.push(span);
  }
  return owed.map(({ partition, ...stretch }) => ({ ...partition, ...stretch }));
}
