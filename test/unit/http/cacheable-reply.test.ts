import type { APIGatewayProxyEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { cacheableReply, editionOf } from '../../../shared/http/cacheable-reply.ts';

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

describe('a reply that may be kept', () => {
  it('carries its tag and for how long it serves', () => {
    expect(reply()).toMatchObject({
      statusCode: 200,
      body: 'um texto',
      headers: {
        ETag: edition.tag,
        'Cache-Control': 'public, max-age=60',
        'Content-Type': 'text/plain; charset=utf-8',
        'X-Request-Id': 'id',
      },
    });
  });

  it.each([
    ['its tag', [edition.tag]],
    ['its tag as a weak one', [`W/${edition.tag}`]],
    ['its tag among others', [`"outro", ${edition.tag}`]],
    ['its tag in a second header', ['"outro"', edition.tag]],
    ['anything', ['*']],
  ])('is 304 and empty for a caller who holds %s', (_, held) => {
    expect(reply(...held)).toMatchObject({ statusCode: 304, body: '', headers: { ETag: edition.tag } });
  });

  it.each([
    ['another tag', '"outro"'],
    ['its tag without quotes', edition.tag.slice(1, -1)],
    ['nothing', ''],
  ])('is sent whole to a caller who holds %s', (_, held) => {
    expect(reply(held)).toMatchObject({ statusCode: 200, body: 'um texto' });
  });

  it('has another tag for another text', () => {
    expect(editionOf('um texto').tag).toBe(edition.tag);
    expect(editionOf('um texto.').tag).not.toBe(edition.tag);
    expect(editionOf('um textu').tag).not.toBe(edition.tag);
    expect(edition.tag).toMatch(/^"[\x21\x23-\x7e]+"$/);
  });
});
