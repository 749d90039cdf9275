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

const ONE_CALL: Milliseconds = seconds(10);
const WRITES_AT_ONCE = 10;
/**
 * Most analyses, left out by batch answers, that a lane asks about again. With more, one bank's broken batches would
 * use up the run.
 */
const LEFT_OUT_PER_RUN = 20;

export interface AnswerObserver extends ConclusionObserver {
  asked(analysis: Analysis, found: PollResult): void;
}

export interface PollObserver extends AnswerObserver {
  met(analysis: Analysis): void;
  /** Also called if the operator did not answer the question that would have ended the analysis after 30 days. */
  becameUnanswerable(analysis: Analysis): void;
  gaveUp(analysis: Analysis): void;
  /**
   * `lags`: longest delay in each lane and partition of production. `healthy`: environments whose lanes threw no error.
   */
  ended(lags: readonly Milliseconds[], healthy: readonly Environment[]): void;
}

export interface PollDeps {
  readonly analyses: Analyses;
  readonly operatorOf: (environment: Environment) => OperatorApi;
  readonly cursors: Cursors;
  readonly unsent: UnsentWatch;
  readonly notifier: DeliveryNotifier;
  readonly clock: Clock;
  readonly timeout: (time: Milliseconds) => AbortSignal;
}

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

  /** If a lane's first batch fails, the lane makes no other batch, so that a dead bank is noticed in half a run. */
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
    // An analysis without a query number may have to be sent. An unanswerable analysis gets no usable answer in
    // batches. An overdue analysis ends by its answer.
    isBatchable: ({ analysis }) =>
      batching &&
      analysis.queryNumber !== '' &&
      analysis.unanswerableSince === undefined &&
      !isOverdue(analysis, clock()),
  };
}
