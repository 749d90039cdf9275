import type { AttemptReport } from '../domain/webhooks/deliver.ts';
import { emit } from '../runtime/metrics.ts';

/** Emits an attempt that was made: its delay, and its success or failure class. */
export function recordAttempt({ delivery, begunAt, result, next }: AttemptReport): void {
  if (!result) return;
  const { environment, attempts, dueAt } = delivery;
  emit(
    { environment },
    {
      WebhookDelivered: result.delivered ? 1 : 0,
      WebhookFirstTryDelivered: result.delivered && attempts === 1 ? 1 : 0,
      WebhookDelay: Math.max(0, begunAt - dueAt) / 1000,
      ...(next.state === 'esgotada' && { WebhookExhausted: 1 }),
    },
  );
  if (!result.delivered) emit({ environment, class: result.failure }, { WebhookFailures: 1 });
}
