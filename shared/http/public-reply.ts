import { crc32 } from 'node:zlib';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { headerValues, requestIdOf } from './request.ts';

function commonHeaders(event: APIGatewayProxyEvent): Record<string, string> {
  return {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'Strict-Transport-Security': 'max-age=31536000',
    'X-Request-Id': requestIdOf(event),
  };
}

/** `headers` replace common headers of the same name. A HEAD has no body. */
export function publicReply(
  event: APIGatewayProxyEvent,
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): APIGatewayProxyResult {
  const given = event.httpMethod === 'HEAD' ? '' : body;
  return { statusCode: status, headers: { ...commonHeaders(event), ...headers }, body: given };
}

export const inBase64 = (reply: APIGatewayProxyResult): APIGatewayProxyResult => ({ ...reply, isBase64Encoded: true });

export interface Edition {
  readonly text: string;
  /** Strong entity tag, quoted (RFC 9110, 8.8.3). */
  readonly tag: string;
}

/** CRC-32 and length suffice to tell the editions of one text apart, and a digest would cost start time. */
export function editionOf(text: string): Edition {
  return { text, tag: `"${crc32(text).toString(16).padStart(8, '0')}-${text.length.toString(16)}"` };
}

/** Whether the caller already has this edition. If-None-Match compares weakly (RFC 9110, 13.1.2). */
function isHeld(event: APIGatewayProxyEvent, { tag }: Edition): boolean {
  const held = headerValues(event, 'if-none-match').flatMap((value) => value.split(','));
  return held.some((entry) => entry.trim() === '*' || entry.trim().replace(/^W\//, '') === tag);
}

/** Callers may keep the text for `maxAge` seconds. */
export function cacheableReply(
  event: APIGatewayProxyEvent,
  edition: Edition,
  maxAge: number,
  headers: Readonly<Record<string, string>> = {},
): APIGatewayProxyResult {
  const [status, body] = isHeld(event, edition) ? [304, ''] : [200, edition.text];
  return publicReply(event, status, body, {
    ETag: edition.tag,
    'Cache-Control': `public, max-age=${maxAge}`,
    ...headers,
  });
}

/** In seconds. */
const MAX_AGE = 300;

export function documentEndpoint(document: object) {
  let edition: Edition | undefined;
  return async (event: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> => {
    edition ??= editionOf(JSON.stringify(document));
    return cacheableReply(event, edition, MAX_AGE);
  };
}
