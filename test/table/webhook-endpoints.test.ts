import { describe, expect, test } from 'vitest';
import { drawId, type PartnerId } from '../../shared/domain/values/ids.ts';
import {
  disableWebhook,
  enableWebhook,
  ROTATION_OVERLAP,
  rotateWebhookSecret,
  setWebhook,
  tableWebhookEndpoints,
} from '../../shared/table/webhook-endpoints.ts';
import { newWebhookSecret } from '../../shared/webhook/sign.ts';
import { usePeers } from '../makers/peers.ts';
import { describeWebhookEndpoints } from './webhook-endpoints.suite.ts';

usePeers();
describeWebhookEndpoints(() => ({
  endpoints: tableWebhookEndpoints(),
  manager: {
    set: setWebhook,
    enable: enableWebhook,
    disable: (partnerId, now) => disableWebhook(partnerId, 'manager', now),
  },
}));

const NOW = 1_767_300_000_000;
const URL = 'https://hooks.parceiro.com.br/';
const endpoints = tableWebhookEndpoints();
const well = { failures: 0, failingSince: undefined };

async function made(): Promise<{ partnerId: PartnerId; secret: string }> {
  const [partnerId, secret] = [drawId<PartnerId>(Date.now()), newWebhookSecret()];
  await setWebhook(partnerId, URL, secret, NOW);
  return { partnerId, secret };
}
const read = async (partnerId: PartnerId) => (await endpoints.get(partnerId))!;

describe('a webhook endpoint', () => {
  test('is enabled and well when it is set; setting it again forgets everything', async () => {
    const { partnerId, secret } = await made();
    const fresh = {
      url: URL,
      enabled: true,
      secret,
      previousSecret: undefined,
      previousUntil: undefined,
      changedAt: NOW,
      health: well,
      disabledBecause: undefined,
    };
    expect(await endpoints.get(partnerId)).toEqual(fresh);
    await endpoints.countFailure(partnerId, await read(partnerId), NOW);
    await endpoints.disable(partnerId, await read(partnerId), 'gone', NOW);
    await rotateWebhookSecret(partnerId, newWebhookSecret(), 1000, NOW);
    await setWebhook(partnerId, URL, secret, NOW + 9);
    expect(await endpoints.get(partnerId)).toEqual({ ...fresh, changedAt: NOW + 9 });
  });

  test('that does not exist can be neither enabled, disabled nor rotated', async () => {
    const partnerId = drawId<PartnerId>(Date.now());
    await expect(enableWebhook(partnerId, NOW)).rejects.toThrow('has no webhook');
    await expect(disableWebhook(partnerId, 'manager', NOW)).rejects.toThrow('has no webhook');
    await expect(rotateWebhookSecret(partnerId, newWebhookSecret(), 0, NOW)).rejects.toThrow('has no webhook');
    expect(await endpoints.get(partnerId)).toBeUndefined();
  });
});

describe('a rotation of the secret', () => {
  test('keeps the one before for the overlap, and none from before that', async () => {
    const { partnerId, secret } = await made();
    const [second, third] = [newWebhookSecret(), newWebhookSecret()];
    await rotateWebhookSecret(partnerId, second, ROTATION_OVERLAP, NOW);
    expect(await read(partnerId)).toMatchObject({
      secret: second,
      previousSecret: secret,
      previousUntil: NOW + 86_400_000,
    });
    await rotateWebhookSecret(partnerId, third, ROTATION_OVERLAP, NOW + 1);
    expect(await read(partnerId)).toMatchObject({ secret: third, previousSecret: second });
  });

  test('without overlap forgets the one before at once; the endpoint and its health stay', async () => {
    const { partnerId } = await made();
    await endpoints.countFailure(partnerId, await read(partnerId), NOW + 1);
    await rotateWebhookSecret(partnerId, newWebhookSecret(), ROTATION_OVERLAP, NOW);
    const last = newWebhookSecret();
    await rotateWebhookSecret(partnerId, last, 0, NOW + 2);
    expect(await read(partnerId)).toMatchObject({
      url: URL,
      secret: last,
      previousSecret: undefined,
      previousUntil: undefined,
      changedAt: NOW,
      health: { failures: 1, failingSince: NOW + 1 },
    });
  });

  test('of two at once only one holds, and says so', async () => {
    const { partnerId, secret } = await made();
    const secrets = [newWebhookSecret(), newWebhookSecret()];
    const outcomes = await Promise.allSettled(secrets.map((one) => rotateWebhookSecret(partnerId, one, 1000, NOW)));
    const won = outcomes.flatMap(({ status }, index) => (status === 'fulfilled' ? [secrets[index]!] : []));
    const { secret: current, previousSecret } = await read(partnerId);
    expect(won).toContain(current);
    // Where one ended before the other began, both hold, one after the other.
    expect(previousSecret).toBe(won.find((one) => one !== current) ?? secret);
  });
});
