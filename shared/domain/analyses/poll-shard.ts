import type { Clock } from '../values/clock.ts';
import { ENVIRONMENTS } from '../values/tenancy.ts';
import type { Instant, Milliseconds } from '../values/time.ts';
import { type LaneReport, type LaneWork, runLane } from './bulkhead.ts';
import { type DueAnalysis, type DueReader, dueReader } from './due-reader.ts';
import { isBeingSubmitted } from './poll-analysis.ts';
import { isFromFuture, isSameLane, owedOf, type PollCursor, planLane, type Span } from './poll-cursor.ts';
import { laneQuestions, type PollDeps, type PollObserver, type QuestionCounts } from './poll-questions.ts';
import {
  isRetryDue,
  minuteOf,
  POLL_LANES,
  type PollLane,
  type PollPartition,
  partitionsOfShard,
} from './poll-schedule.ts';

/** Measures the longest delay in each partition of production. */
function lagWatch(clock: Clock) {
  const longest = new Map<string, Milliseconds>();
  const note = ({ partition, dueAt }: Span, createdAt: Instant) => {
    // The alarm on this delay is for production only.
    if (partition.environment === 'sandbox') return;
    const name = JSON.stringify(partition);
    longest.set(name, Math.max(longest.get(name) ?? 0, clock() - Math.max(dueAt, createdAt)));
  };
  return {
    asked: ({ span, analysis }: DueAnalysis) => note(span, analysis.createdAt),
    unfinished: (span: Span) => note(span, 0),
    all: () => [...longest.values()],
  };
}

/** Result of one lane in a run. */
interface PolledLane extends LaneReport {
  readonly lane: PollLane;
  readonly counts: Readonly<QuestionCounts>;
}

/** One run of one shard. */
interface Run {
  readonly partitions: readonly PollPartition[];
  /** The cursor of the run before. Undefined if there is none that can be used. */
  readonly cursor: PollCursor | undefined;
  /** When the run began. */
  readonly now: Instant;
  /** From this moment on the run starts no call. */
  readonly lastStart: Instant;
  readonly deps: PollDeps;
  readonly observer: PollObserver;
  readonly lag: ReturnType<typeof lagWatch>;
}

/**
 * Returns the next analysis to ask about. Skips an analysis that its own request is probably still sending, and an
 * unanswerable one whose retry is not due.
 */
async function nextToAsk(reader: DueReader, { now, deps, observer }: Run): Promise<DueAnalysis | undefined> {
  for (;;) {
    const due = await reader.next();
    if (!due) return undefined;
    const { analysis, span } = due;
    observer.met(analysis);
    if (analysis.queryNumber === '') deps.unsent.see(analysis);
    if (
      !isBeingSubmitted(analysis, deps.clock()) &&
      (analysis.unanswerableSince === undefined ||
        isRetryDue(analysis.unanswerableSince, now - analysis.createdAt, span.dueAt, now))
    )
      return due;
  }
}

/** Polls the due analyses of one lane, in the partitions of the lane that the shard has. */
async function pollLane(lane: PollLane, run: Run): Promise<PolledLane> {
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
  if (!report.open) for (const span of report.unfinished) lag.unfinished(span);
  return { lane, counts: questions.counts, ...report };
}

/** Returns what a run stores for the next one. */
function cursorAfter(reports: readonly PolledLane[], { cursor, now }: Run): PollCursor {
  return {
    through: Math.max(minuteOf(now), cursor?.through ?? 0),
    owed: reports.flatMap(({ open, unfinished }) => (open ? [] : owedOf(unfinished, now))),
    begin: reports.flatMap(({ lane, open, unfinished: [first] }) => {
      const before = cursor?.begin.find((one) => isSameLane(one, lane));
      if (open && first) return [{ ...first.partition, at: first.from }];
      return before && first ? [before] : [];
    }),
  };
}

/**
 * Asks about the due analyses of one shard, with all lanes in parallel, and writes what changed. Starts no call from
 * `lastStart` on; the next run continues with the rest. The cursor is written last: without news it is the only write.
 *
 * Returns counts:
 * - `answered`: results that the bank gave.
 * - `failed`: results without an answer of the bank.
 * - `unanswerable`: results without a usable answer about the analysis, which are not counted as a failure of the bank.
 * - `skipped`: analyses that were not asked about, because their bank kept failing.
 * - `owed`: spans that are left to the next run.
 *
 * Throws a RangeError if there is no such shard. Throws the first error of a lane after all lanes have ended and the
 * cursor is written.
 */
export async function pollShard(
  { shard, shards }: { readonly shard: number; readonly shards: number },
  lastStart: Instant,
  deps: PollDeps,
  observer: PollObserver,
) {
  const { cursors, clock } = deps;
  const partitions = partitionsOfShard(shard, shards);
  // With another number of shards, a shard has other partitions: so each number has cursors of its own.
  const job = `poll-bank-outcomes/${shard}-of-${shards}`;
  const stored = await cursors.read(job);
  const now = clock();
  const cursor = stored && isFromFuture(stored, now) ? undefined : stored;
  const lag = lagWatch(clock);
  const run: Run = { partitions, cursor, now, lastStart, deps, observer, lag };
  const lanes = POLL_LANES.filter((lane) => partitions.some((partition) => isSameLane(partition, lane)));
  const reports = await Promise.all(lanes.map((lane) => pollLane(lane, run)));
  const next = cursorAfter(reports, run);
  await cursors.write(job, next);
  const failedLanes = reports.filter(({ error }) => error !== undefined);
  const healthy = ENVIRONMENTS.filter((one) => failedLanes.every(({ lane }) => lane.environment !== one));
  observer.ended(lag.all(), healthy);
  if (failedLanes[0]) throw failedLanes[0].error;
  const sumOf = (count: (lane: PolledLane) => number) => reports.reduce((sum, lane) => sum + count(lane), 0);
  return {
    answered: sumOf(({ counts }) => counts.answered),
    failed: sumOf(({ counts }) => counts.failed),
    unanswerable: sumOf(({ counts }) => counts.unanswerable),
    skipped: sumOf(({ skipped }) => skipped),
    owed: next.owed.length,
  };
}
