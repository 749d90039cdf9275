import type { Route } from '../contract/routes.ts';
import { parseApiKey } from '../domain/partners/api-key.ts';
import { Failure, type FailureCode } from '../domain/values/failure.ts';
import { logInfo } from '../runtime/log.ts';
import { emit, takeTableUse } from '../runtime/metrics.ts';
import { keyIn } from './authenticate.ts';
import type { Call } from './request.ts';

/** Failures that have a metric of their own. */
const COUNTED = {
  auth_invalid: 'AuthenticationFailures',
  idempotency_conflito: 'IdempotencyConflicts',
  idempotencia_em_andamento: 'IdempotencyInFlight',
} as const satisfies Partial<Record<FailureCode, string>>;

/** Logs and measures a call that has been answered; `error` is why it failed, where it did. */
export function recordRequest(call: Call, route: Route, status: number, error?: unknown): void {
  const milliseconds = Date.now() - call.steps.startedAt;
  const { calls, units } = takeTableUse();
  const codigo = error instanceof Failure ? error.code : undefined;
  // Of a call that its rate refuses nothing is on the log yet; the key's checksum has held, and its rate was counted.
  const refused = codigo === 'rate_limited' ? parseApiKey(keyIn(call) ?? '') : undefined;
  logInfo('request_completed', {
    status,
    milliseconds,
    table_calls: calls,
    table_units: units,
    ...(refused && { partner: refused.partnerId, environment: refused.environment }),
  });
  emit({ operation: route.operation }, { Latency: milliseconds, ...(status >= 500 && { ServerErrors: 1 }) });
  const caller = route.operation === 'submit-analyses' && parseApiKey(keyIn(call) ?? '');
  if (caller) emit({ environment: caller.environment }, { SubmissionsRefused: status >= 400 && status < 500 ? 1 : 0 });
  if (call.steps.replayed) emit({}, { IdempotencyReplays: 1 });
  if (codigo === undefined || status >= 500) return;
  emit({ codigo }, { ClientErrorsByCode: 1 });
  if (codigo in COUNTED) emit({}, { [COUNTED[codigo as keyof typeof COUNTED]]: 1 });
}
