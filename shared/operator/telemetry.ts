import { type Analysis, isConclusion, STUCK_AFTER } from '../domain/analyses/analysis.ts';
import type { PollResult } from '../domain/analyses/poll-analysis.ts';
import type { AnswerObserver, PollObserver } from '../domain/analyses/poll-questions.ts';
import type { AnalysisChange } from '../domain/analyses/ports.ts';
import type { SubmissionPorts } from '../domain/analyses/submission.ts';
import type { Bank } from '../domain/values/bank.ts';
import type { Clock } from '../domain/values/clock.ts';
import type { Environment } from '../domain/values/tenancy.ts';
import { hours, type Instant, type Milliseconds, minutes, seconds } from '../domain/values/time.ts';
import { logInfo, logWarning } from '../runtime/log.ts';
import { emit, emitTotal } from '../runtime/metrics.ts';
import type { OperatorObservation } from './operator-api.ts';

/** Only analyses of production reach the operator; the sandbox answers inside the process. */
const PRODUCTION = 'producao';

/** Answered queries write no log line: they are most of the calls. */
export function recordOperatorCall(call: OperatorObservation): void {
  const { bank, operation, outcome, fault, milliseconds, requestId } = call;
  // An operator without batches refuses each batch.
  const failed = fault !== undefined && (operation !== 'query_batch' || outcome === 'failed');
  const isFollowed = failed || operation === 'submit';
  emit(
    { environment: PRODUCTION, bank },
    { OperatorLatency: milliseconds, OperatorErrors: failed ? 1 : 0 },
    Date.now(),
    isFollowed ? { call: operation, outcome, fault, request_id: requestId } : undefined,
  );
  if (fault === 'unauthorized') emit({ environment: PRODUCTION }, { OperatorUnauthorized: 1 });
}

function recordConclusion({ after }: AnalysisChange, now: Instant): void {
  const { environment, bank, situation, createdAt } = after;
  const TimeToOutcome = Math.max(0, now - createdAt) / seconds(1);
  emit({ environment, bank }, { TimeToOutcome });
  // The sandbox's outcomes follow from the CPF and say nothing about banks.
  if (environment !== PRODUCTION) return;
  emitTotal(environment, { TimeToOutcome });
  emit({ environment, bank, situacao: situation }, { Outcome: 1 });
}

function recordTrouble({ environment, bank }: Pick<Analysis, 'environment' | 'bank'>, kind: string, count = 1): void {
  if (environment === PRODUCTION && count > 0) emit({ environment, bank, kind }, { BankTrouble: count });
}

function about({ bank, unitId, id, requestId }: Analysis) {
  const facts: Record<string, string | number> = { bank, unit: unitId, analysis: id };
  // The id of the partner's call, by which its outcome is found in the logs.
  if (requestId !== undefined) facts['request_id'] = requestId;
  return facts;
}

/** A single missing answer is normal. */
const UNANSWERABLE_AFTER: Milliseconds = hours(2);

interface Waiting {
  count: number;
  oldest: Instant;
  stuck: number;
  unanswerable: number;
}

export class AnalysisTelemetry implements AnswerObserver {
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  asked(analysis: Analysis, found: PollResult): void {
    if ('unknownStatus' in found && found.unknownStatus) {
      logWarning('unknown_status', about(analysis));
      recordTrouble(analysis, 'unknown_status');
    }
    if (found.kind === 'note' && analysis.queryNumber === '') logInfo('submission_reconciled', about(analysis));
  }

  concluded(change: AnalysisChange, booked: boolean): void {
    const { before, after } = change;
    if (booked) {
      logInfo('analysis_concluded', { ...about(after), partner: after.partnerId, situation: after.situation });
      recordConclusion(change, this.#clock());
      return;
    }
    logWarning('transition_ignored', about(before));
    recordTrouble(before, 'late_outcome');
  }
}

/**
 * If no read and no write of production failed, the end of the run emits a count for production, also if it is 0. So no
 * data means that no run got that far.
 */
export class PollTelemetry extends AnalysisTelemetry implements PollObserver {
  readonly #begun: Instant;
  readonly #waiting: Readonly<Record<Environment, Map<Bank, Waiting>>> = { sandbox: new Map(), producao: new Map() };
  #polls = 0;

  constructor(clock: Clock) {
    super(clock);
    this.#begun = clock();
  }

  met({ bank, environment, createdAt, unanswerableSince }: Analysis): void {
    const banks = this.#waiting[environment];
    const seen = banks.get(bank) ?? { count: 0, oldest: this.#begun, stuck: 0, unanswerable: 0 };
    banks.set(bank, seen);
    seen.count += 1;
    seen.oldest = Math.min(seen.oldest, createdAt);
    if (this.#begun - createdAt > STUCK_AFTER) seen.stuck += 1;
    if (unanswerableSince !== undefined && this.#begun - unanswerableSince >= UNANSWERABLE_AFTER)
      seen.unanswerable += 1;
  }

  override asked(analysis: Analysis, found: PollResult): void {
    this.#polls += 1;
    super.asked(analysis, found);
  }

  becameUnanswerable(analysis: Analysis): void {
    logWarning('analysis_unanswerable', about(analysis));
  }

  gaveUp(analysis: Analysis): void {
    logWarning('analysis_expired', about(analysis));
  }

  ended(lags: readonly Milliseconds[], healthy: readonly Environment[]): void {
    for (const [bank, { count, stuck, unanswerable }] of this.#waiting[PRODUCTION]) {
      emit({ environment: PRODUCTION, bank }, { Pending: count });
      recordTrouble({ environment: PRODUCTION, bank }, 'stuck', stuck);
      recordTrouble({ environment: PRODUCTION, bank }, 'unanswerable', unanswerable);
    }
    const met = Array.from(this.#waiting[PRODUCTION].values());
    if (healthy.includes(PRODUCTION)) emitTotal(PRODUCTION, { Pending: countIn(met) });
    const oldest = Math.min(this.#begun, ...met.map((bank) => bank.oldest));
    // An analysis that could not be read may be older than those that were met. So the value 0, which says that
    // nothing is pending, is emitted only if all of production was read.
    if (oldest < this.#begun || healthy.includes(PRODUCTION))
      emit({ environment: PRODUCTION }, { OldestPendingMinutes: Math.floor((this.#begun - oldest) / minutes(1)) });
    const sandbox = countIn(Array.from(this.#waiting.sandbox.values()));
    if (sandbox > 0) emitTotal('sandbox', { Pending: sandbox });
    emit({}, { Polls: this.#polls, PollLag: lags.length > 0 ? lags.map((lag) => lag / seconds(1)) : 0 });
  }
}

const countIn = (waiting: readonly Waiting[]) => waiting.reduce((sum, { count }) => sum + count, 0);

const isInDoubt = ({ after }: AnalysisChange) => after.queryNumber === '' && after.situation === 'em_analise';

type Observer = SubmissionPorts['observer'];

export class SubmissionTelemetry implements Observer {
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  submitted(resumed: boolean, changes: readonly AnalysisChange[], written: readonly AnalysisChange[]): void {
    for (const change of changes) if (isInDoubt(change)) logWarning('submission_in_doubt', about(change.after));
    if (resumed) emit({}, { IdempotencyResumed: 1 });
    else countSubmissions(changes);
    for (const change of written) if (isConclusion(change)) recordConclusion(change, this.#clock());
  }
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
