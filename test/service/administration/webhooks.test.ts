import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { verify } from '#infra/local/inbox.ts';
import type { PartnerId } from '#shared/domain/values/ids.ts';
import { ENVIRONMENTS, type Environment } from '#shared/domain/values/tenancy.ts';
import type { EndpointOwner } from '#shared/domain/webhooks/endpoint.ts';
import { readMessage } from '#shared/queue/deliveries.ts';
import { disableWebhook } from '#shared/table/webhooks/webhook-endpoints.ts';
import * as wiring from '#shared/wiring.ts';
import { administration, because } from '#test/makers/administration.ts';
import { bookDeliveries, bookDelivery, makeWebhookPartner, newDelivery } from '#test/makers/booked.ts';
import { intercepted, interceptTable } from '#test/makers/intercepted.ts';
import { makePartner, usePeers } from '#test/makers/peers.ts';
import { type Receiver, startPlainReceiver } from '#test/makers/receiver.ts';
import { drainQueue } from '#test/makers/sqs.ts';

usePeers();
let receiver: Receiver;
let status = 200;
/** The events that the receiver has got, with their path and headers. */
const got: { readonly path: string; readonly headers: IncomingMessage['headers']; readonly raw: string }[] = [];
const url = () => `http://127.0.0.1:${receiver.port}/eventos`;
beforeAll(async () => {
  process.env['LOCAL_WEBHOOK_TARGETS'] = 'true';
  receiver = await startPlainReceiver(async (request: IncomingMessage, response: ServerResponse) => {
    let raw = '';
    for await (const chunk of request) raw += chunk;
    got.push({ path: String(request.url), headers: request.headers, raw });
    response.writeHead(status).end('não');
  });
});
afterAll(() => receiver.stop());

let partner_id: PartnerId;
const environment = 'producao';
/** The owner of the webhook that the tests change. */
const owner = (): EndpointOwner => ({ partnerId: partner_id, environment });
beforeEach(async () => {
  partner_id = (await makePartner()).partnerId;
  await drainQueue(process.env['DELIVERY_QUEUE_URL']!);
});

const on = (operation: Parameters<typeof administration>[0], body: object = {}, of: Environment = environment) =>
  administration(operation, { params: { partner_id, environment: of }, body: { ...because, ...body } });
/** Returns the webhook of an environment as show-webhook shows it. Undefined if none is set. */
const shown = async (of: Environment = environment) => {
  const { webhooks } = (await administration('show-webhook', { params: { partner_id } })).body;
  return webhooks.find((webhook: { environment: Environment }) => webhook.environment === of);
};
const confirmed = () => ({ confirm: String(partner_id) });

describe('set-webhook', () => {
  it('set-webhook sets an address, and shows the secret only the first time', async () => {
    expect(await shown()).toBeUndefined();
    const first = await on('set-webhook', { url: url() });
    expect(first.body).toMatchObject({ url: url(), enabled: true, secret: expect.stringMatching(/^whsec_/) });
    expect((await on('set-webhook', { url: `${url()}/2` })).body).toMatchObject({ url: `${url()}/2`, secret: null });
    expect(await shown()).toMatchObject({ url: `${url()}/2`, enabled: true, suspended: 0, secret_opens: true });
  });

  it('a preview of set-webhook changes nothing, and says why a private address is refused', async () => {
    const good = await administration('set-webhook', {
      params: { partner_id, environment },
      body: { url: url(), dry_run: true },
    });
    expect(good.body).toMatchObject({ accepted: true, refusal: null, current_url: null, waiting: 0 });
    const bad = { params: { partner_id, environment }, body: { url: 'https://10.0.0.1/x', dry_run: true } };
    expect((await administration('set-webhook', bad)).body).toMatchObject({
      accepted: false,
      refusal: expect.stringContaining('endereco_ip'),
    });
    expect(await shown()).toBeUndefined();
    expect((await on('set-webhook', { url: 'https://10.0.0.1/x' })).body.fields[0].field).toBe('url');
  });

  it('set-webhook changes nothing if somebody has disabled the webhook meanwhile', async () => {
    await on('set-webhook', { url: url() });
    interceptTable();
    const disablingBefore = {
      around: async <T>(name: string, call: () => Promise<T>) => {
        // The first row that is written is that of the audit. By then, the operation has read the webhook.
        if (name === 'table PutItemCommand') await disableWebhook(owner(), 'manager', Date.now());
        return call();
      },
    };
    const changed = await intercepted(disablingBefore, () => on('set-webhook', { url: `${url()}/2` }));
    expect(changed.body.code).toBe('changed_meanwhile');
    expect(await shown()).toMatchObject({ url: url(), enabled: false });
  });

  it('set-webhook changes nothing if the current address is not the one that the call replaces', async () => {
    await on('set-webhook', { url: url(), replaces: null });
    for (const replaces of [null, `${url()}/other`])
      expect((await on('set-webhook', { url: `${url()}/2`, replaces })).body.code).toBe('changed_meanwhile');
    expect(await shown()).toMatchObject({ url: url() });
    expect((await on('set-webhook', { url: `${url()}/2`, replaces: url() })).body).toMatchObject({ url: `${url()}/2` });
  });

  it('the audit says by a digest which address was set, and nobody can guess it without the key', async () => {
    const [own, other] = [`${url()}?tenant=own`, `${url()}?tenant=x`];
    for (const one of [own, other, own]) await on('set-webhook', { url: one });
    const { entries } = (await administration('list-audit', { query: { partner_id } })).body;
    const digests = entries.map(({ target }: { target: object }) => Reflect.get(target, 'url_digest'));
    expect(new Set(digests).size).toBe(2);
    expect(digests[0]).toBe(digests[2]);
    expect((await shown()).url_digest).toBe(digests[0]);
    const tried = { params: { partner_id, environment }, body: { url: other, dry_run: true } };
    expect((await administration('set-webhook', tried)).body.url_digest).toBe(digests[1]);
    const { index } = await wiring.serviceKeys().held();
    expect(digests[0]).toMatch(new RegExp(`^${index[0]?.name}\\.[\\w-]{22}$`));
    const plain = (encoding: 'hex' | 'base64url') => createHash('sha256').update(own).digest(encoding);
    for (const encoding of ['hex', 'base64url'] as const) expect(digests[0]).not.toContain(plain(encoding).slice(0, 9));
  });

  it('set-webhook needs a confirmation if events wait for the current address', async () => {
    await on('set-webhook', { url: url() });
    await bookDelivery(partner_id);
    const body = { url: `${url()}/2`, dry_run: true };
    expect((await administration('set-webhook', { params: { partner_id, environment }, body })).body.waiting).toBe(1);
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
  expect((await wiring.webhookEndpoints().get(owner()))?.previousSecret).toBe(secret);
  expect((await on('rotate-webhook-secret', confirmed())).body.code).toBe('refused');
  const dropped = await on('rotate-webhook-secret', { ...confirmed(), drop_previous: true });
  expect(dropped.status).toBe(200);
  const leaked = await on('rotate-webhook-secret', { ...confirmed(), overlap: false });
  expect(leaked.body.previous_until).toBeNull();
  expect((await wiring.webhookEndpoints().get(owner()))?.previousSecret).toBeUndefined();
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

it('list-failing-webhooks lists failing webhooks of all partners, then those that disabled themselves, without secrets', async () => {
  const [healthy, long, short, gone] = await Promise.all(
    Array.from({ length: 4 }, () => makeWebhookPartner(Date.now())),
  );
  const endpoints = wiring.webhookEndpoints();
  for (const [failing, hours] of [
    [short!, 1],
    [long!, 30],
  ] as const)
    await endpoints.countFailure(failing, (await endpoints.get(failing))!, Date.now() - hours * 3_600_000);
  await disableWebhook(gone!, 'gone', Date.now());
  const all: Record<string, unknown>[] = [];
  let cursor: string | null = null;
  do {
    const { body }: { body: { webhooks: Record<string, unknown>[]; next_cursor: string | null } } =
      await administration('list-failing-webhooks', cursor === null ? {} : { query: { cursor } });
    all.push(...body.webhooks);
    cursor = body.next_cursor;
  } while (cursor !== null);
  const made = [healthy, long, short, gone].map((owner) => owner!.partnerId as number);
  const shownOnes = all.filter((row) => made.includes(Number(row['partner_id'])));
  expect(shownOnes).toMatchObject([
    { partner_id: long!.partnerId, environment: 'producao', enabled: true, failures: 1, disabled_because: null },
    { partner_id: short!.partnerId, enabled: true, failures: 1 },
    { partner_id: gone!.partnerId, enabled: false, disabled_because: 'gone', failing_since: null },
  ]);
  expect(JSON.stringify(shownOnes)).not.toMatch(/whsec_|sealed|secret/);
});

it('enable-webhook sends all events that were kept, and counts them', async () => {
  await on('set-webhook', { url: url() });
  expect((await on('disable-webhook', confirmed())).body).toMatchObject({ enabled: false });
  expect(await shown()).toMatchObject({ enabled: false, disabled_because: 'manager' });
  const kept = await bookDeliveries(Array.from({ length: 3 }, () => newDelivery(partner_id)));
  for (const delivery of kept)
    await wiring.deliveries().record({ ...delivery, attempts: 1 }, undefined, { state: 'suspensa' }, Date.now());
  expect((await shown()).suspended).toBe(3);
  expect((await on('enable-webhook')).body).toMatchObject({ released: 3, total: 3, next_cursor: null });
  const sent = (await drainQueue(process.env['DELIVERY_QUEUE_URL']!)).map((text) => readMessage(text).eventId);
  expect(sent.sort()).toEqual(kept.map(({ eventId }) => eventId).sort());
});

it('enable-webhook stops at the next page if somebody has disabled the webhook meanwhile', async () => {
  await on('set-webhook', { url: url() });
  await disableWebhook(owner(), 'manager', Date.now());
  const cursor = Buffer.from(JSON.stringify({ after: '{}', total: 1 })).toString('base64url');
  expect((await on('enable-webhook', { cursor })).body.code).toBe('changed_meanwhile');
});

describe.each([
  { of: 'sandbox', other: 'producao' },
  { of: 'producao', other: 'sandbox' },
] as const)('a partner with a webhook in each environment, of which that of $of is changed', ({ of, other }) => {
  /** Sets both webhooks. Returns the secret of each. */
  async function setBoth(): Promise<Readonly<Record<Environment, string>>> {
    status = 200;
    const secrets = { sandbox: '', producao: '' };
    for (const each of ENVIRONMENTS)
      secrets[each] = (await on('set-webhook', { url: `${url()}/${each}` }, each)).body.secret;
    return secrets;
  }

  it('set-webhook makes another secret for each environment, and show-webhook shows both addresses', async () => {
    const secrets = await setBoth();
    expect(secrets[of]).toMatch(/^whsec_/);
    expect(secrets[of]).not.toBe(secrets[other]);
    const { webhooks } = (await administration('show-webhook', { params: { partner_id } })).body;
    expect(webhooks).toMatchObject([
      { partner_id, environment: 'sandbox', url: `${url()}/sandbox` },
      { partner_id, environment: 'producao', url: `${url()}/producao` },
    ]);
    const { partner } = (await administration('show-partner', { params: { partner_id } })).body;
    expect(partner.webhooks).toEqual([
      { environment: 'sandbox', url: `${url()}/sandbox`, enabled: true },
      { environment: 'producao', url: `${url()}/producao`, enabled: true },
    ]);
  });

  it('each change of a webhook leaves that of the other environment as it is, and is audited with its environment', async () => {
    await setBoth();
    const before = await wiring.webhookEndpoints().get({ partnerId: partner_id, environment: other });
    const changes = [
      ['set-webhook', { url: `${url()}/novo` }],
      ['rotate-webhook-secret', { ...confirmed(), overlap: false }],
      ['ping-webhook', {}],
      ['disable-webhook', confirmed()],
      ['enable-webhook', {}],
    ] as const;
    for (const [operation, body] of changes) {
      const answer = await on(operation, body, of);
      expect(answer.status, answer.text).toBe(200);
      expect(answer.body).toMatchObject({ partner_id, environment: of });
      const untouched = await wiring.webhookEndpoints().get({ partnerId: partner_id, environment: other });
      expect(untouched, operation).toEqual(before);
      const [row] = (await administration('list-audit', { query: { partner_id } })).body.entries;
      expect(row).toMatchObject({ action: operation, target: { environment: of } });
    }
    expect(await shown(of)).toMatchObject({ url: `${url()}/novo`, enabled: true });
  });

  it('ping-webhook sends the event of the environment to its address, signed with its secret only', async () => {
    const secrets = await setBoth();
    got.length = 0;
    expect((await on('ping-webhook', {}, of)).body).toMatchObject({ delivered: true });
    const [event, ...others] = got;
    if (!event) throw new Error('no event has arrived');
    expect(others).toEqual([]);
    expect(event.path).toBe(`/eventos/${of}`);
    expect(JSON.parse(event.raw).ambiente).toBe(of);
    expect(verify(secrets[of], event.headers, event.raw)).toEqual({ service: true, standard: true });
    expect(verify(secrets[other], event.headers, event.raw)).toEqual({ service: false, standard: false });
  });

  it('enable-webhook sends only the events that were kept for its environment', async () => {
    await setBoth();
    for (const each of ENVIRONMENTS) await on('disable-webhook', confirmed(), each);
    const [own, foreign] = [of, other].map((each) => newDelivery({ partnerId: partner_id, environment: each }));
    if (!own || !foreign) throw new Error('two deliveries are needed');
    for (const delivery of await bookDeliveries([own, foreign]))
      await wiring.deliveries().record({ ...delivery, attempts: 1 }, undefined, { state: 'suspensa' }, Date.now());
    expect((await on('enable-webhook', {}, of)).body).toMatchObject({ released: 1, total: 1, next_cursor: null });
    const sent = (await drainQueue(process.env['DELIVERY_QUEUE_URL']!)).map((text) => readMessage(text).eventId);
    expect(sent).toEqual([own.eventId]);
    expect(await shown(other)).toMatchObject({ enabled: false, suspended: 1 });
    expect((await wiring.deliveries().get(foreign.eventId))?.state).toBe('suspensa');
  });

  it('set-webhook counts only events of its environment as waiting, and only these need a confirmation', async () => {
    await setBoth();
    await bookDelivery({ partnerId: partner_id, environment: other });
    const preview = { params: { partner_id, environment: of }, body: { url: `${url()}/2`, dry_run: true } };
    expect((await administration('set-webhook', preview)).body).toMatchObject({ waiting: 0, environment: of });
    await bookDelivery({ partnerId: partner_id, environment: of });
    expect((await administration('set-webhook', preview)).body.waiting).toBe(1);
    expect((await on('set-webhook', { url: `${url()}/2` }, of)).body.code).toBe('confirmation_missing');
  });

  it('the operations on a webhook answer 404 if only the other environment has one', async () => {
    await on('set-webhook', { url: url() }, other);
    for (const operation of ['rotate-webhook-secret', 'ping-webhook', 'enable-webhook', 'disable-webhook'] as const) {
      const body = operation === 'ping-webhook' || operation === 'enable-webhook' ? {} : confirmed();
      expect((await on(operation, body, of)).status, operation).toBe(404);
    }
    expect(await shown(of)).toBeUndefined();
  });
});

it('an operation on a webhook refuses an environment that does not exist', async () => {
  const params = { partner_id, environment: 'homologacao' };
  const answer = await administration('set-webhook', { params, body: { url: url(), ...because } });
  expect([400, 404]).toContain(answer.status);
});
