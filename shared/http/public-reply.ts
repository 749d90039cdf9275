import { crc32 } from 'node:zlib';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { headerValues, requestIdOf } from './request.ts';

/** Headers of every answer. */
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

/** An answer whose body is base64, which the gateway decodes. */
export const inBase64 = (reply: APIGatewayProxyResult): APIGatewayProxyResult => ({ ...reply, isBase64Encoded: true });

/** A public text that is the same for everyone, with what tells one edition of it from another. */
export interface Edition {
  readonly text: string;
  /** Strong entity tag, quoted (RFC 9110, 8.8.3). */
  readonly tag: string;
}

/** The edition of a text. Its tag is no digest: CRC-32 and length tell editions of one text apart, and cost no start time. */
export function editionOf(text: string): Edition {
  return { text, tag: `"${crc32(text).toString(16).padStart(8, '0')}-${text.length.toString(16)}"` };
}

/** Whether the caller's copy is this edition: If-None-Match compares weakly (RFC 9110, 13.1.2). */
function isHeld(event: APIGatewayProxyEvent, { tag }: Edition): boolean {
  const held = headerValues(event, 'if-none-match').flatMap((value) => value.split(','));
  return held.some((entry) => entry.trim() === '*' || entry.trim().replace(/^W\//, '') === tag);
}

/** Answers a public text, which callers may keep for `maxAge` seconds; 304 if the caller's copy is current. */
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

/** How long a caller may use his copy without asking again, in seconds. */
const MAX_AGE = 300;

/** The handler that answers one JSON document, the same for everyone, made into text at its first call. */
export function documentEndpoint(document: object) {
  let edition: Edition | undefined;
  return async (event: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> => {
    edition ??= editionOf(JSON.stringify(document));
    return cacheableReply(event, edition, MAX_AGE);
  };
}
