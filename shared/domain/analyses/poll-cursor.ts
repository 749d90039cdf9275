/**
 * The plan of a run of the poller: what it goes through, in which order, and what it leaves to the next run.
 *
 * For each of its partitions, a run plans spans (ranges of creation times). Some are owed: an earlier run was cut off
 * before it asked about them. The others are the rest of what is due now. A span is cut where a band of ages begins.
 *
 * Spans are ordered by deadline: since when a span is due, plus the time that its band may wait. That is a minute up to
 * an age of two hours, ten minutes up to a day, and then an hour. So thousands of old analyses that fall due at once do
 * not delay the young ones, and when their hour is over, the old ones come first.
 *
 * Spans that a run does not finish are owed, and keep since when they are due. Analyses that were asked about are not
 * owed. So within a band every due analysis has its turn before another one has a second turn.
 *
 * A lane whose circuit breaker opened owes nothing, because all of it falls due again at its pace. But its next runs
 * begin at the first analysis that was not asked about, and ignore the bands; only spans that have been due for longer
 * come first. Otherwise analyses that always fail would keep the others from their turn. This ends when a run has gone
 * through all of the lane.
 */
import type { Instant } from '../values/time.ts';
import { dueIn, minuteOf, POLL_BANDS, type PollLane, type PollPartition } from './poll-schedule.ts';

/** A range of creation times in one partition (`from` inclusive, `to` exclusive), which is due since `dueAt`. */
export interface Span {
  readonly partition: PollPartition;
  readonly from: Instant;
  readonly to: Instant;
  readonly dueAt: Instant;
}

/** A position in a lane: a partition and a creation time. */
export interface PollPosition extends PollPartition {
  readonly at: Instant;
}

/** A span that a run was cut off from before it had asked about all of it, as it is stored. */
export type Owed = PollPartition & Omit<Span, 'partition'>;

/** The state that a run stores for the next run of its shard. */
export interface PollCursor {
  /** The last minute, counted since 1970, for which a run has taken what was due. */
  readonly through: number;
  readonly owed: readonly Owed[];
  /**
   * Where the next runs begin in lanes whose circuit breaker opened: at most one position for each lane. It is removed
   * when a run has gone through all of the lane.
   */
  readonly begin: readonly PollPosition[];
}

/**
 * Whether a cursor was written by a clock that is more than a minute ahead of `now`. Such a cursor must be ignored, so
 * that everything is due. Otherwise nothing would be due until our clock gets there.
 */
export const isFromFuture = ({ through }: PollCursor, now: Instant): boolean => through > minuteOf(now) + 1;

export const isSameLane = (a: PollLane, b: PollLane): boolean => a.environment === b.environment && a.bank === b.bank;

const isSamePartition = (a: PollPartition, b: PollPartition): boolean => a.bucket === b.bucket && isSameLane(a, b);

/** Returns the spans that are owed in a partition, and those that are due now and not owed. */
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

/** Returns the band of a span that lies within one band. A span in the future belongs to the youngest band. */
const bandOf = ({ to }: Span, now: Instant) => POLL_BANDS.findLast(({ from }) => now - to >= from) ?? POLL_BANDS[0];

/** Returns the parts of a span, cut where a band begins, with the youngest part first. */
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

/** Returns the same spans in a cycle that begins at a position. A span that contains the position is cut there. */
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

/**
 * Returns the spans that a run goes through in a lane, in order. `partitions`: the lane's partitions that the shard
 * has.
 */
export function planLane(partitions: readonly PollPartition[], cursor: PollCursor | undefined, now: Instant): Span[] {
  const spans = partitions.flatMap((partition) => spansOf(partition, cursor, now));
  const begin = cursor?.begin.find((one) => partitions.some((partition) => isSamePartition(partition, one)));
  if (begin) return rotated(spans, begin).toSorted((a, b) => a.dueAt - b.dueAt);
  // Without a cursor everything is due since now, and no band has waited for longer than another. So spans are not cut,
  // and each partition needs only one query.
  if (!cursor) return spans;
  const deadline = (span: Span) => span.dueAt + bandOf(span, now).patience;
  return spans.flatMap((span) => inBands(span, now)).sort((a, b) => deadline(a) - deadline(b));
}

/**
 * Returns what a run that began at `now` owes: the spans that it did not finish. Two neighbouring spans in one band are
 * joined if the span with the older analyses has been due for at least as long as the other one. So the cursor stays
 * small even if a lane is never finished: at most two spans for each band of a partition.
 */
export function owedOf(unfinished: readonly Span[], now: Instant): Owed[] {
  const owed: Span[] = [];
  for (const span of unfinished.toSorted((a, b) => a.from - b.from)) {
    const below = owed.findLast(({ partition }) => isSamePartition(partition, span.partition));
    const joins = below?.to === span.from && below.dueAt <= span.dueAt && bandOf(below, now) === bandOf(span, now);
    if (below && joins) owed[owed.indexOf(below)] = { ...below, to: span.to };
    else owed.push(span);
  }
  return owed.map(({ partition, ...range }) => ({ ...partition, ...range }));
}
