import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { drawId, type PartnerId } from '../../shared/domain/ids.ts';
import {
  disableWebhook,
  enableWebhook,
  ROTATION_OVERLAP,
  rotateWebhookSecret,
  setWebhook,
  tablePartners,
} from '../../shared/table/partners.ts';
import { newWebhookSecret } from '../../shared/webhook/sign.ts';
import { type Peers, startPeers } from '../makers/peers.ts';

let peers: Peers;
beforeAll(async () => {
  peers = await startPeers();
});
afterAll(() => peers.close());

const NOW = 1_767_300_000_000;
const URL = 'https://hooks.parceiro.com.br/';
const partners = tablePartners();
const well = { failures: 0, failingSince: undefined };

async function made(): Promise<{ partner: PartnerId; secret: string }> {
  const [partner, secret] = [drawId<PartnerId>(Date.now()), newWebhookSecret()];
  await setWebhook(partner, URL, secret, NOW);
  return { partner, secret };
}
const read = async (partner: PartnerId) => (await partners.endpoint(partner))!;

describe('a webhook endpoint', () => {
  test('is enabled and well when it is set; setting it again forgets everything', async () => {
    const { partner, secret } = await made();
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
    expect(await partners.endpoint(partner)).toEqual(fresh);
    await partners.countFailure(partner, await read(partner), NOW);
    await partners.disable(partner, await read(partner), 'gone', NOW);
    await rotateWebhookSecret(partner, newWebhookSecret(), 1000, NOW);
    await setWebhook(partner, URL, secret, NOW + 9);
    expect(await partners.endpoint(partner)).toEqual({ ...fresh, changedAt: NOW + 9 });
  });

  test('counts failures from the first after a success on', async () => {
    const { partner } = await made();
    const endpoint = await read(partner);
    const later = NOW + 30 * 86_400_000;
    await Promise.all(Array.from({ length: 5 }, () => partners.countFailure(partner, endpoint, later)));
    expect(await partners.countFailure(partner, endpoint, later + 7)).toEqual({
      enabled: true,
      health: { failures: 6, failingSince: later },
    });
    await partners.forgetFailures(partner, endpoint);
    expect((await read(partner)).health).toEqual(well);
    await partners.countFailure(partner, endpoint, later + 9);
    expect((await read(partner)).health).toEqual({ failures: 1, failingSince: later + 9 });
  });

  test('that was disabled is well again when the manager enables it', async () => {
    const { partner, secret } = await made();
    const endpoint = await read(partner);
    await partners.countFailure(partner, endpoint, NOW + 1);
    expect(await partners.disable(partner, endpoint, 'failing', NOW + 2)).toBe(true);
    expect(await read(partner)).toMatchObject({ enabled: false, disabledBecause: 'failing', secret });
    expect(await partners.countFailure(partner, endpoint, NOW + 3)).toMatchObject({ enabled: false });
    await enableWebhook(partner, NOW + 4);
    expect(await read(partner)).toMatchObject({
      enabled: true,
      disabledBecause: undefined,
      changedAt: NOW + 4,
      health: well,
      secret,
    });
  });

  test('is not touched by what an attempt from before the change says', async () => {
    const { partner } = await made();
    const old = await read(partner);
    await partners.countFailure(partner, old, NOW + 1);
    await setWebhook(partner, `${URL}novo`, newWebhookSecret(), NOW + 2);
    expect(await partners.countFailure(partner, old, NOW + 3)).toEqual({ enabled: true, health: well });
    expect(await partners.disable(partner, old, 'gone', NOW + 3)).toBe(false);
    await partners.countFailure(partner, await read(partner), NOW + 4);
    await partners.forgetFailures(partner, old);
    expect(await read(partner)).toMatchObject({ enabled: true, health: { failures: 1, failingSince: NOW + 4 } });
  });

  test('the manager disables it until further notice', async () => {
    const { partner } = await made();
    const old = await read(partner);
    await disableWebhook(partner, 'manager', NOW + 1);
    expect(await read(partner)).toMatchObject({ enabled: false, disabledBecause: 'manager', changedAt: NOW + 1 });
    expect(await partners.disable(partner, old, 'gone', NOW + 2)).toBe(true);
    expect((await read(partner)).disabledBecause).toBe('manager');
  });

  test('that does not exist can be neither enabled, disabled nor rotated', async () => {
    const partner = drawId<PartnerId>(Date.now());
    await expect(enableWebhook(partner, NOW)).rejects.toThrow('has no webhook');
    await expect(disableWebhook(partner, 'manager', NOW)).rejects.toThrow('has no webhook');
    await expect(rotateWebhookSecret(partner, newWebhookSecret(), 0, NOW)).rejects.toThrow('has no webhook');
    expect(await partners.endpoint(partner)).toBeUndefined();
  });
});

describe('a rotation of the secret', () => {
  test('keeps the one before for the overlap, and none from before that', async () => {
    const { partner, secret } = await made();
    const [second, third] = [newWebhookSecret(), newWebhookSecret()];
    await rotateWebhookSecret(partner, second, ROTATION_OVERLAP, NOW);
    expect(await read(partner)).toMatchObject({
      secret: second,
      previousSecret: secret,
      previousUntil: NOW + 86_400_000,
    });
    await rotateWebhookSecret(partner, third, ROTATION_OVERLAP, NOW + 1);
    expect(await read(partner)).toMatchObject({ secret: third, previousSecret: second });
  });

  test('without overlap forgets the one before at once; the endpoint and its health stay', async () => {
    const { partner } = await made();
    await partners.countFailure(partner, await read(partner), NOW + 1);
    await rotateWebhookSecret(partner, newWebhookSecret(), ROTATION_OVERLAP, NOW);
    const last = newWebhookSecret();
    await rotateWebhookSecret(partner, last, 0, NOW + 2);
    expect(await read(partner)).toMatchObject({
      url: URL,
      secret: last,
      previousSecret: undefined,
      previousUntil: undefined,
      changedAt: NOW,
      health: { failures: 1, failingSince: NOW + 1 },
    });
  });

  test('of two at once only one holds, and says so', async () => {
    const { partner, secret } = await made();
    const secrets = [newWebhookSecret(), newWebhookSecret()];
    const outcomes = await Promise.allSettled(secrets.map((one) => rotateWebhookSecret(partner, one, 1000, NOW)));
    const won = outcomes.flatMap(({ status }, index) => (status === 'fulfilled' ? [secrets[index]!] : []));
    const { secret: current, previousSecret } = await read(partner);
    expect(won).toContain(current);
    // Where one ended before the other began, both hold, one after the other.
    expect(previousSecret).toBe(won.find((one) => one !== current) ?? secret);
  });
});
