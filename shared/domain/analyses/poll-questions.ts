import type { Environment } from '../values/tenancy.ts';
import type { Delivery } from '../webhooks/ports.ts';
import type { Analysis } from './analysis.ts';
import type { EventMaker } from './bank-submission.ts';
import { bookAnswer, type ConclusionObserver } from './book-answer.ts';
import type { LaneWork } from './bulkhead.ts';
import type { CallEnd } from './circuit-breaker.ts';
import type { DueAnalysis } from './due-reader.ts';
import { afterStatus, type PollResult, pollAnalysis, type StatusReader } from './poll-analysis.ts';
import type { Analyses, Cursors, OperatorApi } from './ports.ts';

/** Milliseconds that one call to the operator may take. */
const ONE_CALL = 10_000;
/** Changes of one batch that are written at once. */
const WRITES_AT_ONCE = 10;

/** Is told what a run meets and does: for logs and metrics. */
export interface PollObserver {
  /** An analysis that this run has to look at. */
  met(analysis: Analysis): void;
  /** What a question to the operator brought for an analysis. */
  asked(analysis: Analysis, found: PollResult): void;
  /** The operator answers, but from now on not for this analysis. */
  becameUnanswerable(analysis: Analysis): void;
  readonly concluded: ConclusionObserver;
  /** An analysis that is given up after 30 days. */
  gaveUp(analysis: Analysis): void;
  /**
   * The run has come to its end; a run that could not read where to begin has none. `lags`: of each partition in which
   * something was due, the longest that anything had waited when it was asked about, or waits still; milliseconds.
   */
  ended(lags: readonly number[]): void;
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
  /** A signal that is aborted after so many milliseconds. */
  readonly timeout: (milliseconds: number) => AbortSignal;
}

/** Books what a question brought for an analysis, and says what it tells of the bank. */
async function settle(analysis: Analysis, found: PollResult, deps: PollDeps, observer: PollObserver): Promise<CallEnd> {
  const { analyses, clock } = deps;
  observer.asked(analysis, found);
  if (found.kind !== 'unavailable') {
    await bookAnswer(analysis, found, deps, observer.concluded);
    return 'answered';
  }
  if (found.fault === 'bank') return 'failed';
  if (analysis.unanswerableSince === undefined) {
    await analyses.markUnanswerable(analysis, clock());
    observer.becameUnanswerable(analysis);
  }
  return 'neutral';
}

/** The questions of one lane. */
export function laneQuestions(environment: Environment, deps: PollDeps, observer: PollObserver): LaneWork {
  const { analyses, read, event, clock, timeout } = deps;
  const operator = deps.operatorOf(environment);

  async function ask({ analysis }: DueAnalysis): Promise<CallEnd> {
    const found = await pollAnalysis(analysis, {
      operator,
      analyses,
      form: () => analyses.form(analysis, analysis.submissionId),
      read,
      event,
      clock,
      signal: timeout(ONE_CALL),
    });
    return settle(analysis, found, deps, observer);
  }

  async function askBatch(batch: readonly DueAnalysis[]): Promise<CallEnd | 'unsupported'> {
    const asked = batch.map(({ analysis }) => analysis);
    const statuses = await operator.queryBatch!(asked, timeout(ONE_CALL));
    if (statuses === 'unsupported') return 'unsupported';
    const found = asked.map((analysis, index): PollResult => {
      const status = statuses === 'unavailable' ? undefined : statuses[index];
      return status ? afterStatus(analysis, status, deps) : { kind: 'unavailable', fault: 'bank' };
    });
    // One that cannot be written keeps none of the others from being booked.
    let error: unknown;
    const left = asked.entries();
    const write = async () => {
      for (const [index, analysis] of left) {
        await settle(analysis, found[index]!, deps, observer).catch((thrown: unknown) => {
          error ??= thrown;
        });
      }
    };
    await Promise.all(Array.from({ length: WRITES_AT_ONCE }, write));
    if (error !== undefined) throw error;
    return statuses === 'unavailable' ? 'failed' : 'answered';
  }

  return {
    ask,
    askBatch: operator.queryBatch && askBatch,
    // One whose submission is in doubt may have to be sent, which takes a call of its own.
    isBatchable: ({ analysis }) => analysis.queryNumber !== '',
  };
}
