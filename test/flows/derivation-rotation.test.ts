/**
 * An API key with a token is derived from the token by the derivation key of an index key. A repeated call with the same
 * token must return the same API key, as long as the index key is held by which it was made.
 * derivation-crashes.test.ts stops the rotations at each call.
 */
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { parseApiKey } from '#shared/domain/partners/api-key.ts';
import { createKey, listKeys, revokeKey, rotateKey } from '#shared/table/partners/api-keys.ts';
import { intercepted, interceptSecrets, interceptTable, meanwhile, stoppedAt } from '../makers/intercepted.ts';
import { useRotations } from '../makers/rotations.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const scene = useRotations();
const { derivedFor, held, keys, keyOf, olderName, rotate, retire, untilSettled, wanted } = scene;
beforeAll(interceptSecrets);
beforeAll(interceptTable);

/** A container with modules of its own. It holds both secrets as they were when it started. */
async function container() {
  vi.resetModules();
  const [apiKeys, encryption, derivationKeys] = await Promise.all([
    import('#shared/table/partners/api-keys.ts'),
    import('#shared/table/rows/encryption.ts'),
    import('#shared/table/rows/derivation-keys.ts'),
  ]);
  const keyBy = async (token: string) => (await apiKeys.createKey(wanted(token), Date.now())).text;
  await keyBy('the first call of a container');
  return {
    keyOf: keyBy,
    forgetServiceKeys: encryption.forgetServiceKeys,
    forgetDerivationKeys: derivationKeys.forgetDerivationKeys,
  };
}

it('the same token returns the same API key before, during and after a rotation of the index key', async () => {
  const first = await keyOf('made before the rotation');
  const { keyId: old } = await createKey(wanted('to be rotated'), Date.now());
  const rotated = () => rotateKey(scene.partner().partnerId, old, Date.now(), 'a rotation of the API key');
  const replacement = (await rotated()).text;

  const { next } = await rotate();
  scene.startAgain();
  const second = await keyOf('made during the rotation');
  for (const moment of [Date.now(), next?.from ?? 0, next?.settledAt ?? 0]) {
    scene.passUntil(moment);
    expect(await keyOf('made before the rotation')).toBe(first);
    expect(await keyOf('made during the rotation')).toBe(second);
    expect((await rotated()).text).toBe(replacement);
  }

  const third = await keyOf('made after the rotation');
  await retire();
  expect(await keyOf('made after the rotation')).toBe(third);
  await rotate();
  await untilSettled();
  expect(await keyOf('made after the rotation')).toBe(third);
});

it('a token whose API key was revoked makes no other API key after a newer index key has taken over', async () => {
  const { partnerId } = scene.partner();
  const again = () => createKey(wanted('made before the rotation'), Date.now());
  const { keyId } = await again();
  await revokeKey(partnerId, keyId, Date.now());
  await expect(again()).rejects.toThrow(`the key of this token, ${keyId}, is dead`);
  await rotate();
  await untilSettled();
  const made = (await listKeys(partnerId)).length;
  await expect(again()).rejects.toThrow(`the key of this token, ${keyId}, is dead`);
  expect(await listKeys(partnerId)).toHaveLength(made);
});

it('a token makes one API key if a newer index key takes over between the reads of a call and its write', async () => {
  await rotate();
  const made = (await listKeys(scene.partner().partnerId)).length;
  let second = '';
  const takesOver = meanwhile('table TransactWriteItemsCommand', async () => {
    await untilSettled();
    second = await keyOf('made at once');
  });
  const first = await intercepted(takesOver, () => keyOf('made at once'));
  expect(second).not.toBe('');
  expect(first).toBe(second);
  expect(await listKeys(scene.partner().partnerId)).toHaveLength(made + 1);
});

describe('containers that hold the secrets of different moments', () => {
  it('a container from before a rotation and one from after it make the same API key of a token', async () => {
    const older = await container();
    await rotate();
    const newer = await container();
    const [one, other] = [await older.keyOf('made by the older'), await newer.keyOf('made by the newer')];
    expect(await newer.keyOf('made by the older')).toBe(one);
    expect(await older.keyOf('made by the newer')).toBe(other);
    await untilSettled();
    expect(await newer.keyOf('made by the older')).toBe(one);
    expect(await older.keyOf('made by the newer')).toBe(other);
  });

  it('a container fetches the derivation keys again if it holds an index key that is newer than they are', async () => {
    const { keyOf: keyBy, forgetServiceKeys: fetchIndexKeys } = await container();
    const first = await keyBy('made before the rotation');
    await rotate();
    fetchIndexKeys();
    expect(await keyBy('made before the rotation')).toBe(first);
  });

  it('a container fetches the index keys again if the derivation key of one of them is gone', async () => {
    await rotate();
    await untilSettled();
    const { keyOf: keyBy, forgetDerivationKeys: fetchDerivationKeys } = await container();
    const first = await keyBy('made before the retirement');
    await retire();
    fetchDerivationKeys();
    expect(await keyBy('made before the retirement')).toBe(first);
  });
});

describe('the two secrets of a rotation', () => {
  /** Stops a change before its second write of a secret. */
  const beforeSecondWrite = (change: () => Promise<unknown>) =>
    stoppedAt({ at: 2, when: 'before', of: 'secret PutSecretValueCommand' }, change);

  it('a rotation writes the derivation key before its index key', async () => {
    const older = await olderName();
    await beforeSecondWrite(rotate);
    expect(await held()).toEqual([older]);
    expect(derivedFor()).toHaveLength(2);
    expect(derivedFor()).toContain(older);
  });

  it('a retirement removes the derivation key after its index key', async () => {
    await rotate();
    const both = await held();
    await untilSettled();
    await beforeSecondWrite(retire);
    expect(await held()).toHaveLength(1);
    expect(derivedFor()).toEqual(both);
  });

  it('a rotation right after the index key was retired keeps its derivation key', async () => {
    await rotate();
    await untilSettled();
    const older = await olderName();
    const rotates = meanwhile('secret PutSecretValueCommand', rotate, { when: 'after' });
    await intercepted(rotates, retire);
    expect(derivedFor()).toEqual(await held());
    expect(derivedFor()).toHaveLength(2);
    expect(derivedFor()).not.toContain(older);
  });
});

describe('an index key without a derivation key', () => {
  beforeEach(() => scene.loseDerivationKeys());

  it('createKey with a token makes no API key while the derivation key is missing, and keys init writes it', async () => {
    const made = (await listKeys(scene.partner().partnerId)).length;
    await expect(keyOf('too early')).rejects.toMatchObject({ code: 'servico_indisponivel' });
    expect(await listKeys(scene.partner().partnerId)).toHaveLength(made);
    expect(await keys.complete()).toBe(false);
    const serviceKeys = () => scene.peers.secrets.current(String(process.env['KEYS_SECRET']));
    const before = serviceKeys();
    await keys.init();
    expect(serviceKeys()).toBe(before);
    expect(await keys.complete()).toBe(true);
    const text = await keyOf('too early');
    expect(parseApiKey(text)).toBeDefined();
    expect(await keyOf('too early')).toBe(text);
  });

  it('createKey without a token works while the derivation key is missing', async () => {
    const { partnerId, unitId } = scene.partner();
    const { text } = await createKey({ partnerId, unitId, environment: 'sandbox' }, Date.now());
    expect(parseApiKey(text)).toBeDefined();
  });

  it('a rotation of the index key writes the derivation keys of both index keys', async () => {
    await rotate();
    expect(derivedFor()).toEqual(await held());
  });
});
