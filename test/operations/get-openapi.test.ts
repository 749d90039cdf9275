import type { APIGatewayProxyEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { handler } from '#functions/api/docs/get-openapi.ts';
import { handler as handler30 } from '#functions/api/docs/get-openapi-30.ts';
import document from '#shared/partner/openapi/openapi.json' with { type: 'json' };
import profile from '#shared/partner/openapi/openapi-3.0.json' with { type: 'json' };
import { matchesContract } from '../makers/answers.ts';

describe.each([
  ['/openapi.json', handler, document],
  ['/openapi-3.0.json', handler30, profile],
] as const)('%s', (path, handle, stored) => {
  it('GET answers the stored document, which any cache may keep', async () => {
    const { statusCode, headers, body } = await handle({
      multiValueHeaders: {},
      requestContext: { extendedRequestId: 'UmP5IGkXmjQEaRw=' },
    } as unknown as APIGatewayProxyEvent);
    expect(statusCode).toBe(200);
    expect(JSON.parse(body)).toEqual(stored);
    expect(headers?.['Cache-Control']).toBe('public, max-age=300');
    matchesContract('GET', path, statusCode, headers as Record<string, string>, body);
  });
});
