import type { Clock } from '../values/clock.ts';
import type { Environment } from '../values/tenancy.ts';
import { type Instant, type Milliseconds, seconds } from '../values/time.ts';
import type { Delivery } from '../webhooks/ports.ts';
import type { Analysis } from './analysis.ts';
import type { EventMaker } from './bank-submission.ts';
import { bookAnswer, type ConclusionObserver } from './book-answer.ts';
import type { LaneWork } from './bulkhead.ts';
import type { CallEnd } from './circuit-breaker.ts';
import type { DueAnalysis } from './due-reader.ts';
import { afterStatus, givenUp, isOverdue, type PollResult, pollAnalysis, type StatusReader } from './poll-analysis.ts';
import type { Analyses, Cursors, OperatorApi } from './ports.ts';
import type { UnsentWatch } from './unsent-watch.ts';

/** Time limit for one call to the operator. */
const ONE_CALL: Milliseconds = seconds(10);
/** Changes of one batch that are written at once. */
const WRITES_AT_ONCE = 10;
/**
 * Analyses of which a batch says nothing that a lane asks about singly at once in a run, and so many beside each other: a
 * batch takes as many places.
 */
const SINGLY = 20;
const SINGLY_AT_ONCE = 5;

/** Is told what a run meets and does: for logs and metrics. */
export interface PollObserver {
  /** An analysis that this run has to look at. */
  met(analysis: Analysis): void;
  /** What a question to the operator brought for an analysis. */
  asked(analysis: Analysis, found: PollResult): void;
  /** The operator answers, but from now on not for this analysis; or not to the last question about it. */
  becameUnanswerable(analysis: Analysis): void;
  readonly concluded: ConclusionObserver;
  /** An analysis that is given up after 30 days: the operator, asked once more, says that it is pending. */
  gaveUp(analysis: Analysis): void;
  /**
   * The run has come to its end; a run that could not read where to begin has none. `lags`: of each partition in which
   * something was due, the longest that anything had waited when it was asked about, or waits still.
   * `whole`: in which environments all that was due could be read and booked.
   */
  ended(lags: readonly Milliseconds[], whole: readonly Environment[]): void;
}

/** What a run of the poller goes through. */
export interface PollDeps {
  readonly analyses: Analyses;
  readonly operatorOf: (environment: Environment) => OperatorApi;
  readonly cursors: Cursors;
  /** What this container has seen unsent, in this run and those before. */
  readonly unsent: UnsentWatch;
  readonly read: StatusReader;
  readonly event: EventMaker;
  /** Tells the queue of deliveries that were just booked. */
  readonly notify: (booked: readonly Delivery[]) => Promise<void>;
  readonly clock: Clock;
  /** A signal that is aborted after this time. */
  readonly timeout: (time: Milliseconds) => AbortSignal;
}

/** No answer about an analysis, though the operator answers for others. */
const SILENCE: PollResult = { kind: 'unavailable', fault: 'analysis' };

/** Works on all, so many at once; one that fails keeps none from its turn. Gives what was thrown first. */
async function workOn<T>(all: Iterable<T>, atOnce: number, work: (one: T) => Promise<unknown>): Promise<unknown> {
  let error: unknown;
  const left = all[Symbol.iterator]();
  const worker = async () => {
    for (let next = left.next(); !next.done; next = left.next()) {
      await work(next.value).catch((thrown: unknown) => {
        error ??= thrown;
      });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return error;
}

/** The questions of one lane in one run, which begins none from `lastStart` on. */
export function laneQuestions(
  environment: Environment,
  deps: PollDeps,
  observer: PollObserver,
  lastStart: Instant,
): LaneWork {
  const { analyses, unsent, read, event, clock, timeout } = deps;
  const operator = deps.operatorOf(environment);
  let singly = SINGLY;

  /** Asks about one alone. */
  const question = (analysis: Analysis): Promise<PollResult> =>
    pollAnalysis(analysis, {
      operator,
      resubmit: { analyses, unsent, form: () => analyses.form(analysis, analysis.submissionId) },
      read,
      event,
      clock,
      signal: timeout(ONE_CALL),
    });

  /** Books what a question brought for an analysis, and says what it tells of the bank. `last`: the answer ends it. */
  async function settle(analysis: Analysis, found: PollResult, last = false): Promise<CallEnd> {
    observer.asked(analysis, found);
    if (found.kind !== 'unavailable') {
      const said = found.kind === 'note' ? found : analysis;
      const change = last && found.kind !== 'change' ? givenUp(analysis, said, event, clock()) : undefined;
      if (change) observer.gaveUp(analysis);
      await bookAnswer(analysis, change ? { kind: 'change', change } : found, deps, observer.concluded);
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
    return settle(analysis, await question(analysis), last);
  }

  /** Asks alone about one of which a batch said nothing, while the run may; else its retries do. */
  async function askSilent({ analysis }: DueAnalysis): Promise<void> {
    const found = singly-- > 0 && clock() < lastStart ? await question(analysis) : SILENCE;
    if (found.kind === 'unavailable' && found.fault === 'bank') singly = 0;
    await settle(analysis, found.kind === 'unavailable' ? SILENCE : found);
  }

  async function askBatch(batch: readonly DueAnalysis[]): Promise<CallEnd | 'unsupported'> {
    const asked = batch.map(({ analysis }) => analysis);
    const statuses = await operator.queryBatch?.(asked, timeout(ONE_CALL));
    if (statuses === undefined || statuses === 'unsupported') return 'unsupported';
    const silent: DueAnalysis[] = [];
    const unwritten = await workOn(batch.entries(), WRITES_AT_ONCE, async ([index, due]) => {
      if (statuses === 'unavailable') return settle(due.analysis, { kind: 'unavailable', fault: 'bank' });
      const status = statuses[index];
      const found = status ? afterStatus(due.analysis, status, deps) : SILENCE;
      return found.kind === 'unavailable' ? silent.push(due) : settle(due.analysis, found);
    });
    const error = await workOn(silent, SINGLY_AT_ONCE, askSilent);
    if ((unwritten ?? error) !== undefined) throw unwritten ?? error;
    return statuses === 'unavailable' ? 'failed' : 'answered';
  }

  return {
    ask,
    askBatch: operator.queryBatch && askBatch,
    // Alone: one whose submission is in doubt may have to be sent, one of which nothing was said, one that ends.
    isBatchable: ({ analysis }) =>
      analysis.queryNumber !== '' && analysis.unanswerableSince === undefined && !isOverdue(analysis, clock()),
  };
}
