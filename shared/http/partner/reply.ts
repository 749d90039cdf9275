import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type * as z from 'zod/mini';
import { failureAnswer } from '#shared/contract/failures.ts';
import { Failure } from '#shared/domain/values/failure.ts';
import type { Answer } from '#shared/domain/values/idempotency.ts';
import { logError } from '#shared/runtime/log.ts';
import { inBase64, publicReply } from '../public-reply.ts';
import { basePathOf, requestIdOf } from '../request.ts';
import { rateHeadersOf } from './authenticate.ts';
import type { PartnerCall } from './call.ts';

export interface Reply extends Answer {
  readonly replayed?: boolean;
  /** Media type and name of a file, whose body is base64 instead of JSON. */
  readonly file?: { readonly type: string; readonly name: string };
}

/** Throws if the body breaks the contract. */
export function answer<S extends z.ZodMiniType>(status: number, schema: S, body: z.input<S>): Answer {
  return { status, body: JSON.stringify(schema.parse(body)) };
}

/** `name` is ASCII, without quotation marks. */
export function fileAnswer(file: { readonly type: string; readonly name: string }, content: Uint8Array): Reply {
  return { status: 200, body: Buffer.from(content).toString('base64'), file };
}

export function replyOf(call: PartnerCall, { status, body, replayed = false, file }: Reply): APIGatewayProxyResult {
  call.replayed = replayed;
  const headers = rateHeadersOf(call);
  if (replayed) headers['Idempotent-Replay'] = 'true';
  if (!file) return publicReply(call.event, status, body, headers);
  headers['Content-Type'] = file.type;
  headers['Content-Disposition'] = `inline; filename="${file.name}"`;
  return inBase64(publicReply(call.event, status, body, headers));
}

export function publicFailure(
  event: APIGatewayProxyEvent,
  failure: Failure,
  headers: Readonly<Record<string, string>> = {},
): APIGatewayProxyResult {
  const { status, headers: own, body } = failureAnswer(failure, requestIdOf(event), basePathOf(event));
  return publicReply(event, status, JSON.stringify(body), { ...headers, ...own });
}

export function failureReplyOf(call: PartnerCall, error: unknown): APIGatewayProxyResult {
  const failure = error instanceof Failure ? error : new Failure('erro_interno');
  if (!(error instanceof Failure)) logError('request_failed', error);
  else if (error.cause !== undefined) logError('service_unavailable', error);
  return publicFailure(call.event, failure, rateHeadersOf(call));
}
