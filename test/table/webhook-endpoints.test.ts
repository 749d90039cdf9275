import { describe, expect, test } from 'vitest';
import { accountEventOf } from '#shared/contract/event.ts';
import { drawId, type PartnerId } from '#shared/domain/values/ids.ts';
import { type EndpointOwner, ROTATION_OVERLAP } from '#shared/domain/webhooks/endpoint.ts';
import { newWebhookSecret } from '#shared/domain/webhooks/secret.ts';
import { createPartner, validatePartner } from '#shared/table/partners/partner-register.ts';
import { getRow } from '#shared/table/rows/client.ts';
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
import { damageSealed, setFields } from '../makers/rows.ts';
import { describeWebhookEndpoints } from './webhook-endpoints.suite.ts';

usePeers();
describeWebhookEndpoints(() => ({
  endpoints: new TableWebhookEndpoints(),
  manager: {
    set: setWebhook,
    move: changeWebhookUrl,
    enable: enableWebhook,
    disable: (owner, now) => disableWebhook(owner, 'manager', now),
  },
}));

const NOW = 1_767_300_000_000;
const URL = 'https://hooks.parceiro.com.br/';
const endpoints = new TableWebhookEndpoints();
const well = { failures: 0, failingSince: undefined };

/** Returns the owner of an endpoint of production that is not set. */
const newOwner = (): EndpointOwner => ({ partnerId: drawId<PartnerId>(Date.now()), environment: 'producao' });

async function made(): Promise<{ owner: EndpointOwner; secret: string }> {
  const [owner, secret] = [newOwner(), newWebhookSecret()];
  await setWebhook(owner, URL, secret, NOW);
  return { owner, secret };
}
const read = async (owner: EndpointOwner) => (await endpoints.get(owner))!;
/** Rotates to a secret, with the whole overlap by default. */
const rotate = (
  owner: EndpointOwner,
  secret: string,
  now = NOW,
  changes: Partial<Parameters<typeof rotateWebhookSecret>[2]> = {},
) => rotateWebhookSecret(owner, secret, { overlap: ROTATION_OVERLAP, dropPrevious: false, ...changes }, now);

test('setWebhook sets an enabled endpoint without failures, once, even if two calls come at once', async () => {
  const { owner, secret } = await made();
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
  expect(await endpoints.get(owner)).toEqual(fresh);
  expect(await setWebhook(owner, `${URL}outro`, newWebhookSecret(), NOW + 9)).toBe(false);
  expect(await endpoints.get(owner)).toEqual(fresh);

  const other = newOwner();
  const secrets = [newWebhookSecret(), newWebhookSecret()];
  const set = await Promise.all(secrets.map((one) => setWebhook(other, URL, one, NOW)));
  expect(set.toSorted()).toEqual([false, true]);
  expect((await read(other)).secret).toBe(secrets[set.indexOf(true)]);
});

test('enableWebhook, disableWebhook and rotateWebhookSecret refuse a partner without a webhook', async () => {
  const owner = newOwner();
  await expect(enableWebhook(owner, NOW)).rejects.toThrow('has no webhook');
  await expect(disableWebhook(owner, 'manager', NOW)).rejects.toThrow('has no webhook');
  await expect(rotate(owner, newWebhookSecret())).rejects.toThrow('has no webhook');
  expect(await endpoints.get(owner)).toBeUndefined();
});

test('enableWebhook and disableWebhook refuse an endpoint that is not as it was seen, and say what has changed', async () => {
  const { owner } = await made();
  const seen = (await endpoints.view(owner))!;
  await changeWebhookUrl(owner, `${URL}outro`, NOW + 1);
  const moved = await endpoints.get(owner);
  await expect(enableWebhook(owner, NOW + 2, seen)).rejects.toThrow('got another address meanwhile');
  await expect(disableWebhook(owner, 'manager', NOW + 2, seen)).rejects.toThrow('got another address meanwhile');
  expect(await endpoints.get(owner)).toEqual(moved);
  // An endpoint that disables itself keeps the moment of the last change.
  expect(await endpoints.disable(owner, moved!, 'gone', NOW + 3)).toBe(true);
  await expect(enableWebhook(owner, NOW + 4, moved!)).rejects.toThrow('was disabled meanwhile: look at it again');
  await enableWebhook(owner, NOW + 4, (await endpoints.view(owner))!);
  expect(await read(owner)).toMatchObject({ enabled: true, changedAt: NOW + 4 });
});

test('a new address or secret is refused if production was opened since the caller looked', async () => {
  const eventOf = accountEventOf;
  const seen = { inProduction: false };
  const partner = async () => {
    const owner = newOwner();
    await createPartner(owner.partnerId, 'Parceiro', NOW);
    return owner;
  };
  const first = await partner();
  await validatePartner(first.partnerId, NOW);
  const refusal = 'production was opened';
  await expect(setWebhook(first, URL, newWebhookSecret(), NOW, { eventOf, seen })).rejects.toThrow(refusal);
  expect(await endpoints.get(first)).toBeUndefined();

  const other = await partner();
  expect(await setWebhook(other, URL, newWebhookSecret(), NOW, { eventOf, seen })).toBe(true);
  await validatePartner(other.partnerId, NOW);
  const before = await endpoints.get(other);
  await expect(changeWebhookUrl(other, `${URL}outro`, NOW + 1, undefined, { eventOf, seen })).rejects.toThrow(refusal);
  const rotation = { overlap: 0, dropPrevious: false };
  const rotating = rotateWebhookSecret(other, newWebhookSecret(), rotation, NOW + 1, { eventOf, seen });
  await expect(rotating).rejects.toThrow(refusal);
  expect(await endpoints.get(other)).toEqual(before);
  const inProduction = { eventOf, seen: { inProduction: true } };
  expect(await changeWebhookUrl(other, `${URL}outro`, NOW + 1, undefined, inProduction)).toEqual({ enabled: true });
});

test('a new address or secret of the sandbox is written although production was opened since the caller looked', async () => {
  const options = { eventOf: accountEventOf, seen: { inProduction: false } };
  const owner = { ...newOwner(), environment: 'sandbox' } as const;
  await createPartner(owner.partnerId, 'Parceiro', NOW);
  await validatePartner(owner.partnerId, NOW);
  expect(await setWebhook(owner, URL, newWebhookSecret(), NOW, options)).toBe(true);
  expect(await changeWebhookUrl(owner, `${URL}outro`, NOW + 1, undefined, options)).toEqual({ enabled: true });
  const secret = newWebhookSecret();
  await rotateWebhookSecret(owner, secret, { overlap: 0, dropPrevious: false }, NOW + 2, options);
  expect(await read(owner)).toMatchObject({ url: `${URL}outro`, secret });
});

test('the sealed secret of the sandbox does not open in the row of production', async () => {
  const { owner } = await made();
  const sandbox = { ...owner, environment: 'sandbox' } as const;
  await setWebhook(sandbox, URL, newWebhookSecret(), NOW);
  await setFields(webhookKey(owner), { sealed: (await getRow(webhookKey(sandbox)))?.['sealed'] });
  expect(await webhookOpens(sandbox)).toBe(true);
  expect(await webhookOpens(owner)).toBe(false);
  await expect(endpoints.get(owner)).rejects.toThrow();
});

describe('rotateWebhookSecret', () => {
  test('rotateWebhookSecret keeps the previous secret for the overlap, and no older one', async () => {
    const { owner, secret } = await made();
    const [second, third] = [newWebhookSecret(), newWebhookSecret()];
    await rotate(owner, second);
    const kept = { secret: second, previousSecret: secret, previousUntil: NOW + 86_400_000 };
    expect(await read(owner)).toMatchObject(kept);
    await rotate(owner, third, NOW + ROTATION_OVERLAP);
    expect(await read(owner)).toMatchObject({ secret: third, previousSecret: second });
  });

  test('rotateWebhookSecret refuses while an overlap runs, unless the previous secret is to be dropped', async () => {
    const { owner, secret } = await made();
    const [second, third] = [newWebhookSecret(), newWebhookSecret()];
    await rotate(owner, second);
    await expect(rotate(owner, third, NOW + ROTATION_OVERLAP - 1)).rejects.toThrow('--drop-previous');
    expect(await read(owner)).toMatchObject({ secret: second, previousSecret: secret });
    await rotate(owner, third, NOW + 1, { dropPrevious: true });
    expect(await read(owner)).toMatchObject({ secret: third, previousSecret: second });
  });

  test('rotateWebhookSecret without overlap replaces a secret that does not open, and with overlap refuses', async () => {
    const { owner } = await made();
    await damageSealed(webhookKey(owner));
    expect(await webhookOpens(owner)).toBe(false);
    expect(await endpoints.view(owner)).toMatchObject({ url: URL, enabled: true });
    const fresh = newWebhookSecret();
    await expect(rotate(owner, fresh, NOW + 1)).rejects.toThrow('does not open');
    await rotate(owner, fresh, NOW + 1, { overlap: 0 });
    expect(await webhookOpens(owner)).toBe(true);
    expect((await read(owner)).secret).toBe(fresh);
  });

  test('rotateWebhookSecret without overlap drops the previous secret, and the health of the endpoint stays', async () => {
    const { owner } = await made();
    await endpoints.countFailure(owner, await read(owner), NOW + 1);
    await rotate(owner, newWebhookSecret());
    const last = newWebhookSecret();
    await rotate(owner, last, NOW + 2, { overlap: 0 });
    expect(await read(owner)).toMatchObject({
      url: URL,
      secret: last,
      previousSecret: undefined,
      previousUntil: undefined,
      changedAt: NOW,
      health: { failures: 1, failingSince: NOW + 1 },
    });
  });

  describe('with a token', () => {
    const rotateBy = (owner: EndpointOwner, changes = {}, now = NOW) =>
      rotate(owner, newWebhookSecret(), now, { token: 'troca-1', ...changes });

    test('rotateWebhookSecret returns the same secret and the same end of the overlap for the same token', async () => {
      const { owner, secret } = await made();
      const first = await rotateBy(owner);
      expect(first.previousUntil).toBe(NOW + ROTATION_OVERLAP);
      expect(await rotateBy(owner, { dropPrevious: true }, NOW + 5)).toEqual(first);
      expect(await read(owner)).toMatchObject({ secret: first.secret, previousSecret: secret });
    });

    test('rotateWebhookSecret refuses the same token with another overlap', async () => {
      const { owner } = await made();
      await rotateBy(owner);
      await expect(rotateBy(owner, { overlap: 0 })).rejects.toThrow('another token');
    });

    test('rotateWebhookSecret refuses a token whose secret another rotation has replaced, and changes nothing', async () => {
      const { owner } = await made();
      // The endpoint keeps the newest ten of these tokens.
      const tokens = Array.from({ length: 12 }, (_, index) => `troca-${index}`);
      for (const [index, token] of tokens.concat('').entries()) {
        const { secret } = await rotateBy(owner, { token: token || undefined, overlap: 0 });
        if (index === 0) continue;
        const replaced = rotateBy(owner, { token: tokens[index - 1], overlap: 0 });
        await expect(replaced).rejects.toThrow('was replaced since then: use another token');
        expect((await read(owner)).secret).toBe(secret);
      }
    });
  });

  test('rotateWebhookSecret succeeds for only one of two calls that come at once', async () => {
    interceptTable();
    const { owner, secret } = await made();
    const secrets = [newWebhookSecret(), newWebhookSecret()];
    const bothHaveRead = meetingAt('table TransactWriteItemsCommand', 2);
    const outcomes = await Promise.allSettled(
      secrets.map((one) => intercepted(bothHaveRead, () => rotate(owner, one))),
    );
    const won = outcomes.flatMap(({ status }, index) => (status === 'fulfilled' ? [secrets[index]!] : []));
    const { secret: current, previousSecret } = await read(owner);
    expect(won).toEqual([current]);
    expect(previousSecret).toBe(secret);
  });
});
