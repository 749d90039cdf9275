import { expect, test, vi } from 'vitest';
import { drawId, type PartnerId } from '#shared/domain/values/ids.ts';
import type { Environment } from '#shared/domain/values/tenancy.ts';
import type { EndpointOwner } from '#shared/domain/webhooks/endpoint.ts';
import { newWebhookSecret } from '#shared/domain/webhooks/secret.ts';
import { endpointFailing, webhookKey } from '#shared/table/rows/keys.ts';
import { TableTroubledEndpoints } from '#shared/table/webhooks/troubled-endpoints.ts';
import {
  changeWebhookUrl,
  disableWebhook,
  enableWebhook,
  setWebhook,
  TableWebhookEndpoints,
} from '#shared/table/webhooks/webhook-endpoints.ts';
import { usePeers } from '../makers/peers.ts';
import { clearTable, setFields } from '../makers/rows.ts';

usePeers();
const NOW = 1_767_300_000_000;
const URL = 'https://hooks.parceiro.com.br/';
const [MINUTE, HOUR] = [60_000, 3_600_000];
const endpoints = new TableWebhookEndpoints();
const troubled = new TableTroubledEndpoints();

/** Makes an endpoint whose attempts failed at these moments. */
async function failing(at: readonly number[], environment: Environment = 'producao'): Promise<EndpointOwner> {
  const owner = { partnerId: drawId<PartnerId>(Date.now()), environment };
  await setWebhook(owner, URL, newWebhookSecret(), NOW - 24 * HOUR);
  for (const moment of at) await endpoints.countFailure(owner, (await endpoints.get(owner))!, moment);
  return owner;
}
const listed = async (before = NOW) => (await troubled.failing(before, 50)).items;
const partnersListed = async (before = NOW) => (await listed(before)).map(({ partnerId }) => partnerId);

test('failing lists endpoints by their first failure since a success, the earliest first, until a moment', async () => {
  await clearTable();
  const late = await failing([NOW - 2 * HOUR, NOW - HOUR]);
  const early = await failing([NOW - 7 * HOUR, NOW - MINUTE], 'sandbox');
  await failing([]);
  expect(await listed()).toEqual([
    {
      ...early,
      url: URL,
      enabled: true,
      disabledBecause: undefined,
      health: { failures: 2, failingSince: NOW - 7 * HOUR },
    },
    {
      ...late,
      url: URL,
      enabled: true,
      disabledBecause: undefined,
      health: { failures: 2, failingSince: NOW - 2 * HOUR },
    },
  ]);
  expect(await partnersListed(NOW - 6 * HOUR)).toEqual([early.partnerId]);
  expect(await partnersListed(NOW - 7 * HOUR)).toEqual([]);
});

test('failing returns page after page, and no endpoint twice', async () => {
  await clearTable();
  const made: PartnerId[] = [];
  for (let hours = 9; hours > 6; hours--) made.push((await failing([NOW - hours * HOUR])).partnerId);
  const found: PartnerId[] = [];
  let after: string | undefined;
  do {
    const { items, next } = await troubled.failing(NOW, 1, after);
    found.push(...items.map(({ partnerId }) => partnerId));
    after = next;
  } while (after !== undefined);
  expect(found).toEqual(made);
});

test.each<[string, (owner: EndpointOwner) => Promise<unknown>]>([
  ['succeeds', async (owner) => endpoints.forgetFailures(owner, (await endpoints.get(owner))!)],
  ['gets another address', (owner) => changeWebhookUrl(owner, `${URL}novo`, NOW)],
  ['is enabled by a manager', (owner) => enableWebhook(owner, NOW)],
  ['is disabled by a manager', (owner) => disableWebhook(owner, 'manager', NOW)],
  ['disables itself', async (owner) => endpoints.disable(owner, (await endpoints.get(owner))!, 'failing', NOW)],
])('an endpoint leaves the list of failing endpoints when it %s', async (_, change) => {
  await clearTable();
  const owner = await failing([NOW - 7 * HOUR]);
  expect(await partnersListed()).toEqual([owner.partnerId]);
  await change(owner);
  expect(await listed()).toEqual([]);
});

test('failing leaves out an endpoint that has succeeded while the index still lists it', async () => {
  await clearTable();
  const owner = await failing([]);
  await setFields(webhookKey(owner), endpointFailing(owner, NOW - 7 * HOUR));
  expect(await listed()).toEqual([]);
});

test('failing leaves out an endpoint whose row cannot be read, logs it, and lists the others', async () => {
  await clearTable();
  const broken = await failing([NOW - 8 * HOUR]);
  const readable = await failing([NOW - 7 * HOUR]);
  await setFields(webhookKey(broken), { url: 7 });
  const lines = vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
  const partners = await partnersListed();
  const logged = lines.mock.calls.map(([text]) => String(text)).filter((text) => text.includes('row_unreadable'));
  lines.mockRestore();
  expect(partners).toEqual([readable.partnerId]);
  expect(logged).toHaveLength(1);
  expect(JSON.parse(logged[0] ?? '')).toMatchObject({ partner: broken.partnerId });
});

test('disabled lists the endpoints that disabled themselves, and none that a manager disabled', async () => {
  await clearTable();
  const gone = await failing([NOW - HOUR]);
  await disableWebhook(gone, 'gone', NOW);
  await disableWebhook(await failing([NOW - HOUR]), 'manager', NOW);
  const { items } = await troubled.disabled(50);
  expect(items).toMatchObject([{ ...gone, enabled: false, disabledBecause: 'gone' }]);
});
