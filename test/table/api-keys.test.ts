import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { displayPrefix, parseApiKey } from '#shared/domain/partners/api-key.ts';
import type { KeyId, PartnerId } from '#shared/domain/values/ids.ts';
import { TableApiKeyAuth } from '#shared/table/partners/api-key-auth.ts';
import { authState, createKey, itemBytes, listKeys, revokeKey, rotateKey } from '#shared/table/partners/api-keys.ts';
import { getRow, transact, updateRow } from '#shared/table/rows/client.ts';
import { parseServiceKeys } from '#shared/table/rows/encryption.ts';
import { apiKeyKey, authKey } from '#shared/table/rows/keys.ts';
import { TableKeyedTable } from '#shared/table/sealing/keyed-table.ts';
import {
  changeServiceKeys,
  heldKeys,
  initServiceKeys,
  newServiceKeys,
  retireServiceKeys,
} from '#shared/table/sealing/service-keys.ts';
import { makePartner, usePeers } from '../makers/peers.ts';

const peers = usePeers();
const idOf = (text: string) => parseApiKey(text)!.keyId;

async function admitted(text: string): Promise<boolean> {
  return new TableApiKeyAuth(Date.now)
    .authenticate(text)
    .then(() => true)
    .catch(() => false);
}

describe('keys of the service', () => {
  it.each([
    [
      'initServiceKeys writes the keys for one of 8 runs at once and refuses the others',
      'raced',
      true,
      /the service has its keys already|by someone else at this moment/,
    ],
    ['initServiceKeys refuses if the secret is not deployed', 'nowhere', false, /deploy the stage's data stack first/],
  ])('%s', async (_, stage, deployed, refusal) => {
    const name = `partner-credit-${stage}/keys`;
    if (deployed) peers.secrets.make([{ name, arn: `arn:aws:secretsmanager:sa-east-1:000000000000:secret:${name}` }]);
    const before = process.env['KEYS_SECRET'];
    process.env['KEYS_SECRET'] = name;
    const tries = await Promise.allSettled(Array.from({ length: 8 }, () => initServiceKeys()));
    process.env['KEYS_SECRET'] = before;
    const refused = tries.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []));
    expect(refused).toHaveLength(deployed ? 7 : 8);
    for (const reason of refused) expect(reason).toMatch(refusal);
  });

  it('newServiceKeys draws new keys of 32 bytes each time', () => {
    const [one, other] = [newServiceKeys(), newServiceKeys()].map(parseServiceKeys);
    expect(one!.index[0]!.secret.symmetricKeySize).toBe(32);
    expect(one!.sealing.get(1)!.symmetricKeySize).toBe(32);
    expect(
      one!.index[0]!.secret.equals(other!.index[0]!.secret) || one!.index[0]!.secret.equals(one!.sealing.get(1)!),
    ).toBe(false);
  });
});

describe('API keys of a partner', () => {
  it('the same token shows the same API key, and each key has a salt of its own', async () => {
    const { partnerId, unitId } = await makePartner();
    const wanted = { partnerId, unitId, environment: 'sandbox', token: 'the same token' } as const;
    const one = await createKey(wanted, Date.now());
    expect(await createKey(wanted, Date.now())).toEqual(one);
    await revokeKey(partnerId, one.keyId, Date.now());
    await transact([{ Delete: { Key: apiKeyKey(partnerId, one.keyId) } }]);
    const other = await createKey(wanted, Date.now());
    expect(other.keyId).toBe(one.keyId);
    expect(other.text).not.toBe(one.text);
  });

  it('eight calls with the same token at once make one API key', async () => {
    const { partnerId, unitId } = await makePartner();
    const wanted = { partnerId, unitId, environment: 'sandbox', token: 'eight at once' } as const;
    const made = await Promise.all(Array.from({ length: 8 }, () => createKey(wanted, Date.now())));
    expect(new Set(made.map(({ text }) => text)).size).toBe(1);
    expect((await authState(partnerId))!.keys.size).toBe(3);
  });

  it('a token whose API key was revoked makes no other API key', async () => {
    const { partnerId, unitId } = await makePartner();
    const again = () => createKey({ partnerId, unitId, environment: 'sandbox', token: 'a revoked one' }, Date.now());
    const { keyId } = await again();
    await revokeKey(partnerId, keyId, Date.now());
    await expect(again()).rejects.toThrow(`the key of this token, ${keyId}, is dead`);
  });

  it('a token shows the same API key after both keys of the service were changed', async () => {
    const { partnerId, unitId } = await makePartner();
    const wanted = { partnerId, unitId, environment: 'sandbox', token: 'before a rotation' } as const;
    const one = await createKey(wanted, Date.now());
    const { current } = await heldKeys();
    await changeServiceKeys(current, Date.now());
    const later = () => Date.now() + 86_400_000;
    const run = { restart: true, unitsPerSecond: 40_000 };
    await new TableKeyedTable().rewrite(await heldKeys(), later(), run, () => true);
    const keys = await heldKeys();
    const old = { versions: [current], names: keys.index.slice(0, 1).map(({ name }) => name) };
    await retireServiceKeys(old, keys, later());
    expect(await createKey(wanted, Date.now())).toEqual(one);
  });

  it('a key is admitted exactly while it is live, after any series of creations, rotations and revocations', async () => {
    const step = fc.record({ what: fc.constantFrom('create', 'rotate', 'revoke'), which: fc.nat(20) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
        const { partnerId, unitId, keys } = await makePartner();
        const all = [keys.sandbox, keys.producao];
        const live = new Set(all);
        for (const { what, which } of steps) {
          const chosen = [...live][which % Math.max(1, live.size)] ?? '';
          if (what !== 'create') live.delete(chosen);
          if (what === 'revoke' && chosen) await revokeKey(partnerId, idOf(chosen), Date.now());
          else {
            const { text } =
              what === 'rotate' && chosen
                ? await rotateKey(partnerId, idOf(chosen), Date.now())
                : await createKey({ partnerId, unitId, environment: 'sandbox' }, Date.now());
            all.push(text);
            live.add(text);
          }
        }
        for (const text of all) expect(await admitted(text)).toBe(live.has(text));
        const labels = await listKeys(partnerId);
        expect(labels.flatMap(({ live: opens, id }) => (opens ? [id] : [])).sort()).toEqual([...live].map(idOf).sort());
        expect(labels.every((label) => label.live !== (label.revokedAt !== undefined))).toBe(true);
      }),
      { numRuns: process.env['SOAK'] ? 200 : 15 },
    );
  });

  it('rotateKey makes one live key if three rotations of a key come at once', async () => {
    const { partnerId, keys } = await makePartner();
    const old = idOf(keys.sandbox);
    const tries = await Promise.allSettled([1, 2, 3].map(() => rotateKey(partnerId, old, Date.now())));
    const won = tries.flatMap((one) => (one.status === 'fulfilled' ? [one.value.keyId] : []));
    expect(won).toHaveLength(1);
    expect(Array.from((await authState(partnerId))!.keys).sort()).toEqual([won[0]!, idOf(keys.producao)].sort());
  });

  it('createKey refuses to exceed an auth item of 4 KB and names the cure, and rotateKey still works', async () => {
    const { partnerId, unitId } = await makePartner();
    const create = () => createKey({ partnerId, unitId, environment: 'sandbox' }, Date.now());
    const live: KeyId[] = [];
    const filled = (async () => {
      while (live.length < 100) live.push((await create()).keyId);
    })();
    await expect(filled).rejects.toThrow(
      /auth item would have 4\d\d\d bytes, above 4096: revoke keys that are no longer/,
    );
    const bytes = async () => itemBytes((await getRow(authKey(partnerId)))!);
    expect(await bytes()).toBeLessThanOrEqual(4096);
    expect(live.length).toBeGreaterThan(40);
    await rotateKey(partnerId, live[0]!, Date.now());
    expect(await bytes()).toBeLessThanOrEqual(4096);
    await revokeKey(partnerId, live[1]!, Date.now());
    await create();
  });

  it('the update-item command of infra/RUNBOOK.md ends one key of a partner at once', async () => {
    const command = /aws dynamodb update-item .*?--expression-attribute-names '[^']*'/.exec(
      readFileSync('infra/RUNBOOK.md', 'utf8'),
    )![0];
    const option = (name: string) => new RegExp(`--${name} (['"])(.*?)\\1`).exec(command)![2]!;
    const { partnerId, keys } = await makePartner();
    const key = JSON.parse(option('key').replace('<partner>', String(partnerId)));
    expect({ pk: key.pk.S, sk: key.sk.S }).toEqual(authKey(partnerId));
    // As the command's text says: the last five characters of the start that lists and logs show.
    const keyId = displayPrefix(parseApiKey(keys.sandbox)!).slice(-5);
    await updateRow({
      Key: authKey(partnerId),
      UpdateExpression: option('update-expression'),
      ConditionExpression: option('condition-expression'),
      ExpressionAttributeNames: JSON.parse(option('expression-attribute-names').replace('<key>', keyId)),
    });
    expect(await admitted(keys.sandbox)).toBe(false);
    expect(await admitted(keys.producao)).toBe(true);
  });

  it('createKey refuses a unit of another partner', async () => {
    const [{ partnerId }, { unitId }] = [await makePartner(), await makePartner()];
    const foreign = createKey({ partnerId, unitId, environment: 'sandbox' }, Date.now());
    await expect(foreign).rejects.toThrow(`partner ${partnerId} has no unit ${unitId}: see units list`);
    expect((await authState(partnerId))!.keys.size).toBe(2);
  });

  describe('listKeys', () => {
    /** 21 November 2026, 23:30 in São Paulo, where it is one day earlier than in UTC. */
    const LATE = Date.parse('2026-11-22T02:30:00Z');
    const dayOf = async (partnerId: PartnerId, text: string) =>
      (await listKeys(partnerId)).find(({ id }) => id === idOf(text))!.lastUsedOn;

    it('listKeys shows the day in São Paulo of the last call of a key, and none for a key without a call', async () => {
      const { partnerId, keys } = await makePartner();
      const auth = new TableApiKeyAuth(() => LATE);
      await auth.authenticate(keys.sandbox);
      expect(await dayOf(partnerId, keys.sandbox)).toBe('2026-11-21');
      expect(await dayOf(partnerId, keys.producao)).toBeUndefined();
      await new TableApiKeyAuth(() => LATE + 24 * 60 * 60_000).authenticate(keys.sandbox);
      expect(await dayOf(partnerId, keys.sandbox)).toBe('2026-11-22');
    });

    it('listKeys still shows the day of the last call of a key that was revoked or replaced', async () => {
      const { partnerId, keys } = await makePartner();
      for (const key of [keys.sandbox, keys.producao]) await new TableApiKeyAuth(() => LATE).authenticate(key);
      await revokeKey(partnerId, idOf(keys.sandbox), LATE);
      await rotateKey(partnerId, idOf(keys.producao), LATE);
      expect(await dayOf(partnerId, keys.sandbox)).toBe('2026-11-21');
      expect(await dayOf(partnerId, keys.producao)).toBe('2026-11-21');
    });
  });

  it('listKeys shows a key as neither live nor revoked if the auth item lacks the key', async () => {
    const { partnerId, keys } = await makePartner();
    await updateRow({
      Key: authKey(partnerId),
      UpdateExpression: 'REMOVE k.#key',
      ExpressionAttributeNames: { '#key': idOf(keys.sandbox) },
    });
    const label = (await listKeys(partnerId)).find(({ id }) => id === idOf(keys.sandbox));
    expect(label!.live).toBe(false);
    expect(label!.revokedAt).toBeUndefined();
  });
});

it('itemBytes counts the bytes of an item as DynamoDB does', () => {
  expect(itemBytes({ pk: 'AUTH#1', n: 1234567, b: new Uint8Array(32), t: true, l: ['a', 1], m: { k: 'ção' } })).toBe(
    2 + 6 + (1 + 5) + (1 + 32) + (1 + 1) + (1 + 3 + 2 + 3) + (1 + 3 + 1 + 1 + 5),
  );
});
