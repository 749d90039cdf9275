import { parseApiKey } from '#shared/domain/partners/api-key.ts';
import { fieldsToKeep } from '#shared/domain/partners/partner.ts';
import { Failure, type FailureCode } from '#shared/domain/values/failure.ts';
import { addToLog, logInfo } from '#shared/runtime/log.ts';
import { emit, takeTableUse } from '#shared/runtime/metrics.ts';
import { keyIn } from './authenticate.ts';
import type { PartnerCall } from './call.ts';

const COUNTED: ReadonlyMap<FailureCode, 'AuthenticationFailures' | 'IdempotencyConflicts' | 'IdempotencyInFlight'> =
  new Map([
    ['auth_invalid', 'AuthenticationFailures'],
    ['idempotency_conflito', 'IdempotencyConflicts'],
    ['idempotencia_em_andamento', 'IdempotencyInFlight'],
  ]);

export function recordRequest(call: PartnerCall, status: number, error?: unknown): void {
  const { event, route, startedAt, replayed } = call;
  const milliseconds = Date.now() - startedAt;
  const { calls, units } = takeTableUse();
  const failure = error instanceof Failure ? error : undefined;
  const codigo = failure?.code;
  const campos = failure && fieldsToKeep(failure).join(' ');
  const key = () => parseApiKey(keyIn(event) ?? '');
  if (codigo === 'rate_limited') {
    // A 429 is thrown before the caller is in the log. So partner and environment are read from the key, which may be
    // made up (shared/contract/README.md#admission, rule 6).
    const refused = key();
    if (refused) addToLog({ partner: refused.partnerId, environment: refused.environment });
  }
  const spent = { milliseconds, table_calls: calls, table_units: units };
  logInfo('request_completed', { status, ...spent, codigo, campos: campos || undefined });
  const measured: { Latency: number; ServerErrors?: number } = { Latency: milliseconds };
  if (status >= 500) measured.ServerErrors = 1;
  emit({ operation: route.operation }, measured);
  const submitter = route.operation === 'submit-analyses' ? key() : undefined;
  if (submitter) {
    const isRefused = status >= 400 && status < 500;
    emit({ environment: submitter.environment }, { SubmissionsRefused: isRefused ? 1 : 0 });
  }
  if (replayed) emit({}, { IdempotencyReplays: 1 });
  if (codigo === undefined || status >= 500) return;
  emit({ codigo }, { ClientErrorsByCode: 1 });
  const counted = COUNTED.get(codigo);
  if (counted) emit({}, { [counted]: 1 });
}
