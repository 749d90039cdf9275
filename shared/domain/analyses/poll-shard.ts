import { conclude } from './book-answer.ts';
import { runLane } from './bulkhead.ts';
import { type DueAnalysis, dueReader } from './due-reader.ts';
import { expired, isBeingSubmitted } from './poll-analysis.ts';
import { isSameLane, owedOf, type PollCursor, planLane, type Span } from './poll-cursor.ts';
import { laneQuestions, type PollDeps, type PollObserver } from './poll-questions.ts';
import { isRetryDue, minuteOf, POLL_LANES, type PollLane, partitionsOf } from './poll-schedule.ts';

/** Milliseconds within which an analysis was asked about for sure before it may be given up unasked: a day less the slowest pace. */
const SURE_OF = 23 * 3_600_000;

/** How many analyses of a run came to what. */
export type PollCounts = {
  /** The operator was asked about them, and the bank gave an answer. */
  answered: number;
  /** The operator was asked about them, and the bank gave none. */
  failed: number;
  /** Asked about, and the answer did not fit them. */
  unanswerable: number;
  /** Not asked about because their bank kept failing. */
  skipped: number;
  /** Partitions of the index with something left to the next run. */
  owed: number;
};

/** The longest delay by partition. */
function lagWatch(clock: () => number) {
  const longest = new Map<string, number>();
  const note = ({ partition, dueAt }: Span, createdAt: number) => {
    const name = JSON.stringify(partition);
    longest.set(name, Math.max(longest.get(name) ?? 0, clock() - Math.max(dueAt, createdAt)));
  };
  return {
    asked: ({ span, analysis }: DueAnalysis) => note(span, analysis.createdAt),
    left: (span: Span) => note(span, 0),
    all: () => [...longest.values()],
  };
}

/**
 * Asks about the pending analyses of one shard that are due by their age, each lane beside the others, and books what
 * changed. Starts nothing from `lastStart` (milliseconds since 1970) on; the next run goes on with what this one left over.
 * One write of the cursor ends it, and there is no other where there is no news. Gives how many analyses came to what;
 * throws a RangeError where there is no such shard, and the first error of a lane once all have ended.
 */
export async function pollShard(
  { shard, shards }: { readonly shard: number; readonly shards: number },
  lastStart: number,
  deps: PollDeps,
  observer: PollObserver,
): Promise<PollCounts> {
  const { analyses, cursors, clock } = deps;
  const partitions = partitionsOf(shard, shards);
  // Another number of shards deals the partitions anew: its cursors are its own.
  const job = `poll-bank-outcomes/${shard}-of-${shards}`;
  const cursor = await cursors.read(job);
  const now = clock();
  const lag = lagWatch(clock);
  const counts = { answered: 0, failed: 0, unanswerable: 0, skipped: 0, owed: 0 };
  const counting: PollObserver = {
    ...observer,
    asked(analysis, found) {
      if (found.kind !== 'unavailable') counts.answered += 1;
      else counts[found.fault === 'bank' ? 'failed' : 'unanswerable'] += 1;
      observer.asked(analysis, found);
    },
  };

  /** Whether an analysis that is too old may be given up; one that waited for its turn for a day is asked about first. */
  const mayExpire = ({ span }: DueAnalysis) => cursor !== undefined && now - span.dueAt < SURE_OF;

  async function run(lane: PollLane) {
    const spans = planLane(
      partitions.filter((partition) => isSameLane(partition, lane)),
      cursor,
      now,
    );
    const reader = dueReader(analyses, spans);
    const next = async (): Promise<DueAnalysis | undefined> => {
      for (;;) {
        const due = await reader.next();
        if (!due) return undefined;
        const { analysis, span } = due;
        observer.met(analysis);
        // Without its bank, which may have stopped answering for good.
        const change = mayExpire(due) ? expired(analysis, deps.event, clock()) : undefined;
        if (change) {
          observer.gaveUp(analysis);
          await conclude(change, deps, observer.concluded);
        } else if (
          !isBeingSubmitted(analysis, clock()) &&
          (analysis.unanswerableSince === undefined ||
            isRetryDue(analysis.unanswerableSince, now - analysis.createdAt, span.dueAt, now))
        )
          return due;
      }
    };
    const questions = laneQuestions(lane.environment, deps, counting);
    const { askBatch } = questions;
    const report = await runLane(
      next,
      reader,
      {
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
      },
      { lastStart, clock },
    );
    if (!report.open) for (const span of report.left) lag.left(span);
    return { lane, ...report };
  }

  const reports = await Promise.all(
    POLL_LANES.filter((lane) => partitions.some((partition) => isSameLane(partition, lane))).map(run),
  );
  const next: PollCursor = {
    through: Math.max(minuteOf(now), cursor?.through ?? 0),
    owed: reports.flatMap(({ open, left }) => (open ? [] : owedOf(left, now))),
    begin: reports.flatMap(({ lane, open, left: [first] }) => {
      const before = cursor?.begin.find((one) => isSameLane(one, lane));
      if (open && first) return [{ ...first.partition, at: first.from }];
      return before && first ? [before] : [];
    }),
  };
  await cursors.write(job, next);
  observer.ended(lag.all());
  const broken = reports.find(({ error }) => error !== undefined);
  if (broken) throw broken.error;
  counts.skipped = reports.reduce((sum, { skipped }) => sum + skipped, 0);
  counts.owed = next.owed.length;
  return counts;
}
