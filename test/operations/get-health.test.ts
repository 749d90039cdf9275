import type { APIGatewayProxyEvent } from 'aws-lambda';
import { expect, it } from 'vitest';
import { handler } from '#functions/api/health/get-health.ts';
import document from '#shared/partner/openapi/openapi.json' with { type: 'json' };
import { matchesContract } from '../makers/answers.ts';

it('get-health answers as documented, with the version that the document declares', async () => {
  const event = { requestContext: { extendedRequestId: 'UmP5IGkXmjQEaRw=' } } as unknown as APIGatewayProxyEvent;
  const { statusCode, headers, body } = await handler(event);
  matchesContract('GET', '/health', statusCode, headers as Record<string, string>, body);
  expect(JSON.parse(body)).toMatchObject({ ok: true, version: document.info.version });
});
