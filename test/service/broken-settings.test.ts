import type { APIGatewayProxyResult } from 'aws-lambda';
import { expect, it } from 'vitest';
import { PANEL } from '#infra/functions.ts';
import * as routes from '#shared/contract/routes.ts';
import { makeApiKey } from '#shared/domain/partners/api-key.ts';
import type { PartnerId } from '#shared/domain/values/ids.ts';
import { handlerOf, OPERATIONS } from '../makers/api.ts';
import { gatewayEvent, lambdaContext } from '../makers/call.ts';
import { captureLogLines } from '../makers/partner-call.ts';

// This file starts no peers, so that the functions find none of the variables that the template sets.
const { text: KEY } = makeApiKey(7 as PartnerId, 'sandbox');

/** Calls a function. Returns its answer and the lines that it has written. */
async function called(handler: unknown, event: ReturnType<typeof gatewayEvent>) {
  const run = handler as (...call: unknown[]) => Promise<APIGatewayProxyResult>;
  let answer: APIGatewayProxyResult | undefined;
  const lines = await captureLogLines(async () => {
    answer = await run(event, lambdaContext());
  });
  return { status: answer?.statusCode, body: JSON.parse(answer?.body ?? 'null'), lines };
}

it.each(OPERATIONS)('%s without its settings is answered 500, with its log lines and its metric', async (name) => {
  const { operation, method, path } = routes[name];
  const { status, body, lines } = await called(
    await handlerOf(operation),
    gatewayEvent({ method, path }, { key: KEY, id: 7, body: {}, once: 'k' }),
  );
  expect(status).toBe(500);
  expect(body.codigo).toBe('erro_interno');
  // A submission emits one more metric.
  expect(lines.slice(0, 3)).toMatchObject([
    { level: 'ERROR', code: 'request_failed', operation, request_id: body.request_id },
    { code: 'request_completed', status: 500, operation },
    { ServerErrors: 1, operation },
  ]);
});

it('GET /docs without its settings is answered 500, with its log line and its metric', async () => {
  const { status, body, lines } = await called(await handlerOf('get-docs'), gatewayEvent(routes.getDocs));
  expect(status).toBe(500);
  expect(body.codigo).toBe('erro_interno');
  expect(lines).toMatchObject([
    { code: 'request_failed', operation: 'get-docs', request_id: body.request_id },
    { ServerErrors: 1, operation: 'get-docs' },
  ]);
});

it('the panel without its settings is answered 500, with its log line and its metric', async () => {
  const { handler } = await import('#functions/administration/panel/get-panel.ts');
  const event = gatewayEvent({ method: 'GET', path: '/painel' });
  const { status, body, lines } = await called(handler, event);
  expect(status).toBe(500);
  expect(body.code).toBe('internal_error');
  expect(lines).toMatchObject([
    { code: 'request_failed', operation: PANEL.operation, request_id: body.request_id },
    { ServerErrors: 1, operation: PANEL.operation },
  ]);
});
