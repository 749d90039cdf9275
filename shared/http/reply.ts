import type { APIGatewayProxyResult } from 'aws-lambda';
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

function resultOf(
  call: Call,
  status: number,
  body: string,
  headers: Readonly<Record<string, string>>,
): APIGatewayProxyResult {
  return publicReply(call, status, body, { ...rateHeadersOf(call), ...headers });
}

export function replyOf(call: Call, { status, body, replayed, file }: Reply): APIGatewayProxyResult {
  if (file) {
    const headers = { 'Content-Type': file.type, 'Content-Disposition': `inline; filename="${file.name}"` };
    return { ...resultOf(call, status, body, headers), isBase64Encoded: true };
  }
  return resultOf(call, status, body, replayed ? { 'Idempotent-Replay': 'true' } : {});
}

/** The answer to an error: a Failure's own, or a bare 500 for one that nobody foresaw. */
export function failureReplyOf(call: Call, error: unknown): APIGatewayProxyResult {
  const failure = error instanceof Failure ? error : new Failure('erro_interno');
  if (!(error instanceof Failure)) logError('request_failed', error);
  else if (error.cause !== undefined) logError('service_unavailable', error);
  const { status, headers, body } = failureAnswer(failure, requestIdOf(call), basePathOf(call));
  return resultOf(call, status, JSON.stringify(body), headers);
}
