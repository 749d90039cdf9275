import type { Analysis } from '../domain/analyses/analysis.ts';
import type { PollObserver } from '../domain/analyses/poll-questions.ts';
import type { AnalysisChange } from '../domain/analyses/ports.ts';
import type { Bank } from '../domain/values/bank.ts';
import type { Clock } from '../domain/values/clock.ts';
import type { Environment } from '../domain/values/tenancy.ts';
import { hours, type Instant, type Milliseconds, minutes, seconds } from '../domain/values/time.ts';
import { logInfo, logWarning } from '../runtime/log.ts';
import { emit, emitTotal } from '../runtime/metrics.ts';
import type { OperatorObservation } from './operator-api.ts';

/**
 * The operator is called for production only (the sandbox answers inside the process), so its metrics and the poller's
 * per-bank figures are production's.
 */
const PRODUCTION = 'producao';

/** Emits one call to the operator: its duration, whether it brought an answer, and whether it took our token. */
export function recordOperatorCall({ bank, outcome, fault, milliseconds }: OperatorObservation): void {
  const failed = outcome === 'unknown' || outcome === 'unavailable';
  emit({ environment: PRODUCTION, bank }, { OperatorLatency: milliseconds, OperatorErrors: failed ? 1 : undefined });
  if (fault === 'unauthorized') emit({ environment: PRODUCTION }, { OperatorUnauthorized: 1 });
}

/** Emits an analysis that has become final at `now`. */
function recordConclusion({ after }: AnalysisChange, now: Instant): void {
  const { environment, bank, situation, createdAt } = after;
  const TimeToOutcome = Math.max(0, now - createdAt) / seconds(1);
  emit({ environment, bank }, { TimeToOutcome });
  // The sandbox's follow from the CPF and say nothing of banks.
  if (environment !== PRODUCTION) return;
  emitTotal(environment, { TimeToOutcome });
  emit({ environment, bank, situacao: situation }, { Outcome: 1 });
}

/** What a line of the log says of an analysis. */
function about({ bank, unitId, id, requestId }: Analysis) {
  const facts: Record<string, string | number> = { bank, unit: unitId, analysis: id };
  // The id of the partner's call, by which its outcome is found in the logs; else the line keeps its own run's id.
  if (requestId !== undefined) facts['request_id'] = requestId;
  return facts;
}

/** Time without a usable answer after which an analysis counts as unanswerable: one alone is a hiccup. */
const STUCK: Milliseconds = hours(2);

/** Of the waiting analyses that a tick met. */
interface Waiting {
  count: number;
  oldest: Instant;
  unanswerable: number;
}

/** Logs and measures a run of the poller that begins now. Its end emits a count for production, even 0: no data means that no run ended. */
export function observePoll(clock: Clock): PollObserver {
  const begun = clock();
  const nothing = (): Waiting => ({ count: 0, oldest: begun, unanswerable: 0 });
  const waiting: Readonly<Record<Environment, Map<Bank, Waiting>>> = { sandbox: new Map(), producao: new Map() };
  const minutesSince = (moment: Instant) => Math.floor((begun - moment) / minutes(1));
  let polls = 0;
  return {
    met({ bank, environment, createdAt, unanswerableSince }) {
      const banks = waiting[environment];
      const seen = banks.get(bank) ?? nothing();
      banks.set(bank, seen);
      seen.count += 1;
      seen.oldest = Math.min(seen.oldest, createdAt);
      if (unanswerableSince !== undefined && begun - unanswerableSince >= STUCK) seen.unanswerable += 1;
    },

    asked(analysis, found) {
      polls += 1;
      if ('unknownStatus' in found && found.unknownStatus) {
        logWarning('unknown_status', about(analysis));
        const { environment, bank } = analysis;
        emit({ environment, bank }, { UnknownStatus: 1 });
        emitTotal(environment, { UnknownStatus: 1 });
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
      const { environment, bank } = before;
      emit({ environment, bank }, { IgnoredTransition: 1 });
      emitTotal(environment, { IgnoredTransition: 1 });
    },

    gaveUp(analysis) {
      logWarning('analysis_expired', about(analysis));
    },

    ended(lags, whole) {
      for (const [bank, { count, unanswerable }] of waiting[PRODUCTION]) {
        emit(
          { environment: PRODUCTION, bank },
          { Pending: count, AnalysesUnanswerable: unanswerable > 0 ? unanswerable : undefined },
        );
      }
      const metIn = (one: Environment) => Array.from(waiting[one].values());
      const sumOf = (met: readonly Waiting[], of: 'count' | 'unanswerable' = 'count') =>
        met.reduce((sum, one) => sum + one[of], 0);
      const unanswerable = sumOf(metIn(PRODUCTION), 'unanswerable');
      const gauges = {
        Pending: sumOf(metIn(PRODUCTION)),
        AnalysesUnanswerable: unanswerable > 0 ? unanswerable : undefined,
      };
      // The sign that the poller lives: a run that could not go through production gives none.
      if (whole.includes(PRODUCTION)) emitTotal(PRODUCTION, gauges);
      const oldest = Math.min(begun, ...metIn(PRODUCTION).map(({ oldest }) => oldest));
      // What could not be read may be older: then nothing waits only where something was met.
      if (oldest < begun || whole.includes(PRODUCTION))
        emit({ environment: PRODUCTION }, { OldestPendingMinutes: minutesSince(oldest) });
      const sandbox = sumOf(metIn('sandbox'));
      if (sandbox > 0) emitTotal('sandbox', { Pending: sandbox });
      emit({}, { Polls: polls, PollLag: lags.length > 0 ? lags.map((lag) => lag / seconds(1)) : 0 });
    },
  };
}

const isInDoubt = ({ after }: AnalysisChange) => after.queryNumber === '' && after.situation === 'em_analise';

/** Logs the bank submissions that are in doubt; counts the analyses submitted, or one resumed request instead; records those that ended at once. */
export function recordSubmission(resumed: boolean, changes: readonly AnalysisChange[], now: Instant): void {
  for (const change of changes) if (isInDoubt(change)) logWarning('submission_in_doubt', about(change.after));
  if (resumed) emit({}, { IdempotencyResumed: 1 });
  else countSubmissions(changes);
  for (const change of changes) if (change.delivery) recordConclusion(change, now);
}

function countSubmissions(changes: readonly AnalysisChange[]): void {
  const [first] = changes;
  if (!first) return;
  for (const change of changes) {
    const { environment, bank } = change.before;
    emit({ environment, bank }, { AnalysesSubmitted: 1, SubmissionsInDoubt: isInDoubt(change) ? 1 : undefined });
  }
  emitTotal(first.before.environment, {
    SubmissionsInDoubt: changes.map((change) => (isInDoubt(change) ? 1 : 0)),
  });
}
