import type { APIGatewayProxyEvent } from 'aws-lambda';
import { expect, it } from 'vitest';
import { cacheableReply, documentEndpoint, editionOf } from '#shared/http/public-reply.ts';
import { gatewayEvent } from '#test/makers/call.ts';

const edition = editionOf('um texto');
const reply = (...held: string[]) =>
  cacheableReply(
    {
      multiValueHeaders: held.length > 0 ? { 'If-None-Match': held } : {},
      requestContext: { extendedRequestId: 'id' },
    } as unknown as APIGatewayProxyEvent,
    edition,
    60,
    { 'Content-Type': 'text/plain; charset=utf-8' },
  );

it.each([
  ['the same tag', [edition.tag]],
  ['the same tag as a weak tag', [`W/${edition.tag}`]],
  ['the same tag among others', [`"outro", ${edition.tag}`]],
  ['the same tag in a second header', ['"outro"', edition.tag]],
  ['*', ['*']],
])('cacheableReply is 304 without a body if If-None-Match has %s', (_, held) => {
  expect(reply(...held)).toMatchObject({ statusCode: 304, body: '', headers: { ETag: edition.tag } });
});

it('documentEndpoint makes its text once, and lets callers keep it for five minutes', async () => {
  let made = 0;
  const handler = documentEndpoint({ toJSON: () => ({ made: ++made }) });
  const route = { method: 'GET', path: '/openapi.json' } as const;
  const first = await handler(gatewayEvent(route));
  expect(first).toMatchObject({ statusCode: 200, body: '{"made":1}' });
  expect(first.headers?.['Cache-Control']).toBe('public, max-age=300');
  const headers = { 'if-none-match': String(first.headers?.['ETag']) };
  expect(await handler(gatewayEvent(route, { headers }))).toMatchObject({ statusCode: 304, body: '' });
});
