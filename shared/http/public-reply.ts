import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { requestIdOf } from './request.ts';

/** Headers that every answer of ours carries. */
function commonHeaders(event: APIGatewayProxyEvent): Record<string, string> {
  return {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'Strict-Transport-Security': 'max-age=31536000',
    'X-Request-Id': requestIdOf(event),
  };
}

/** An answer; without its body where HEAD asks for it. `headers` replace the common ones of the same name. */
export function publicReply(
  event: APIGatewayProxyEvent,
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): APIGatewayProxyResult {
  const given = event.httpMethod === 'HEAD' ? '' : body;
  return { statusCode: status, headers: { ...commonHeaders(event), ...headers }, body: given };
}
