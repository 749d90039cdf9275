import type { Analysis } from '../domain/analysis.ts';
import { BANKS } from '../domain/bank.ts';
import type { AnalysisChange } from '../domain/ports.ts';
import { emit } from '../runtime/metrics.ts';
import type { DeskObservation } from './desk.ts';

/** Emits one call to the desk: its time, and whether it brought an answer. */
export function measureDesk({ bank, outcome, milliseconds }: DeskObservation): void {
  emit({ bank }, { DeskLatency: milliseconds, DeskErrors: outcome === 'unknown' || outcome === 'unavailable' ? 1 : 0 });
}

/** Emits an analysis that has become final at `now` (milliseconds). */
export function measureConclusion({ after }: AnalysisChange, now: number): void {
  emit({ bank: after.bank }, { AnalysesConcluded: 1, TimeToOutcome: Math.max(0, now - after.createdAt) / 1000 });
  emit({ bank: after.bank, situacao: after.situation }, { Outcome: 1 });
}

/** What one run of the poller met and did. */
export interface PollMeasures {
  /** An analysis that this tick has to look at. */
  met(analysis: Analysis): void;
  /** A question put to the desk at `at` (milliseconds), and whether it changed anything. */
  asked(at: number, news: boolean): void;
  /** The end of the run: everything is emitted, every bank included, so that silence means that no run ended. */
  end(at: number): void;
}

/** Measures of a run that began at `begun`, in milliseconds. */
export function pollMeasures(begun: number): PollMeasures {
  const pending = new Map(BANKS.map((bank) => [bank, { count: 0, oldest: begun }]));
  const lags: number[] = [];
  let polls = 0;
  let withoutNews = 0;
  return {
    met: ({ bank, createdAt }) => {
      const seen = pending.get(bank)!;
      seen.count += 1;
      seen.oldest = Math.min(seen.oldest, createdAt);
    },
    asked: (at, news) => {
      polls += 1;
      if (!news) withoutNews += 1;
      lags.push((at - begun) / 1000);
    },
    end: (at) => {
      for (const [bank, { count, oldest }] of pending) {
        emit({ bank }, { Pending: count, OldestPendingMinutes: Math.floor((begun - oldest) / 60_000) });
      }
      emit(
        {},
        { Polls: polls, PollsWithoutNews: withoutNews, PollDuration: at - begun, PollLag: lags.length > 0 ? lags : 0 },
      );
    },
  };
}

/** Emits a submission: one more analysis for each bank, or that it was taken up where a run before had left it; and what ended at once. */
export function measureSubmission(resumed: boolean, changes: readonly AnalysisChange[], now: number): void {
  if (resumed) emit({}, { IdempotencyResumed: 1 });
  else for (const { before } of changes) emit({ bank: before.bank }, { AnalysesSubmitted: 1 });
  for (const change of changes) if (change.delivery) measureConclusion(change, now);
}
