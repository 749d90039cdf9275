import type { Clock } from '../values/clock.ts';
import type { Environment } from '../values/tenancy.ts';
import { type Milliseconds, seconds } from '../values/time.ts';
import type { DeliveryNotifier } from '../webhooks/ports.ts';
import type { Analysis } from './analysis.ts';
import { bookAnswer, type ConclusionObserver } from './book-answer.ts';
import { afterStatus, givenUp, isOverdue, type PollResult, pollAnalysis } from './poll-analysis.ts';
import type { Due, LaneCalls } from './poll-lane.ts';
import type { Analyses, Cursors, OperatorApi, QuestionEnd } from './ports.ts';
import type { UnsentWatch } from './unsent-watch.ts';

/** Time limit for one call to the operator. */
const ONE_CALL: Milliseconds = seconds(10);
/** Changes of one batch that are written in parallel. */
const WRITES_AT_ONCE = 10;
/**
 * Most analyses of one lane that a run asks about in calls of their own because a batch answer left them out. More
 * would let the broken batches of one bank use up the run.
 */
const LEFT_OUT_PER_RUN = 20;

/** Called with what the operator says about analyses, for logs and metrics. */
export interface AnswerObserver extends ConclusionObserver {
  /** Called with the result of each question about an analysis, and with each outcome that the operator reports. */
  asked(analysis: Analysis, found: PollResult): void;
}

/** Called with what a run of the poller finds and does, for logs and metrics. */
export interface PollObserver extends AnswerObserver {
  /** Called with each due analysis that the run reads, even if it is not asked about. */
  met(analysis: Analysis): void;
  /**
   * Called when an analysis is marked as unanswerable. Either the operator answers, but not usably about this analysis,
   * or it did not answer the question that would have ended the analysis after 30 days.
   */
  becameUnanswerable(analysis: Analysis): void;
  /** Called with each analysis that ends after 30 days, because the operator still calls it pending. */
  gaveUp(analysis: Analysis): void;
  /**
   * Called at the end of a run, after its cursor is written.
   * - `lags`: one number for each lane of production and partition in which something was due. It is the longest time
   *   that an analysis waited until it was asked about, or has waited so far.
   * - `healthy`: the environments in which everything that was read could be handled, so that no lane threw an error.
   */
  ended(lags: readonly Milliseconds[], healthy: readonly Environment[]): void;
}

/** Dependencies of a run of the poller. */
export interface PollDeps {
  readonly analyses: Analyses;
  readonly operatorOf: (environment: Environment) => OperatorApi;
  readonly cursors: Cursors;
  /** What this container has seen unsent, in this run and in earlier ones. */
  readonly unsent: UnsentWatch;
  readonly notifier: DeliveryNotifier;
  readonly clock: Clock;
  /** Returns a signal that is aborted after this time. */
  readonly timeout: (time: Milliseconds) => AbortSignal;
}

/** Returns the calls of one lane in one run, and how many results of each kind they had up to now. */
export function laneQuestions(
  environment: Environment,
  deps: PollDeps,
  observer: PollObserver,
): LaneCalls & { readonly counts: Readonly<Record<QuestionEnd, number>> } {
  const { analyses, notifier, unsent, clock, timeout } = deps;
  const counts = { answered: 0, failed: 0, unanswerable: 0 };
  const operator = deps.operatorOf(environment);
  let leftOutAllowed = LEFT_OUT_PER_RUN;
  let batching = operator.queryBatch !== undefined;
  let hasAnsweredBatch = false;

  /**
   * Writes the result of a question about an analysis. `last`: the analysis is overdue, so the answer ends it even if the
   * bank still calls it pending.
   */
  async function settle(analysis: Analysis, found: PollResult, last = false): Promise<QuestionEnd> {
    observer.asked(analysis, found);
    if (found.kind === 'failed' || found.kind === 'unanswerable') {
      counts[found.kind] += 1;
      if ((found.kind === 'unanswerable' || last) && analysis.unanswerableSince === undefined) {
        await analyses.markUnanswerable(analysis, clock());
        observer.becameUnanswerable(analysis);
      }
      return found.kind;
    }
    counts.answered += 1;
    const latest = found.kind === 'note' ? found : analysis;
    const change = last && found.kind !== 'change' ? givenUp(analysis, latest) : undefined;
    if (change) observer.gaveUp(analysis);
    await bookAnswer(analysis, change ? { kind: 'change', change } : found, { analyses, notifier, observer });
    return 'answered';
  }

  async function ask({ analysis }: Due): Promise<QuestionEnd> {
    const last = isOverdue(analysis, clock());
    const resubmit = { analyses, unsent, form: () => analyses.form(analysis, analysis.submissionId) };
    const found = await pollAnalysis(analysis, { operator, resubmit, clock, signal: timeout(ONE_CALL) });
    return settle(analysis, found, last);
  }

  /**
   * A batch without an answer says nothing about its analyses: each of them is asked about in a call of its own. If no
   * batch was answered before it, the run makes no other batch, so that a dead bank is noticed within half a run.
   */
  async function askBatch(batch: readonly Due[], fail: (error: unknown) => void) {
    const asked = batch.map(({ analysis }) => analysis);
    const statuses = (await operator.queryBatch?.(asked, timeout(ONE_CALL))) ?? 'unanswerable';
    if (statuses === 'failed' || statuses === 'unanswerable') {
      batching &&= hasAnsweredBatch && statuses === 'failed';
      return { end: statuses, again: batch };
    }
    hasAnsweredBatch = true;
    const again: Due[] = [];
    const remaining = batch.entries();
    const write = async () => {
      for (const [index, due] of remaining) {
        const found = afterStatus(due.analysis, statuses[index] ?? { kind: 'unanswerable' });
        if (found.kind === 'unanswerable' && leftOutAllowed-- > 0) again.push(due);
        else await settle(due.analysis, found).catch(fail);
      }
    };
    await Promise.all(Array.from({ length: WRITES_AT_ONCE }, write));
    return { end: 'answered' as const, again };
  }

  return {
    counts,
    ask,
    askBatch,
    // Not in a batch: an analysis without a number may have to be sent, a marked one gets no usable answer in batches,
    // and an overdue one ends by its answer.
    isBatchable: ({ analysis }) =>
      batching &&
      analysis.queryNumber !== '' &&
      analysis.unanswerableSince === undefined &&
      !isOverdue(analysis, clock()),
  };
}
