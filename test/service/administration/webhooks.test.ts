import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { PartnerId } from '#shared/domain/values/ids.ts';
import { readMessage } from '#shared/queue/deliveries.ts';
import { disableWebhook } from '#shared/table/webhooks/webhook-endpoints.ts';
import * as wiring from '#shared/wiring.ts';
import { administration, because } from '#test/makers/administration.ts';
import { bookDeliveries, bookDelivery, newDelivery } from '#test/makers/booked.ts';
import { intercepted, interceptTable } from '#test/makers/intercepted.ts';
import { makePartner, usePeers } from '#test/makers/peers.ts';
import { type Receiver, startPlainReceiver } from '#test/makers/receiver.ts';
import { drainQueue } from '#test/makers/sqs.ts';

usePeers();
let receiver: Receiver;
let status = 200;
const url = () => `http://127.0.0.1:${receiver.port}/eventos`;
beforeAll(async () => {
  process.env['LOCAL_WEBHOOK_TARGETS'] = 'true';
  receiver = await startPlainReceiver((request: IncomingMessage, response: ServerResponse) => {
    request.resume().on('end', () => response.writeHead(status).end('não'));
  });
});
afterAll(() => receiver.stop());

let partner_id: PartnerId;
beforeEach(async () => {
  partner_id = (await makePartner()).partnerId;
  await drainQueue(process.env['DELIVERY_QUEUE_URL']!);
});

const on = (operation: Parameters<typeof administration>[0], body: object = {}) =>
  administration(operation, { params: { partner_id }, body: { ...because, ...body } });
const shown = async () => (await administration('show-webhook', { params: { partner_id } })).body.webhook;
const confirmed = () => ({ confirm: String(partner_id) });

describe('set-webhook', () => {
  it('set-webhook sets an address, and shows the secret only the first time', async () => {
    expect(await shown()).toBeNull();
    const first = await on('set-webhook', { url: url() });
    expect(first.body).toMatchObject({ url: url(), enabled: true, secret: expect.stringMatching(/^whsec_/) });
    expect((await on('set-webhook', { url: `${url()}/2` })).body).toMatchObject({ url: `${url()}/2`, secret: null });
    expect(await shown()).toMatchObject({ url: `${url()}/2`, enabled: true, kept: 0, secret_opens: true });
  });

  it('a preview of set-webhook changes nothing, and says why a private address is refused', async () => {
    const good = await administration('set-webhook', { params: { partner_id }, body: { url: url(), dry_run: true } });
    expect(good.body).toMatchObject({ accepted: true, refusal: null, current_url: null, waiting: 0 });
    const bad = { params: { partner_id }, body: { url: 'https://10.0.0.1/x', dry_run: true } };
    expect((await administration('set-webhook', bad)).body).toMatchObject({
      accepted: false,
      refusal: expect.stringContaining('endereco_ip'),
    });
    expect(await shown()).toBeNull();
    expect((await on('set-webhook', { url: 'https://10.0.0.1/x' })).body.fields[0].field).toBe('url');
  });

  it('set-webhook answers that the webhook is disabled if somebody has disabled it meanwhile', async () => {
    await on('set-webhook', { url: url() });
    interceptTable();
    const disablingBefore = {
      around: async <T>(name: string, call: () => Promise<T>) => {
        // The first row that is written is that of the audit. By then, the operation has read the webhook.
        if (name === 'table PutItemCommand') await disableWebhook(partner_id, 'manager', Date.now());
        return call();
      },
    };
    const changed = await intercepted(disablingBefore, () => on('set-webhook', { url: `${url()}/2` }));
    expect(changed.body).toMatchObject({ url: `${url()}/2`, enabled: false });
    expect(await shown()).toMatchObject({ enabled: false });
  });

  it('set-webhook changes nothing if the current address is not the one that the call replaces', async () => {
    await on('set-webhook', { url: url(), replaces: null });
    for (const replaces of [null, `${url()}/other`])
      expect((await on('set-webhook', { url: `${url()}/2`, replaces })).body.code).toBe('changed_meanwhile');
    expect(await shown()).toMatchObject({ url: url() });
    expect((await on('set-webhook', { url: `${url()}/2`, replaces: url() })).body).toMatchObject({ url: `${url()}/2` });
  });

  it('set-webhook needs a confirmation if events wait for the current address', async () => {
    await on('set-webhook', { url: url() });
    await bookDelivery(partner_id);
    const body = { url: `${url()}/2`, dry_run: true };
    expect((await administration('set-webhook', { params: { partner_id }, body })).body.waiting).toBe(1);
    expect((await on('set-webhook', { url: `${url()}/2` })).body.code).toBe('confirmation_missing');
    expect((await shown()).url).toBe(url());
    expect((await on('set-webhook', { url: `${url()}/2`, ...confirmed() })).status).toBe(200);
  });
});

it('rotate-webhook-secret starts an overlap, and refuses a second rotation in it without drop_previous', async () => {
  const { secret } = (await on('set-webhook', { url: url() })).body;
  const rotated = (await on('rotate-webhook-secret', confirmed())).body;
  expect(rotated.secret).not.toBe(secret);
  expect((await shown()).previous_until).toBe(rotated.previous_until);
  expect((await wiring.webhookEndpoints().get(partner_id))?.previousSecret).toBe(secret);
  expect((await on('rotate-webhook-secret', confirmed())).body.code).toBe('refused');
  const dropped = await on('rotate-webhook-secret', { ...confirmed(), drop_previous: true });
  expect(dropped.status).toBe(200);
  const leaked = await on('rotate-webhook-secret', { ...confirmed(), overlap: false });
  expect(leaked.body.previous_until).toBeNull();
  expect((await wiring.webhookEndpoints().get(partner_id))?.previousSecret).toBeUndefined();
});

it.each([200, 500])('ping-webhook reports what the endpoint has answered: %i', async (answered) => {
  status = answered;
  await on('set-webhook', { url: url() });
  expect((await on('ping-webhook')).body).toMatchObject({
    delivered: answered === 200,
    status: answered,
    failure: answered === 200 ? null : 'http_5xx',
    detail: answered === 200 ? null : 'não',
  });
  const [row] = (await administration('list-audit', { query: { partner_id } })).body.entries;
  expect(row).toMatchObject({ action: 'ping-webhook', target: { delivered: answered === 200 } });
});

it('enable-webhook sends all events that were kept, and counts them', async () => {
  await on('set-webhook', { url: url() });
  expect((await on('disable-webhook', confirmed())).body).toMatchObject({ enabled: false });
  expect(await shown()).toMatchObject({ enabled: false, disabled_because: 'manager' });
  const kept = await bookDeliveries(Array.from({ length: 3 }, () => newDelivery(partner_id)));
  for (const delivery of kept)
    await wiring.deliveries().record({ ...delivery, attempts: 1 }, undefined, { state: 'suspensa' }, Date.now());
  expect((await shown()).kept).toBe(3);
  expect((await on('enable-webhook')).body).toMatchObject({ released: 3, total: 3, next_cursor: null });
  const sent = (await drainQueue(process.env['DELIVERY_QUEUE_URL']!)).map((text) => readMessage(text).eventId);
  expect(sent.sort()).toEqual(kept.map(({ eventId }) => eventId).sort());
});

it('enable-webhook stops at the next page if somebody has disabled the webhook meanwhile', async () => {
  await on('set-webhook', { url: url() });
  await disableWebhook(partner_id, 'manager', Date.now());
  const cursor = Buffer.from(JSON.stringify({ after: '{}', total: 1 })).toString('base64url');
  expect((await on('enable-webhook', { cursor })).body.code).toBe('changed_meanwhile');
});
