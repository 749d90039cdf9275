import { ENVIRONMENTS } from '../values/tenancy.ts';
import type { Instant, Milliseconds } from '../values/time.ts';
import { isBeingSubmitted } from './poll-analysis.ts';
import {
  cutAfter,
  isFromFuture,
  POLL_LANES,
  type PollCursor,
  type PollLane,
  planLane,
  type Span,
} from './poll-cursor.ts';
import { type Due, type LaneCalls, runLane } from './poll-lane.ts';
import { laneQuestions, type PollDeps, type PollObserver } from './poll-questions.ts';
import { isRetryDue, minuteOf, type PollPartition, partitionsOfShard, turnOf } from './poll-schedule.ts';

interface Run {
  readonly partitions: readonly PollPartition[];
  readonly cursor: PollCursor | undefined;
  readonly now: Instant;
  readonly inTime: () => boolean;
  readonly deps: PollDeps;
  readonly observer: PollObserver;
}

async function pollLane(lane: PollLane, { partitions, cursor, now, inTime, deps, observer }: Run) {
  const { clock, analyses, unsent } = deps;
  const plan = planLane(lane, partitions.filter(isOf(lane)), cursor, now);
  const { counts, ask, askBatch, isBatchable } = laneQuestions(lane.environment, deps, observer);
  const lags = new Map<PollPartition, Milliseconds>();

  function noteLag({ partition, since }: Span, createdAt: Instant): void {
    const dueAt = Math.max(createdAt, turnOf(partition, since, now - createdAt));
    lags.set(partition, Math.max(lags.get(partition) ?? 0, clock() - dueAt));
  }
  const calls: LaneCalls = {
    isBatchable,
    ask(due) {
      noteLag(due.span, due.analysis.createdAt);
      return ask(due);
    },
    askBatch(batch, fail) {
      for (const { span, analysis } of batch) noteLag(span, analysis.createdAt);
      return askBatch(batch, fail);
    },
  };
  function isWanted({ analysis, span }: Due): boolean {
    const { unanswerableSince, createdAt } = analysis;
    observer.met(analysis);
    if (analysis.queryNumber === '') unsent.see(analysis);
    if (isBeingSubmitted(analysis, clock())) return false;
    if (unanswerableSince === undefined) return true;
    const age = now - createdAt;
    return isRetryDue(unanswerableSince, age, turnOf(span.partition, span.since, age), now);
  }

  const end = await runLane(plan, calls, analyses, isWanted, inTime);
  for (const span of end.rest) if (span.from < span.to) noteLag(span, span.from);
  // A bank that gives no answers does not make the poller late.
  const isBankAway = end.isStopped || (counts.failed > 0 && counts.answered === 0);
  if (isBankAway || lane.environment === 'sandbox') lags.clear();
  return { ...end, lane, counts, lags, cut: cutAfter(lane, plan, end.rest, cursor) };
}

const isOf = (lane: PollLane) => (partition: PollPartition) =>
  partition.environment === lane.environment && partition.bank === lane.bank;

/** Throws a RangeError if there is no such shard, and the first error of a lane once the cursor is written. */
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
  const run: Run = { partitions, cursor, now, inTime: () => clock() < lastStart, deps, observer };
  const lanes = await Promise.all(
    POLL_LANES.filter((lane) => partitions.some(isOf(lane))).map((lane) => pollLane(lane, run)),
  );

  const minute = minuteOf(now);
  // The cursor is written last: if the run dies before, the next run asks again, which harms nobody.
  await cursors.write(job, {
    since: cursor?.since ?? minute,
    through: Math.max(minute, cursor?.through ?? 0),
    cut: lanes.flatMap(({ cut }) => cut ?? []),
  });
  const failed = lanes.filter(({ error }) => error !== undefined);
  const healthy = ENVIRONMENTS.filter((one) => failed.every(({ lane }) => lane.environment !== one));
  observer.ended(
    lanes.flatMap(({ lags }) => [...lags.values()]),
    healthy,
  );
  if (failed[0]) throw failed[0].error;
  const sumOf = (count: (lane: (typeof lanes)[number]) => number) => lanes.reduce((sum, lane) => sum + count(lane), 0);
  return {
    answered: sumOf(({ counts }) => counts.answered),
    failed: sumOf(({ counts }) => counts.failed),
    unanswerable: sumOf(({ counts }) => counts.unanswerable),
    skipped: sumOf(({ skipped }) => skipped),
    cut: lanes.filter(({ cut, isStopped }) => cut && !isStopped).length,
  };
}
