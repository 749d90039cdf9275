import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { verify } from '#infra/local/inbox.ts';
import { ENVIRONMENTS, type Environment } from '#shared/domain/values/tenancy.ts';
import { newWebhookSecret } from '#shared/domain/webhooks/secret.ts';
import { disableWebhook, setWebhook } from '#shared/table/webhooks/webhook-endpoints.ts';
import * as wiring from '#shared/wiring.ts';
import { api } from '../makers/api.ts';
import { type MadePartner, makePartner, usePeers } from '../makers/peers.ts';
import { type Receiver, startPlainReceiver } from '../makers/receiver.ts';
import { holdClock, passTime, releaseClock } from '../makers/test-clock.ts';

usePeers();
let receiver: Receiver;
let status = 200;
const got: { readonly path: string; readonly headers: IncomingMessage['headers']; readonly raw: string }[] = [];
beforeAll(async () => {
  holdClock();
  process.env['LOCAL_WEBHOOK_TARGETS'] = 'true';
  receiver = await startPlainReceiver(async (request: IncomingMessage, response: ServerResponse) => {
    let raw = '';
    for await (const chunk of request) raw += chunk;
    got.push({ path: String(request.url), headers: request.headers, raw });
    response.writeHead(status).end('não');
  });
});
afterAll(async () => {
  releaseClock();
  await receiver.stop();
});

let partner: MadePartner;
const secrets = { sandbox: newWebhookSecret(), producao: newWebhookSecret() };
const owner = (environment: Environment) => ({ partnerId: partner.partnerId, environment });
const test = (environment: Environment = 'sandbox') => api('testWebhook', { key: partner.keys[environment] });
beforeEach(async () => {
  got.length = 0;
  status = 200;
  partner = await makePartner();
  for (const each of ENVIRONMENTS)
    await setWebhook(owner(each), `http://127.0.0.1:${receiver.port}/${each}`, secrets[each], Date.now());
});

describe.each(ENVIRONMENTS)('POST /v1/webhooks/teste in %s', (environment) => {
  it('POST /v1/webhooks/teste sends one signed event to the address of the environment of the key', async () => {
    const { status: answered, body } = await test(environment);
    expect(answered).toBe(200);
    const [event, ...others] = got;
    if (!event) throw new Error('no event has arrived');
    expect(others).toEqual([]);
    expect(event.path).toBe(`/${environment}`);
    expect(verify(secrets[environment], event.headers, event.raw)).toEqual({ service: true, standard: true });
    expect(JSON.parse(event.raw)).toMatchObject({ id: body.teste.id, type: 'webhook.teste', ambiente: environment });
    expect(body.teste).toMatchObject({ numero: 1, status_http: 200, falha: null });
    expect(body.avisos).toBeUndefined();
  });
});

it('POST /v1/webhooks/teste shows what a failing receiver answered, without its text, and counts no failure', async () => {
  status = 410;
  const { body, text } = await test();
  expect(body.teste).toMatchObject({ status_http: 410, falha: 'http_4xx' });
  expect(text).not.toContain('não');
  const endpoint = await wiring.webhookViews().view(owner('sandbox'));
  expect(endpoint?.enabled).toBe(true);
  expect(endpoint?.health.failures).toBe(0);
});

it('POST /v1/webhooks/teste is refused for 15 seconds after a test of the same address, and sends nothing', async () => {
  expect((await test()).status).toBe(200);
  const again = await test();
  expect(again.status).toBe(429);
  expect(again.body.codigo).toBe('rate_limited');
  expect(again.headers['retry-after']).toBe('15');
  expect(got).toHaveLength(1);
  expect((await test('producao')).status).toBe(200);
  passTime(15_000);
  expect((await test()).status).toBe(200);
});

it('POST /v1/webhooks/teste sends one event if two calls come at the same time', async () => {
  const answers = await Promise.all([test(), test()]);
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 429]);
  expect(got).toHaveLength(1);
});

it('POST /v1/webhooks/teste reaches a disabled address, and says that it is disabled', async () => {
  await disableWebhook(owner('sandbox'), 'gone', Date.now());
  const { body } = await test();
  expect(body.teste.status_http).toBe(200);
  expect(body.avisos).toMatchObject([{ campo: 'teste' }]);
  expect((await wiring.webhookViews().view(owner('sandbox')))?.enabled).toBe(false);
});

it('POST /v1/webhooks/teste is 404 without an address', async () => {
  partner = await makePartner();
  const { status: answered, body } = await test();
  expect(answered).toBe(404);
  expect(body.erro).toContain('Não há endereço');
});
