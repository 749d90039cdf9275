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
  ['its tag', [edition.tag]],
  ['its tag as a weak one', [`W/${edition.tag}`]],
  ['its tag among others', [`"outro", ${edition.tag}`]],
  ['its tag in a second header', ['"outro"', edition.tag]],
  ['anything', ['*']],
])('a reply that may be kept is 304 and empty for a caller who holds %s', (_, held) => {
  expect(reply(...held)).toMatchObject({ statusCode: 304, body: '', headers: { ETag: edition.tag } });
});

it('a reply that may be kept of a document is made once, for five minutes', async () => {
  let made = 0;
  const handler = documentEndpoint({ toJSON: () => ({ made: ++made }) });
  const route = { method: 'GET', path: '/openapi.json' } as const;
  const first = await handler(gatewayEvent(route));
  expect(first).toMatchObject({ statusCode: 200, body: '{"made":1}' });
  expect(first.headers?.['Cache-Control']).toBe('public, max-age=300');
  const headers = { 'if-none-match': String(first.headers?.['ETag']) };
  expect(await handler(gatewayEvent(route, { headers }))).toMatchObject({ statusCode: 304, body: '' });
});
