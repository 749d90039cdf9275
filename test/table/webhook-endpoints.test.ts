import { describe, expect, test } from 'vitest';
import { accountEventOf } from '#shared/contract/event.ts';
import { drawId, type PartnerId } from '#shared/domain/values/ids.ts';
import { ROTATION_OVERLAP } from '#shared/domain/webhooks/endpoint.ts';
import { newWebhookSecret } from '#shared/domain/webhooks/secret.ts';
import { createPartner, validatePartner } from '#shared/table/partners/partner-register.ts';
import { webhookKey } from '#shared/table/rows/keys.ts';
import {
  changeWebhookUrl,
  disableWebhook,
  enableWebhook,
  rotateWebhookSecret,
  setWebhook,
  TableWebhookEndpoints,
  webhookOpens,
} from '#shared/table/webhooks/webhook-endpoints.ts';
import { intercepted, interceptTable, meetingAt } from '../makers/intercepted.ts';
import { usePeers } from '../makers/peers.ts';
import { damageSealed } from '../makers/rows.ts';
import { describeWebhookEndpoints } from './webhook-endpoints.suite.ts';

usePeers();
describeWebhookEndpoints(() => ({
  endpoints: new TableWebhookEndpoints(),
  manager: {
    set: setWebhook,
    move: changeWebhookUrl,
    enable: enableWebhook,
    disable: (partnerId, now) => disableWebhook(partnerId, 'manager', now),
  },
}));

const NOW = 1_767_300_000_000;
const URL = 'https://hooks.parceiro.com.br/';
const endpoints = new TableWebhookEndpoints();
const well = { failures: 0, failingSince: undefined };

async function made(): Promise<{ partnerId: PartnerId; secret: string }> {
  const [partnerId, secret] = [drawId<PartnerId>(Date.now()), newWebhookSecret()];
  await setWebhook(partnerId, URL, secret, NOW);
  return { partnerId, secret };
}
const read = async (partnerId: PartnerId) => (await endpoints.get(partnerId))!;
/** Rotates to a secret, with the whole overlap by default. */
const rotate = (
  partnerId: PartnerId,
  secret: string,
  now = NOW,
  changes: Partial<Parameters<typeof rotateWebhookSecret>[2]> = {},
) => rotateWebhookSecret(partnerId, secret, { overlap: ROTATION_OVERLAP, dropPrevious: false, ...changes }, now);

test('setWebhook sets an enabled endpoint without failures, once, even if two calls come at once', async () => {
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
  expect(await setWebhook(partnerId, `${URL}outro`, newWebhookSecret(), NOW + 9)).toBe(false);
  expect(await endpoints.get(partnerId)).toEqual(fresh);

  const other = drawId<PartnerId>(Date.now());
  const secrets = [newWebhookSecret(), newWebhookSecret()];
  const set = await Promise.all(secrets.map((one) => setWebhook(other, URL, one, NOW)));
  expect(set.toSorted()).toEqual([false, true]);
  expect((await read(other)).secret).toBe(secrets[set.indexOf(true)]);
});

test('enableWebhook, disableWebhook and rotateWebhookSecret refuse a partner without a webhook', async () => {
  const partnerId = drawId<PartnerId>(Date.now());
  await expect(enableWebhook(partnerId, NOW)).rejects.toThrow('has no webhook');
  await expect(disableWebhook(partnerId, 'manager', NOW)).rejects.toThrow('has no webhook');
  await expect(rotate(partnerId, newWebhookSecret())).rejects.toThrow('has no webhook');
  expect(await endpoints.get(partnerId)).toBeUndefined();
});

test('enableWebhook and disableWebhook refuse an endpoint that is not as it was seen, and say what has changed', async () => {
  const { partnerId } = await made();
  const seen = (await endpoints.view(partnerId))!;
  await changeWebhookUrl(partnerId, `${URL}outro`, NOW + 1);
  const moved = await endpoints.get(partnerId);
  await expect(enableWebhook(partnerId, NOW + 2, seen)).rejects.toThrow('got another address meanwhile');
  await expect(disableWebhook(partnerId, 'manager', NOW + 2, seen)).rejects.toThrow('got another address meanwhile');
  expect(await endpoints.get(partnerId)).toEqual(moved);
  // An endpoint that disables itself keeps the moment of the last change.
  expect(await endpoints.disable(partnerId, moved!, 'gone', NOW + 3)).toBe(true);
  await expect(enableWebhook(partnerId, NOW + 4, moved!)).rejects.toThrow('was disabled meanwhile: look at it again');
  await enableWebhook(partnerId, NOW + 4, (await endpoints.view(partnerId))!);
  expect(await read(partnerId)).toMatchObject({ enabled: true, changedAt: NOW + 4 });
});

test('a new address or secret is refused if production was opened since the caller looked', async () => {
  const eventOf = accountEventOf;
  const seen = { inProduction: false };
  const partner = async () => {
    const partnerId = drawId<PartnerId>(Date.now());
    await createPartner(partnerId, 'Parceiro', NOW);
    return partnerId;
  };
  const first = await partner();
  await validatePartner(first, NOW);
  const refusal = 'production was opened';
  await expect(setWebhook(first, URL, newWebhookSecret(), NOW, { eventOf, seen })).rejects.toThrow(refusal);
  expect(await endpoints.get(first)).toBeUndefined();

  const other = await partner();
  expect(await setWebhook(other, URL, newWebhookSecret(), NOW, { eventOf, seen })).toBe(true);
  await validatePartner(other, NOW);
  const before = await endpoints.get(other);
  await expect(changeWebhookUrl(other, `${URL}outro`, NOW + 1, URL, { eventOf, seen })).rejects.toThrow(refusal);
  const rotation = { overlap: 0, dropPrevious: false };
  const rotating = rotateWebhookSecret(other, newWebhookSecret(), rotation, NOW + 1, { eventOf, seen });
  await expect(rotating).rejects.toThrow(refusal);
  expect(await endpoints.get(other)).toEqual(before);
  const inProduction = { eventOf, seen: { inProduction: true } };
  expect(await changeWebhookUrl(other, `${URL}outro`, NOW + 1, URL, inProduction)).toEqual({ enabled: true });
});

describe('rotateWebhookSecret', () => {
  test('rotateWebhookSecret keeps the previous secret for the overlap, and no older one', async () => {
    const { partnerId, secret } = await made();
    const [second, third] = [newWebhookSecret(), newWebhookSecret()];
    await rotate(partnerId, second);
    const kept = { secret: second, previousSecret: secret, previousUntil: NOW + 86_400_000 };
    expect(await read(partnerId)).toMatchObject(kept);
    await rotate(partnerId, third, NOW + ROTATION_OVERLAP);
    expect(await read(partnerId)).toMatchObject({ secret: third, previousSecret: second });
  });

  test('rotateWebhookSecret refuses while an overlap runs, unless the previous secret is to be dropped', async () => {
    const { partnerId, secret } = await made();
    const [second, third] = [newWebhookSecret(), newWebhookSecret()];
    await rotate(partnerId, second);
    await expect(rotate(partnerId, third, NOW + ROTATION_OVERLAP - 1)).rejects.toThrow('--drop-previous');
    expect(await read(partnerId)).toMatchObject({ secret: second, previousSecret: secret });
    await rotate(partnerId, third, NOW + 1, { dropPrevious: true });
    expect(await read(partnerId)).toMatchObject({ secret: third, previousSecret: second });
  });

  test('rotateWebhookSecret without overlap replaces a secret that does not open, and with overlap refuses', async () => {
    const { partnerId } = await made();
    await damageSealed(webhookKey(partnerId));
    expect(await webhookOpens(partnerId)).toBe(false);
    expect(await endpoints.view(partnerId)).toMatchObject({ url: URL, enabled: true });
    const fresh = newWebhookSecret();
    await expect(rotate(partnerId, fresh, NOW + 1)).rejects.toThrow('does not open');
    await rotate(partnerId, fresh, NOW + 1, { overlap: 0 });
    expect(await webhookOpens(partnerId)).toBe(true);
    expect((await read(partnerId)).secret).toBe(fresh);
  });

  test('rotateWebhookSecret without overlap drops the previous secret, and the health of the endpoint stays', async () => {
    const { partnerId } = await made();
    await endpoints.countFailure(partnerId, await read(partnerId), NOW + 1);
    await rotate(partnerId, newWebhookSecret());
    const last = newWebhookSecret();
    await rotate(partnerId, last, NOW + 2, { overlap: 0 });
    expect(await read(partnerId)).toMatchObject({
      url: URL,
      secret: last,
      previousSecret: undefined,
      previousUntil: undefined,
      changedAt: NOW,
      health: { failures: 1, failingSince: NOW + 1 },
    });
  });

  describe('with a token', () => {
    const rotateBy = (partnerId: PartnerId, changes = {}, now = NOW) =>
      rotate(partnerId, newWebhookSecret(), now, { token: 'troca-1', ...changes });

    test('rotateWebhookSecret returns the same secret and the same end of the overlap for the same token', async () => {
      const { partnerId, secret } = await made();
      const first = await rotateBy(partnerId);
      expect(first.previousUntil).toBe(NOW + ROTATION_OVERLAP);
      expect(await rotateBy(partnerId, { dropPrevious: true }, NOW + 5)).toEqual(first);
      expect(await read(partnerId)).toMatchObject({ secret: first.secret, previousSecret: secret });
    });

    test('rotateWebhookSecret refuses the same token with another overlap', async () => {
      const { partnerId } = await made();
      await rotateBy(partnerId);
      await expect(rotateBy(partnerId, { overlap: 0 })).rejects.toThrow('another token');
    });

    test('rotateWebhookSecret refuses a token whose secret another rotation has replaced, and changes nothing', async () => {
      const { partnerId } = await made();
      await rotateBy(partnerId);
      for (const changes of [{ token: 'troca-2' }, { token: undefined }]) {
        const { secret } = await rotateBy(partnerId, { ...changes, overlap: 0 });
        await expect(rotateBy(partnerId)).rejects.toThrow('was replaced since then: use another token');
        expect((await read(partnerId)).secret).toBe(secret);
      }
    });
  });

  test('rotateWebhookSecret succeeds for only one of two calls that come at once', async () => {
    interceptTable();
    const { partnerId, secret } = await made();
    const secrets = [newWebhookSecret(), newWebhookSecret()];
    const bothHaveRead = meetingAt('table TransactWriteItemsCommand', 2);
    const outcomes = await Promise.allSettled(
      secrets.map((one) => intercepted(bothHaveRead, () => rotate(partnerId, one))),
    );
    const won = outcomes.flatMap(({ status }, index) => (status === 'fulfilled' ? [secrets[index]!] : []));
    const { secret: current, previousSecret } = await read(partnerId);
    expect(won).toEqual([current]);
    expect(previousSecret).toBe(secret);
  });
});
