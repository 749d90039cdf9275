import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseApiKey } from '../../../shared/domain/partners/api-key.ts';
import type { KeyId, PartnerId } from '../../../shared/domain/values/ids.ts';
import { tableApiKeyAuth } from '../../../shared/table/api-key-auth.ts';
import { authState, createKey, listKeys, revokeKey, rotateKey } from '../../../shared/table/api-keys.ts';
import { getRow, updateRow } from '../../../shared/table/client.ts';
import { parseServiceKeys } from '../../../shared/table/encryption.ts';
import { itemBytes } from '../../../shared/table/item-size.ts';
import { authKey } from '../../../shared/table/keys.ts';
import { initServiceKeys, newServiceKeys } from '../../../shared/table/service-keys.ts';
import { endpointsOfPeers, type Manager, managerHere } from '../../makers/manager.ts';
import { makePartner, usePeers } from '../../makers/peers.ts';

const peers = usePeers();
let manager: Manager;
beforeAll(async () => {
  manager = managerHere(endpointsOfPeers());
});

async function admitted(text: string): Promise<boolean> {
  try {
    await tableApiKeyAuth(Date.now).authenticate(text);
    return true;
  } catch {
    return false;
  }
}

describe("the service's own keys", () => {
  const empty = (name: string) => {
    peers.secrets.make([{ name, arn: `arn:aws:secretsmanager:sa-east-1:000000000000:secret:${name}-local0` }]);
    return name;
  };

  /** Runs against another secret than the peers' own. */
  async function withSecret<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = process.env['KEYS_SECRET'];
    process.env['KEYS_SECRET'] = name;
    try {
      return await work();
    } finally {
      process.env['KEYS_SECRET'] = before;
    }
  }

  it('are written once, and never again', async () => {
    const name = empty('partner-credit-empty/keys');
    await withSecret(name, async () => {
      const here = managerHere(endpointsOfPeers());
      expect((await here(['keys', 'init', '--json'])).json()).toEqual({ initialised: true });
      const written = peers.secrets.current(name);
      expect(parseServiceKeys(written)).toMatchObject({ current: 1 });
      const again = await here(['keys', 'init']);
      expect([again.code, again.err]).toEqual([1, expect.stringContaining('the service has its keys already')]);
      expect(peers.secrets.current(name)).toBe(written);
    });
  });

  it('are written by one of many who try at once', async () => {
    const name = empty('partner-credit-raced/keys');
    await withSecret(name, async () => {
      const tries = await Promise.allSettled(Array.from({ length: 8 }, () => initServiceKeys()));
      expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const one of tries) {
        if (one.status === 'rejected') expect(String(one.reason)).toContain('the service has its keys already');
      }
    });
  });

  it('need their secret to be deployed', async () => {
    await withSecret('partner-credit-nowhere/keys', async () => {
      const ran = await managerHere(endpointsOfPeers())(['keys', 'init']);
      expect([ran.code, ran.err]).toEqual([1, expect.stringContaining("deploy the stage's data stack first")]);
    });
  });

  it('are 32 bytes each, drawn anew each time', () => {
    const [one, other] = [newServiceKeys(), newServiceKeys()].map(parseServiceKeys);
    expect([one!.index.secret.symmetricKeySize, one!.sealing.get(1)!.symmetricKeySize]).toEqual([32, 32]);
    expect(one!.index.secret.equals(other!.index.secret) || one!.index.secret.equals(one!.sealing.get(1)!)).toBe(false);
  });
});

describe("a partner's keys", () => {
  it('open the auth exactly while they are live, whatever order they are made, rotated and revoked in', async () => {
    const step = fc.record({ what: fc.constantFrom('create', 'rotate', 'revoke'), which: fc.nat(20) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
        const { partnerId, unitId, keys } = await makePartner();
        const all = [keys.sandbox, keys.producao];
        const live = new Set(all);
        for (const { what, which } of steps) {
          const chosen = [...live][which % Math.max(1, live.size)] ?? '';
          const id = parseApiKey(chosen)?.keyId;
          if (what === 'create' || !id) {
            const { text } = await createKey({ partnerId, unitId, environment: 'sandbox' }, Date.now());
            all.push(text);
            live.add(text);
          } else if (what === 'rotate') {
            const { text } = await rotateKey(partnerId, id, Date.now());
            live.delete(chosen);
            all.push(text);
            live.add(text);
          } else {
            await revokeKey(partnerId, id, Date.now());
            live.delete(chosen);
          }
        }
        for (const text of all) expect(await admitted(text)).toBe(live.has(text));
        const labels = await listKeys(partnerId);
        expect(
          labels
            .filter((label) => label.live)
            .map((label) => label.id)
            .sort(),
        ).toEqual([...live].map((text) => parseApiKey(text)!.keyId).sort());
        expect(labels.every((label) => label.live !== (label.revokedAt !== undefined))).toBe(true);
      }),
      { numRuns: process.env['SOAK'] ? 200 : 15 },
    );
  });

  it('are rotated by one of two who try at once: no second new key lives', async () => {
    const { partnerId, keys } = await makePartner();
    const old = parseApiKey(keys.sandbox)!.keyId;
    const tries = await Promise.allSettled([1, 2, 3].map(() => rotateKey(partnerId, old, Date.now())));
    const won = tries.flatMap((one) => (one.status === 'fulfilled' ? [one.value.keyId] : []));
    expect(won).toHaveLength(1);
    const auth = await authState(partnerId);
    expect([...auth!.keys].sort()).toEqual([won[0]!, parseApiKey(keys.producao)!.keyId].sort());
  });

  it('are refused above an auth item of 4 KB, with the cure, and rotate there all the same', async () => {
    const { partnerId, unitId } = await makePartner();
    const create = ['keys', 'create', '--partner', partnerId, '--unit', unitId, '--json'];
    const live: KeyId[] = [];
    let full = await manager(create);
    while (full.code === 0 && live.length < 100) {
      live.push(full.json().key);
      full = await manager(create);
    }
    expect([full.code, full.out]).toEqual([1, '']);
    expect(full.err).toMatch(/auth item would have 4\d\d\d bytes, above 4096: revoke keys that are no longer used/);
    const bytes = async () => itemBytes((await getRow(authKey(partnerId as PartnerId)))!);
    expect(await bytes()).toBeLessThanOrEqual(4096);
    expect(live.length).toBeGreaterThan(40);
    await rotateKey(partnerId, live[0]!, Date.now());
    expect(await bytes()).toBeLessThanOrEqual(4096);
    await revokeKey(partnerId, live[1]!, Date.now());
    expect((await manager(create)).code).toBe(0);
  });

  it('need a unit of the partner', async () => {
    const { partnerId } = await makePartner();
    const other = await makePartner();
    const ran = await manager(['keys', 'create', '--partner', partnerId, '--unit', other.unitId]);
    expect([ran.code, ran.err]).toEqual([
      1,
      `manager: partner ${partnerId} has no unit ${other.unitId}: see units list\n`,
    ]);
    expect((await authState(partnerId))!.keys.size).toBe(2);
  });

  it('show neither their text nor a consultant by name once they are made', async () => {
    const { partnerId, unitId } = await makePartner();
    const named = ['--consultant-name', 'Rui Barbosa', '--json'];
    const { text } = (await manager(['keys', 'create', '--partner', partnerId, '--unit', unitId, ...named])).json();
    for (const json of [[], ['--json']]) {
      const { out } = await manager(['keys', 'list', '--partner', partnerId, ...json]);
      expect(out).toContain(text.slice(-4));
      expect(out).not.toContain(text);
      expect(out).not.toContain('Rui');
    }
  });

  it('say what was never live where the auth item did not take a key', async () => {
    const { partnerId, keys } = await makePartner();
    const { keyId } = parseApiKey(keys.sandbox)!;
    await updateRow({
      Key: authKey(partnerId),
      UpdateExpression: 'REMOVE k.#key',
      ExpressionAttributeNames: { '#key': keyId },
    });
    const list = (await manager(['keys', 'list', '--partner', partnerId, '--json'])).json();
    expect(list.find((row: { key: string }) => row.key === keyId).state).toBe('never live');
  });
});

describe('the size of an item', () => {
  it('counts as DynamoDB does', () => {
    expect(itemBytes({ pk: 'AUTH#1', n: 1234567, b: new Uint8Array(32), t: true, l: ['a', 1], m: { k: 'ção' } })).toBe(
      2 + 6 + (1 + 5) + (1 + 32) + (1 + 1) + (1 + 3 + 2 + 3) + (1 + 3 + 1 + 1 + 5),
    );
  });
});
