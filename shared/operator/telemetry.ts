import type { Analysis } from '../domain/analyses/analysis.ts';
import type { PollObserver } from '../domain/analyses/poll-questions.ts';
import type { AnalysisChange } from '../domain/analyses/ports.ts';
import { BANKS } from '../domain/values/bank.ts';
import type { Clock } from '../domain/values/clock.ts';
import { logInfo, logWarning } from '../runtime/log.ts';
import { emit } from '../runtime/metrics.ts';
import type { OperatorObservation } from './operator-api.ts';

/** Emits one call to the operator: its duration, and whether it brought an answer. */
export function recordOperatorCall({ bank, outcome, milliseconds }: OperatorObservation): void {
  emit(
    { bank },
    { OperatorLatency: milliseconds, OperatorErrors: outcome === 'unknown' || outcome === 'unavailable' ? 1 : 0 },
  );
}

/** Emits an analysis that has become final at `now` (milliseconds). */
export function recordConclusion({ after }: AnalysisChange, now: number): void {
  emit({ bank: after.bank }, { AnalysesConcluded: 1, TimeToOutcome: Math.max(0, now - after.createdAt) / 1000 });
  emit({ bank: after.bank, situacao: after.situation }, { Outcome: 1 });
}

const about = ({ bank, unitId, id, requestId }: Analysis) => ({
  bank,
  unit: unitId,
  analysis: id,
  // The id of the partner's call, by which its outcome is found in the logs.
  ...(requestId !== undefined && { request_id: requestId }),
});

/** Logs and measures a run of the poller that begins now. Its end emits a count for every bank, even 0: no data means that no run ended. */
export function observePoll(clock: Clock): PollObserver {
  const begun = clock();
  const pending = new Map(BANKS.map((bank) => [bank, { count: 0, oldest: begun, unanswerable: 0 }]));
  let polls = 0;
  let withoutNews = 0;
  return {
    met({ bank, environment, createdAt, unanswerableSince }) {
      const seen = pending.get(bank)!;
      seen.count += 1;
      // The sandbox has a test CPF whose analysis stays pending by intent.
      if (environment !== 'producao') return;
      seen.oldest = Math.min(seen.oldest, createdAt);
      if (unanswerableSince !== undefined) seen.unanswerable += 1;
    },

    asked(analysis, found) {
      polls += 1;
      if (found.kind !== 'change' && found.kind !== 'note') withoutNews += 1;
      if ('unknownStatus' in found && found.unknownStatus) {
        logWarning('unknown_status', about(analysis));
        emit({ bank: analysis.bank }, { UnknownStatus: 1 });
      }
      if (found.kind === 'note' && analysis.queryNumber === '') logInfo('submission_reconciled', about(analysis));
    },

    becameUnanswerable(analysis) {
      logWarning('analysis_unanswerable', about(analysis));
    },

    concluded(change, booked) {
      const { before, after } = change;
      if (booked) {
        logInfo('analysis_concluded', { ...about(after), situation: after.situation });
        return recordConclusion(change, clock());
      }
      logWarning('transition_ignored', about(before));
      emit({ bank: before.bank }, { IgnoredTransition: 1 });
    },

    gaveUp(analysis) {
      logWarning('analysis_expired', about(analysis));
    },

    ended(lags) {
      for (const [bank, { count, oldest, unanswerable }] of pending) {
        emit(
          { bank },
          {
            Pending: count,
            OldestPendingMinutes: Math.floor((begun - oldest) / 60_000),
            AnalysesUnanswerable: unanswerable,
          },
        );
      }
      emit(
        {},
        {
          Polls: polls,
          PollsWithoutNews: withoutNews,
          PollDuration: clock() - begun,
          PollLag: lags.length > 0 ? lags.map((lag) => lag / 1000) : 0,
        },
      );
    },
  };
}

/** Logs the bank submissions that are in doubt; counts the analyses submitted, or one resumed request instead; records those that ended at once. */
export function recordSubmission(resumed: boolean, changes: readonly AnalysisChange[], now: number): void {
  for (const { after } of changes) {
    if (after.queryNumber === '' && after.situation === 'em_analise') logWarning('submission_in_doubt', about(after));
  }
  if (resumed) emit({}, { IdempotencyResumed: 1 });
  else for (const { before } of changes) emit({ bank: before.bank }, { AnalysesSubmitted: 1 });
  for (const change of changes) if (change.delivery) recordConclusion(change, now);
}
