import type { Environment } from '../values/tenancy.ts';
import type { Delivery } from '../webhooks/ports.ts';
import { type Analysis, dueRange, POLL_BUCKETS, pollBucket } from './analysis.ts';
import type { EventMaker } from './bank-submission.ts';
import { type BulkheadCounts, type BulkheadOptions, runBulkhead } from './bulkhead.ts';
import { expired, type PollResult, pollAnalysis, type StatusReader } from './poll-analysis.ts';
import type { Analyses, AnalysisChange, Cursors, OperatorApi, PollPosition } from './ports.ts';

/** Milliseconds that one analysis may take at the operator. */
const ONE_ANALYSIS = 10_000;

/** The buckets of one shard of a number of shards. */
export function bucketsOf(shard: number, shards: number): number[] {
  return Array.from({ length: POLL_BUCKETS }, (_, bucket) => bucket).filter((bucket) => bucket % shards === shard);
}

interface BucketRange {
  readonly bucket: number;
  readonly from: number;
  readonly to: number;
}

/**
 * The creation times that are due at `now` (milliseconds), bucket by bucket in the order in which a run takes them: from
 * where it begins on, through the other buckets, and round to where it began.
 */
export function dueRanges(buckets: readonly number[], begin: PollPosition | undefined, now: number): BucketRange[] {
  const at = Math.max(0, buckets.indexOf(begin?.bucket ?? -1));
  const since = buckets[at] === begin?.bucket ? (begin?.since ?? 0) : 0;
  const [first, ...others] = [...buckets.slice(at), ...buckets.slice(0, at)].map((bucket) => ({
    bucket,
    ...dueRange(bucket, now),
  }));
  const { bucket, from, to } = first!;
  const round = [{ bucket, from: Math.max(from, since), to }, ...others, { bucket, from, to: Math.min(to, since) }];
  return round.filter((range) => range.from < range.to);
}

/** The analyses of some ranges, read a page at a time as they are asked for. */
async function* dueAnalyses(analyses: Analyses, ranges: readonly BucketRange[]): AsyncGenerator<Analysis> {
  for (const { bucket, ...range } of ranges) {
    let after: string | undefined;
    do {
      const page = await analyses.pending(bucket, range, after);
      yield* page.items;
      after = page.next;
    } while (after !== undefined);
  }
}

/** Is told what a run meets and does: for logs and metrics. */
export interface PollObserver {
  /** An analysis that this run has to look at. */
  met(analysis: Analysis): void;
  /** A question put to the operator at `at` (milliseconds), and what it brought. */
  asked(analysis: Analysis, at: number, found: PollResult): void;
  /** A change that was booked, or ignored because another run had moved the analysis on. */
  concluded(change: AnalysisChange, booked: boolean): void;
  /** An analysis that is given up after 30 days. */
  gaveUp(analysis: Analysis): void;
  /** The run has come to its end; a run that could not read where to begin has none. */
  ended(): void;
}

/** What a run of the poller goes through. */
export interface PollDeps {
  readonly analyses: Analyses;
  readonly operatorOf: (environment: Environment) => OperatorApi;
  readonly cursors: Cursors;
  readonly read: StatusReader;
  readonly event: EventMaker;
  /** Tells the queue of deliveries that were just booked. */
  readonly notify: (booked: readonly Delivery[]) => Promise<void>;
  readonly clock: () => number;
}

async function conclude(change: AnalysisChange, { analyses, notify }: PollDeps, observer: PollObserver): Promise<void> {
  const booked = await analyses.conclude(change);
  observer.concluded(change, booked);
  if (booked && change.delivery) await notify([change.delivery]);
}

/** Asks the operator about one analysis and books what it says. */
async function ask(analysis: Analysis, deps: PollDeps, observer: PollObserver): Promise<'answered' | 'failed'> {
  const { analyses, operatorOf, read, event, clock } = deps;
  const at = clock();
  const found = await pollAnalysis(analysis, {
    operator: operatorOf(analysis.environment),
    analyses,
    form: () => analyses.form(analysis, analysis.submissionId),
    read,
    event,
    clock,
    signal: AbortSignal.timeout(ONE_ANALYSIS),
  });
  observer.asked(analysis, at, found);
  if (found.kind === 'change') await conclude(found.change, deps, observer);
  if (found.kind === 'note') await analyses.note(analysis, found.queryNumber, found.rawStatus);
  return found.kind === 'unavailable' ? 'failed' : 'answered';
}

/** Gives up what has waited for too long as it is met, without its bank, which may have stopped answering for good. */
async function* stillAwaited(
  due: AsyncIterable<Analysis>,
  deps: PollDeps,
  observer: PollObserver,
): AsyncGenerator<Analysis> {
  for await (const analysis of due) {
    observer.met(analysis);
    const change = expired(analysis, deps.event, deps.clock());
    if (!change) yield analysis;
    else {
      observer.gaveUp(analysis);
      await conclude(change, deps, observer);
    }
  }
}

/**
 * Asks about the pending analyses of one shard that are due by their age, each bank in a lane of its own, and books what
 * changed. Starts nothing after `deadline` (milliseconds since 1970); the next run begins where this one left something
 * over. Gives how many analyses came to what; throws the first error once all others have had their turn.
 */
export async function pollShard(
  { shard, shards }: { readonly shard: number; readonly shards: number },
  deadline: BulkheadOptions['deadline'],
  deps: PollDeps,
  observer: PollObserver,
): Promise<Omit<BulkheadCounts, 'thrown'>> {
  const { analyses, cursors, clock } = deps;
  const job = `poll-bank-outcomes/${shard}`;
  const ranges = dueRanges(bucketsOf(shard, shards), await cursors.read(job), clock());
  let last: Analysis | undefined;
  const noting: PollObserver = {
    ...observer,
    met(analysis) {
      last = analysis;
      observer.met(analysis);
    },
  };
  const report = await runBulkhead(
    stillAwaited(dueAnalyses(analyses, ranges), deps, noting),
    (analysis) => ask(analysis, deps, observer),
    { deadline, clock },
  );
  // A whole run needs no mark. The next begins with what was read first of all that this one left over, or after what it
  // read last.
  const { firstPostponed: left, finished } = report;
  if (left) await cursors.write(job, { bucket: pollBucket(left.id), since: left.createdAt });
  else if (!finished && last) await cursors.write(job, { bucket: pollBucket(last.id), since: last.createdAt + 1 });
  observer.ended();
  if (report.firstError) throw report.firstError;
  const sum = { answered: 0, failed: 0, skipped: 0, postponed: 0 };
  for (const counts of report.banks.values())
    for (const end of ['answered', 'failed', 'skipped', 'postponed'] as const) sum[end] += counts[end];
  return sum;
}
