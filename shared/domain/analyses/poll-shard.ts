import type { Clock } from '../values/clock.ts';
import { ENVIRONMENTS } from '../values/tenancy.ts';
import type { Instant, Milliseconds } from '../values/time.ts';
import { type LaneReport, type LaneWork, runLane } from './bulkhead.ts';
import { type DueAnalysis, type DueReader, dueReader } from './due-reader.ts';
import { isBeingSubmitted } from './poll-analysis.ts';
import { isFromFuture, isSameLane, owedOf, type PollCursor, planLane, type Span } from './poll-cursor.ts';
import { laneQuestions, type PollDeps, type PollObserver } from './poll-questions.ts';
import {
  isRetryDue,
  minuteOf,
  POLL_LANES,
  type PollLane,
  type PollPartition,
  partitionsOfShard,
} from './poll-schedule.ts';

/** The longest delay by partition of production. */
function lagWatch(clock: Clock) {
  const longest = new Map<string, Milliseconds>();
  const note = ({ partition, dueAt }: Span, createdAt: Instant) => {
    // Nobody is woken for the sandbox.
    if (partition.environment === 'sandbox') return;
    const name = JSON.stringify(partition);
    longest.set(name, Math.max(longest.get(name) ?? 0, clock() - Math.max(dueAt, createdAt)));
  };
  return {
    asked: ({ span, analysis }: DueAnalysis) => note(span, analysis.createdAt),
    left: (span: Span) => note(span, 0),
    all: () => [...longest.values()],
  };
}

/** Counts by kind what questions brought, on the way to an observer. */
function counting(observer: PollObserver) {
  const counts = { answered: 0, failed: 0, unanswerable: 0 };
  const asked: PollObserver['asked'] = (analysis, found) => {
    if (found.kind !== 'unavailable') counts.answered += 1;
    else counts[found.fault === 'bank' ? 'failed' : 'unanswerable'] += 1;
    observer.asked(analysis, found);
  };
  return { counts, observer: { ...observer, asked } };
}

/** One run of one shard. */
interface Run {
  readonly partitions: readonly PollPartition[];
  /** What the run before has left over; undefined where there was none. */
  readonly cursor: PollCursor | undefined;
  /** When it began, and from when on it starts nothing. */
  readonly now: Instant;
  readonly lastStart: Instant;
  readonly deps: PollDeps;
  readonly observer: PollObserver;
  readonly lag: ReturnType<typeof lagWatch>;
}

/** The next analysis to ask about; those whose turn has not come are passed. */
async function nextToAsk(reader: DueReader, { now, deps, observer }: Run): Promise<DueAnalysis | undefined> {
  for (;;) {
    const due = await reader.next();
    if (!due) return undefined;
    const { analysis, span } = due;
    observer.met(analysis);
    if (analysis.queryNumber === '') deps.unsent.see(analysis, deps.clock());
    if (
      !isBeingSubmitted(analysis, deps.clock()) &&
      (analysis.unanswerableSince === undefined ||
        isRetryDue(analysis.unanswerableSince, now - analysis.createdAt, span.dueAt, now))
    )
      return due;
  }
}

/** Goes through what a lane of the shard has to be asked about. */
async function pollLane(lane: PollLane, run: Run): Promise<LaneReport & { readonly lane: PollLane }> {
  const { deps, observer, lag, lastStart } = run;
  const partitions = run.partitions.filter((partition) => isSameLane(partition, lane));
  const reader = dueReader(deps.analyses, planLane(partitions, run.cursor, run.now));
  const questions = laneQuestions(lane.environment, deps, observer, lastStart);
  const { askBatch } = questions;
  const timed: LaneWork = {
    ...questions,
    ask(due) {
      lag.asked(due);
      return questions.ask(due);
    },
    askBatch:
      askBatch &&
      ((batch) => {
        for (const due of batch) lag.asked(due);
        return askBatch(batch);
      }),
  };
  const report = await runLane(() => nextToAsk(reader, run), reader, timed, { lastStart, clock: deps.clock });
  if (!report.open) for (const span of report.left) lag.left(span);
  return { lane, ...report };
}

/** What a run leaves to the next. */
function cursorAfter(reports: readonly (LaneReport & { readonly lane: PollLane })[], { cursor, now }: Run): PollCursor {
  return {
    through: Math.max(minuteOf(now), cursor?.through ?? 0),
    owed: reports.flatMap(({ open, left }) => (open ? [] : owedOf(left, now))),
    begin: reports.flatMap(({ lane, open, left: [first] }) => {
      const before = cursor?.begin.find((one) => isSameLane(one, lane));
      if (open && first) return [{ ...first.partition, at: first.from }];
      return before && first ? [before] : [];
    }),
  };
}

/**
 * Asks about the pending analyses of one shard that are due by their age, each lane beside the others, and books what
 * changed. Starts nothing from `lastStart` on; the next run goes on with what this one left over.
 * One write of the cursor ends it, and there is no other where there is no news. Gives how many analyses
 * the bank gave an answer for (`answered`) or none (`failed`), how many got an answer that did not fit them, how many were
 * not asked about because their bank kept failing, and how many partitions leave something to the next run (`owed`);
 * throws a RangeError where there is no such shard, and the first error of a lane once all have ended.
 */
export async function pollShard(
  { shard, shards }: { readonly shard: number; readonly shards: number },
  lastStart: Instant,
  deps: PollDeps,
  observer: PollObserver,
) {
  const { cursors, clock } = deps;
  const partitions = partitionsOfShard(shard, shards);
  // Another number of shards deals the partitions anew: its cursors are its own.
  const job = `poll-bank-outcomes/${shard}-of-${shards}`;
  const kept = await cursors.read(job);
  const now = clock();
  const cursor = kept && isFromFuture(kept, now) ? undefined : kept;
  const counted = counting(observer);
  const lag = lagWatch(clock);
  const run: Run = { partitions, cursor, now, lastStart, deps, observer: counted.observer, lag };
  const lanes = POLL_LANES.filter((lane) => partitions.some((partition) => isSameLane(partition, lane)));
  const reports = await Promise.all(lanes.map((lane) => pollLane(lane, run)));
  const next = cursorAfter(reports, run);
  await cursors.write(job, next);
  const broken = reports.filter(({ error }) => error !== undefined);
  const whole = ENVIRONMENTS.filter((one) => broken.every(({ lane }) => lane.environment !== one));
  observer.ended(lag.all(), whole);
  if (broken[0]) throw broken[0].error;
  const skipped = reports.reduce((sum, report) => sum + report.skipped, 0);
  return { ...counted.counts, skipped, owed: next.owed.length };
}
