import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { failureAnswer } from '../contract/failures.ts';
import { Failure } from '../domain/values/failure.ts';
import type { Answer } from '../domain/values/idempotency.ts';
import { logError } from '../runtime/log.ts';
import { rateHeadersOf } from './authenticate.ts';
import { publicReply } from './public-reply.ts';
import { basePathOf, type Call, requestIdOf } from './request.ts';

/** What a handler answers, and whether an earlier call was given it. */
export interface Reply extends Answer {
  readonly replayed?: boolean;
  /** Where the body is a file in base64 instead of JSON: its media type, and the name under which it is saved. */
  readonly file?: { readonly type: string; readonly name: string };
}

export function replyOf(call: Call, { status, body, replayed, file }: Reply): APIGatewayProxyResult {
  const type = file && { 'Content-Type': file.type, 'Content-Disposition': `inline; filename="${file.name}"` };
  const headers = { ...rateHeadersOf(call), ...type, ...(replayed && { 'Idempotent-Replay': 'true' }) };
  return { ...publicReply(call, status, body, headers), ...(file && { isBase64Encoded: true }) };
}

/** The answer to a failure; `headers` beside the failure's own. */
export function publicFailure(
  event: APIGatewayProxyEvent,
  failure: Failure,
  headers: Readonly<Record<string, string>> = {},
): APIGatewayProxyResult {
  const { status, headers: own, body } = failureAnswer(failure, requestIdOf(event), basePathOf(event));
  return publicReply(event, status, JSON.stringify(body), { ...headers, ...own });
}

/** The answer to an error: a Failure's own, or a bare 500 for one that nobody foresaw. */
export function failureReplyOf(call: Call, error: unknown): APIGatewayProxyResult {
  const failure = error instanceof Failure ? error : new Failure('erro_interno');
  if (!(error instanceof Failure)) logError('request_failed', error);
  else if (error.cause !== undefined) logError('service_unavailable', error);
  return publicFailure(call, failure, rateHeadersOf(call));
}
