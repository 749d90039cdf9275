import type { Clock } from '../values/clock.ts';
import type { Environment } from '../values/tenancy.ts';
import { type Instant, type Milliseconds, seconds } from '../values/time.ts';
import type { DeliveryNotifier } from '../webhooks/ports.ts';
import type { Analysis } from './analysis.ts';
import { bookAnswer, type ConclusionObserver } from './book-answer.ts';
import type { LaneWork } from './bulkhead.ts';
import type { CallEnd } from './circuit-breaker.ts';
import type { DueAnalysis } from './due-reader.ts';
import { afterStatus, givenUp, isOverdue, type PollResult, pollAnalysis } from './poll-analysis.ts';
import type { Analyses, Cursors, OperatorApi } from './ports.ts';
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
/** How many of these calls run in parallel: they take the place of the batch, which weighs five calls. */
const LEFT_OUT_AT_ONCE = 5;

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
   * - `lags`: one number for each partition of production in which something was due. It is the longest time that an
   *   analysis waited until it was asked about, or has waited so far.
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

/** Result for an analysis about which the operator gave no usable answer, although it answered about others. */
const NO_USABLE_ANSWER: PollResult = { kind: 'unavailable', fault: 'analysis' };

/** Calls `work` for all items, `atOnce` in parallel. An error does not stop the others. Returns the first error. */
async function workOn<T>(all: Iterable<T>, atOnce: number, work: (item: T) => Promise<unknown>): Promise<unknown> {
  let error: unknown;
  const remaining = all[Symbol.iterator]();
  const worker = async () => {
    for (let next = remaining.next(); !next.done; next = remaining.next()) {
      await work(next.value).catch((thrown: unknown) => {
        error ??= thrown;
      });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return error;
}

/** How many questions of a lane had each kind of result. */
export interface QuestionCounts {
  answered: number;
  /** The bank gave no answer. */
  failed: number;
  /** The operator's answer did not fit the analysis. */
  unanswerable: number;
}

/** The calls of one lane in one run, and the counts of their results up to now. */
interface LaneQuestions extends LaneWork {
  readonly counts: Readonly<QuestionCounts>;
}

/**
 * Returns the calls of one lane in one run. `runLane` starts none from `lastStart` on. Only `askLeftOut`, which is part
 * of a batch that has started before, looks at `lastStart` itself.
 */
export function laneQuestions(
  environment: Environment,
  deps: PollDeps,
  observer: PollObserver,
  lastStart: Instant,
): LaneQuestions {
  const { analyses, notifier, unsent, clock, timeout } = deps;
  const counts: QuestionCounts = { answered: 0, failed: 0, unanswerable: 0 };
  const operator = deps.operatorOf(environment);
  let leftOutAllowed = LEFT_OUT_PER_RUN;
  /** Analyses of batches that got no answer. After a failed probe, each of them is asked about in a call of its own. */
  const failedInBatch = new Set<Analysis>();

  /** Asks about one analysis in a call of its own. */
  const askOperator = (analysis: Analysis): Promise<PollResult> =>
    pollAnalysis(analysis, {
      operator,
      resubmit: { analyses, unsent, form: () => analyses.form(analysis, analysis.submissionId) },
      clock,
      signal: timeout(ONE_CALL),
    });

  function count(found: PollResult): void {
    if (found.kind !== 'unavailable') counts.answered += 1;
    else counts[found.fault === 'bank' ? 'failed' : 'unanswerable'] += 1;
  }

  /**
   * Writes the result of a question about an analysis, and returns what the result says about the bank. `last`: the
   * analysis is overdue, so the answer ends it even if the bank still calls it pending.
   */
  async function settle(analysis: Analysis, found: PollResult, last = false): Promise<CallEnd> {
    observer.asked(analysis, found);
    count(found);
    if (found.kind !== 'unavailable') {
      const latest = found.kind === 'note' ? found : analysis;
      const change = last && found.kind !== 'change' ? givenUp(analysis, latest) : undefined;
      if (change) observer.gaveUp(analysis);
      await bookAnswer(analysis, change ? { kind: 'change', change } : found, { analyses, notifier, observer });
      return 'answered';
    }
    if ((found.fault === 'analysis' || last) && analysis.unanswerableSince === undefined) {
      await analyses.markUnanswerable(analysis, clock());
      observer.becameUnanswerable(analysis);
    }
    return found.fault === 'bank' ? 'failed' : 'neutral';
  }

  async function ask({ analysis }: DueAnalysis): Promise<CallEnd> {
    const last = isOverdue(analysis, clock());
    const found = await askOperator(analysis);
    // Each analysis is counted once: by its last result.
    if (failedInBatch.delete(analysis)) counts.failed -= 1;
    return settle(analysis, found, last);
  }

  /**
   * Asks about one analysis that a batch answer left out. If the run may ask about no more of these analyses, only
   * marks the analysis as unanswerable, so that a later run asks again. After a fault of the bank, the run asks about
   * no more of them.
   */
  async function askLeftOut({ analysis }: DueAnalysis): Promise<void> {
    const found = leftOutAllowed-- > 0 && clock() < lastStart ? await askOperator(analysis) : NO_USABLE_ANSWER;
    if (found.kind === 'unavailable' && found.fault === 'bank') leftOutAllowed = 0;
    await settle(analysis, found.kind === 'unavailable' ? NO_USABLE_ANSWER : found);
  }

  async function askBatch(batch: readonly DueAnalysis[]): Promise<CallEnd | 'unsupported'> {
    const analysesOfBatch = batch.map(({ analysis }) => analysis);
    const statuses = await operator.queryBatch?.(analysesOfBatch, timeout(ONE_CALL));
    if (statuses === undefined || statuses === 'unsupported') return 'unsupported';
    const leftOut: DueAnalysis[] = [];
    const writeError = await workOn(batch.entries(), WRITES_AT_ONCE, async ([index, due]) => {
      if (statuses === 'unavailable') {
        failedInBatch.add(due.analysis);
        return settle(due.analysis, { kind: 'unavailable', fault: 'bank' });
      }
      const status = statuses[index];
      const found = status ? afterStatus(due.analysis, status) : NO_USABLE_ANSWER;
      return found.kind === 'unavailable' ? leftOut.push(due) : settle(due.analysis, found);
    });
    const askError = await workOn(leftOut, LEFT_OUT_AT_ONCE, askLeftOut);
    if ((writeError ?? askError) !== undefined) throw writeError ?? askError;
    return statuses === 'unavailable' ? 'failed' : 'answered';
  }

  return {
    counts,
    ask,
    askBatch: operator.queryBatch && askBatch,
    // Not in a batch: an analysis without a number may have to be sent, a marked one gets no usable answer in batches,
    // and an overdue one ends by its answer.
    isBatchable: ({ analysis }) =>
      analysis.queryNumber !== '' && analysis.unanswerableSince === undefined && !isOverdue(analysis, clock()),
  };
}
