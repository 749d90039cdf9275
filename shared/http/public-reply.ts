import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { requestIdOf } from './request.ts';

/** Headers that every answer of ours carries. */
export function commonHeaders(event: APIGatewayProxyEvent): Record<string, string> {
  return {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'Strict-Transport-Security': 'max-age=31536000',
    'X-Request-Id': requestIdOf(event),
  };
}

/** The answer of an endpoint that needs no key. `headers` replace the common ones of the same name. */
export function publicReply(
  event: APIGatewayProxyEvent,
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): APIGatewayProxyResult {
  return { statusCode: status, headers: { ...commonHeaders(event), ...headers }, body };
}
