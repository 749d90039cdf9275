import { seconds } from '../domain/values/time.ts';
import type { AttemptObserver, AttemptReport } from '../domain/webhooks/deliver.ts';
import { logInfo, logWarning } from '../runtime/log.ts';
import { emit } from '../runtime/metrics.ts';

export class AttemptTelemetry implements AttemptObserver {
  attempted(report: AttemptReport): void {
    logAttempt(report);
    recordAttempt(report);
  }
}

function recordAttempt({ delivery, begunAt, result, next }: AttemptReport): void {
  if (!result) return;
  const { environment, attempts, dueAt } = delivery;
  emit(
    { environment },
    {
      WebhookDelivered: result.delivered ? 1 : 0,
      WebhookFirstTryDelivered: result.delivered && attempts === 1 ? 1 : 0,
      WebhookDelay: Math.max(0, begunAt - dueAt) / seconds(1),
      WebhookExhausted: next.state === 'esgotada' ? 1 : undefined,
    },
  );
  if (!result.delivered) emit({ environment, class: result.failure }, { WebhookFailures: 1 });
}

/** The line has the id of the partner's call, so that a person who follows the call finds its webhook. */
function logAttempt({ delivery, begunAt, result, next, disabled }: AttemptReport): void {
  const { partnerId, unitId, environment, eventId, requestId } = delivery;
  const about: Record<string, string | number> = { partner: partnerId, environment, event: eventId };
  if (unitId !== undefined) about['unit'] = unitId;
  // Without the id of a call, the line keeps the id of its own run.
  if (requestId !== undefined) about['request_id'] = requestId;
  if (disabled) logWarning('endpoint_disabled', { ...about, cause: disabled });
  if (!result) {
    logInfo('delivery_kept', { ...about, next: next.state });
    return;
  }
  logInfo('delivery_attempted', {
    ...about,
    attempt: delivery.attempts,
    late: begunAt - delivery.dueAt,
    delivered: result.delivered,
    failure: result.delivered ? undefined : result.failure,
    status: result.status,
    milliseconds: result.milliseconds,
    next: next.state,
  });
}
