import { inflateRawSync } from 'node:zlib';
import type { APIGatewayProxyResult } from 'aws-lambda';
import type * as z from 'zod/mini';
import {
  type AdministrationCode,
  AdministrationFailure,
  administrationAnswer,
  IN_DOUBT,
} from '../administration/failures.ts';
import type { Operation } from '../administration/operation.ts';
import { Failure, type FailureCode } from '../domain/values/failure.ts';
import { addToLog, logError, logInfo, SafeError } from '../runtime/log.ts';
import { takeTableUse } from '../runtime/metrics.ts';
import { callerOf } from './administration-parse.ts';
import { publicReply } from './public-reply.ts';
import { type Call, requestIdOf } from './request.ts';
import { type Handler, stack } from './stack.ts';

/** The 200 of an operation; its body leaves through its schema. Throws where the body is not what the schema says. */
export const administrationReply = (call: Call, schema: z.ZodMiniType, body: unknown): APIGatewayProxyResult =>
  publicReply(call, 200, JSON.stringify(schema.parse(body)));

/** The administration's code for each failure of shared checks and adapters, whose codes are the partners'. */
const TRANSLATED: Readonly<Partial<Record<FailureCode, AdministrationCode>>> = {
  json_invalido: 'invalid_json',
  tipo_nao_suportado: 'unsupported_media_type',
  corpo_muito_grande: 'body_too_large',
  campo_invalido: 'field_invalid',
  servico_indisponivel: 'unavailable',
  tempo_esgotado: 'timed_out',
};

/** In these two a name came more than once: a parameter, or a field of an object. */
const REPEATED: readonly FailureCode[] = ['json_invalido', 'campo_invalido'];

function translated(failure: Failure): AdministrationFailure {
  const code = TRANSLATED[failure.code] ?? 'internal_error';
  const repeated = REPEATED.includes(failure.code) ? failure.fields : undefined;
  const fields = repeated?.map(({ field }) => ({ field, reason: 'came more than once' }));
  return new AdministrationFailure(code, fields && { fields });
}

function failureOf(error: unknown): AdministrationFailure {
  if (error instanceof AdministrationFailure) return error;
  if (error instanceof Failure) return translated(error);
  // The state does not allow the change. The text is for the service's own people and holds nobody's data.
  if (error instanceof SafeError) return new AdministrationFailure('refused', { text: error.message });
  return new AdministrationFailure('internal_error');
}

/** Whether nobody knows, after this error, if a begun change was made. A refusal leaves no doubt: it precedes the write. */
export const leavesInDoubt = (error: unknown): boolean => IN_DOUBT.has(failureOf(error).code);

/** The answer to an error: a failure's own, a refusal in its own words, or a bare 500 for one that nobody foresaw. */
export function failedReply(call: Call, error: unknown): APIGatewayProxyResult {
  const failure = failureOf(error);
  const origin = failure.code === 'outcome_unknown' ? failure.cause : error;
  if (failureOf(origin).code === 'internal_error') logError('request_failed', origin);
  else if (origin instanceof Error && origin.cause !== undefined) logError('service_unavailable', origin);
  const { status, headers, body } = administrationAnswer(failure, requestIdOf(call));
  return publicReply(call, status, JSON.stringify(body), headers);
}

/** Logs a call that has been answered. A line, and no metric: people call, not machines, and the gateway counts the rest. */
export function recordAdministration(call: Call, status: number, error?: unknown): void {
  const { calls, units } = takeTableUse();
  logInfo('request_completed', {
    status,
    milliseconds: Date.now() - call.steps.startedAt,
    table_calls: calls,
    table_units: units,
    ...(error !== undefined && { failure: failureOf(error).code }),
  });
}

/** The text of a document as it stands in the repository, or as a bundle carries it: deflated, in base64. */
function textOf(document: object): string {
  if (!('deflated' in document)) return JSON.stringify(document);
  return inflateRawSync(Buffer.from(String(document.deflated), 'base64')).toString('utf8');
}

/** An operation that answers one JSON document, the same for every caller, made into text at its first call. */
export function administrationDocument({ operation }: Operation, document: object): Handler {
  let text: string | undefined;
  return stack(
    operation,
    {},
    {
      run: async (call) => {
        addToLog({ role: callerOf(call).role });
        text ??= textOf(document);
        return publicReply(call, 200, text);
      },
      failed: failedReply,
      record: recordAdministration,
    },
  );
}
