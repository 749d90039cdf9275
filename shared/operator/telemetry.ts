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
 * Only analyses of production reach the operator; the sandbox answers inside the process. So the metrics of calls to
 * the operator and the poller's gauges by bank cover only production.
 */
const PRODUCTION = 'producao';

/**
 * Emits the metrics of one call to the operator: its duration, whether it had a usable answer, and whether the operator
 * refused our token.
 */
export function recordOperatorCall({ bank, outcome, fault, milliseconds }: OperatorObservation): void {
  const failed = outcome === 'unknown' || outcome === 'unavailable';
  emit({ environment: PRODUCTION, bank }, { OperatorLatency: milliseconds, OperatorErrors: failed ? 1 : undefined });
  if (fault === 'unauthorized') emit({ environment: PRODUCTION }, { OperatorUnauthorized: 1 });
}

/** Emits the metrics of an analysis that became final at `now`. */
function recordConclusion({ after }: AnalysisChange, now: Instant): void {
  const { environment, bank, situation, createdAt } = after;
  const TimeToOutcome = Math.max(0, now - createdAt) / seconds(1);
  emit({ environment, bank }, { TimeToOutcome });
  // The sandbox's outcomes follow from the CPF and say nothing about banks.
  if (environment !== PRODUCTION) return;
  emitTotal(environment, { TimeToOutcome });
  emit({ environment, bank, situacao: situation }, { Outcome: 1 });
}

/** Returns the facts that a log line carries about an analysis. */
function about({ bank, unitId, id, requestId }: Analysis) {
  const facts: Record<string, string | number> = { bank, unit: unitId, analysis: id };
  // The id of the partner's call, by which its outcome is found in the logs. Without it the line keeps the id of its
  // own run.
  if (requestId !== undefined) facts['request_id'] = requestId;
  return facts;
}

/** Time without a usable answer after which an analysis counts as unanswerable. A single missing answer is normal. */
const STUCK: Milliseconds = hours(2);

/** Counts of the pending analyses that a run met. */
interface Waiting {
  count: number;
  oldest: Instant;
  unanswerable: number;
}

/**
 * Returns an observer that logs and measures a run of the poller, which begins now. If the run has read all of
 * production, its end emits a count for production, also if it is 0. So no data means that no run got that far.
 */
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
      // This metric shows that the poller works. A run that could not read all of production does not emit it.
      if (whole.includes(PRODUCTION)) emitTotal(PRODUCTION, gauges);
      const oldest = Math.min(begun, ...metIn(PRODUCTION).map(({ oldest }) => oldest));
      // An analysis that could not be read may be older than those that were met. So the value 0, which says that
      // nothing is pending, is emitted only if all of production was read.
      if (oldest < begun || whole.includes(PRODUCTION))
        emit({ environment: PRODUCTION }, { OldestPendingMinutes: minutesSince(oldest) });
      const sandbox = sumOf(metIn('sandbox'));
      if (sandbox > 0) emitTotal('sandbox', { Pending: sandbox });
      emit({}, { Polls: polls, PollLag: lags.length > 0 ? lags.map((lag) => lag / seconds(1)) : 0 });
    },
  };
}

const isInDoubt = ({ after }: AnalysisChange) => after.queryNumber === '' && after.situation === 'em_analise';

/**
 * Logs the bank submissions that are in doubt. Counts the analyses that were submitted or, if the call resumed an
 * earlier one, only that it resumed. Emits the metrics of analyses that ended at once.
 */
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
