import type { APIGatewayProxyResult } from 'aws-lambda';
import type * as z from 'zod/mini';
import {
  type AdministrationCode,
  AdministrationFailure,
  administrationAnswer,
  IN_DOUBT,
} from '#shared/administration/failures.ts';
import { Failure, type FailureCode } from '#shared/domain/values/failure.ts';
import { ChangedMeanwhile, logError, logInfo, SafeError } from '#shared/runtime/log.ts';
import { takeTableUse } from '#shared/runtime/metrics.ts';
import { publicReply } from '../public-reply.ts';
import { type Call, requestIdOf } from '../request.ts';

/** Throws if the body breaks the schema. */
export const administrationReply = ({ event }: Call, schema: z.ZodMiniType, body: unknown): APIGatewayProxyResult =>
  publicReply(event, 200, JSON.stringify(schema.parse(body)));

/** Shared checks and adapters throw the codes of the partners' API. */
const TRANSLATED: Readonly<Partial<Record<FailureCode, AdministrationCode>>> = {
  json_invalido: 'invalid_json',
  tipo_nao_suportado: 'unsupported_media_type',
  corpo_muito_grande: 'body_too_large',
  campo_invalido: 'field_invalid',
  servico_indisponivel: 'unavailable',
  tempo_esgotado: 'timed_out',
};

/** Failures whose `fields` are names that came more than once: a query parameter, or a field of an object. */
const REPEATED: readonly FailureCode[] = ['json_invalido', 'campo_invalido'];

function translate(failure: Failure): AdministrationFailure {
  const code = TRANSLATED[failure.code] ?? 'internal_error';
  const repeated = REPEATED.includes(failure.code) ? failure.fields : undefined;
  const fields = repeated?.map(({ field }) => ({ field, reason: 'came more than once' }));
  return new AdministrationFailure(code, fields && { fields });
}

function failureOf(error: unknown): AdministrationFailure {
  if (error instanceof AdministrationFailure) return error;
  if (error instanceof Failure) return translate(error);
  if (error instanceof ChangedMeanwhile) return new AdministrationFailure('changed_meanwhile', { text: error.message });
  // The state does not allow the change. The text is for the service's own people and holds nobody's data.
  if (error instanceof SafeError) return new AdministrationFailure('refused', { text: error.message });
  return new AdministrationFailure('internal_error');
}

/** Whether this error leaves open whether a begun change was made. A refusal comes before the write. */
export const leavesInDoubt = (error: unknown): boolean => IN_DOUBT.has(failureOf(error).code);

export function failedReply({ event }: Call, error: unknown): APIGatewayProxyResult {
  const failure = failureOf(error);
  const origin = failure.code === 'outcome_unknown' ? failure.cause : error;
  if (failureOf(origin).code === 'internal_error') logError('request_failed', origin);
  else if (origin instanceof Error && origin.cause !== undefined) logError('service_unavailable', origin);
  const { status, headers, body } = administrationAnswer(failure, requestIdOf(event));
  return publicReply(event, status, JSON.stringify(body), headers);
}

/** There is no metric: people make few calls, and the gateway counts them. */
export function recordAdministration(call: Call, status: number, error?: unknown): void {
  const { calls, units } = takeTableUse();
  logInfo('request_completed', {
    status,
    milliseconds: Date.now() - call.startedAt,
    table_calls: calls,
    table_units: units,
    failure: error === undefined ? undefined : failureOf(error).code,
  });
}
