import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { decrypt, encrypt, forgetServiceKeys, reencrypt } from '#shared/table/rows/encryption.ts';
import type { RowKey } from '#shared/table/rows/keys.ts';
import { api } from '../makers/api.ts';
import { makePartner, usePeers } from '../makers/peers.ts';
import { leadBody } from '../makers/people.ts';

const peers = usePeers();

const keysSecret = () => peers.blueprint.secrets.find(({ name }) => name.endsWith('/keys'))!.name;
const putKeys = (text: string) => peers.secrets.put({ SecretId: keysSecret(), SecretString: text });

describe('a sealed blob', () => {
  const row: RowKey = { pk: 'LEAD#1#sandbox#2', sk: 'LEAD' };
  const schema = z.object({ name: z.string() });

  it('a sealed blob opens in its own row and in no other row', async () => {
    const blob = await encrypt(row, { name: 'Ana' });
    expect(await decrypt(row, blob, schema)).toEqual({ name: 'Ana' });
    for (const other of [
      { ...row, pk: 'LEAD#1#producao#2' },
      { ...row, pk: 'LEAD#1#sandbox#3' },
      { ...row, sk: 'LEAD2' },
    ]) {
      await expect(decrypt(other, blob, schema)).rejects.toThrow();
    }
  });

  it('a sealed blob opens only in its own table', async () => {
    const blob = await encrypt(row, { name: 'Ana' });
    const table = process.env['TABLE_NAME'];
    process.env['TABLE_NAME'] = 'another';
    await expect(decrypt(row, blob, schema)).rejects.toThrow();
    process.env['TABLE_NAME'] = table;
  });

  const long = { name: 'Ana Beatriz '.repeat(400) };

  it('a sealed blob of long, repetitive content is small, and opens to the whole content', async () => {
    const blob = await encrypt(row, long);
    expect(blob.length).toBeLessThan(400);
    expect(await decrypt(row, blob, schema)).toEqual(long);
    expect(await decrypt(row, await reencrypt(row, blob), schema)).toEqual(long);
    await expect(decrypt({ ...row, sk: 'LEAD2' }, blob, schema)).rejects.toThrow();
  });

  it('a sealed blob does not open as another format than its own', async () => {
    for (const value of [{ name: 'Ana' }, long]) {
      const blob = Uint8Array.from(await encrypt(row, value));
      blob[0]! ^= 3;
      await expect(decrypt(row, blob, schema)).rejects.toThrow('authenticate');
    }
  });

  it.each([{ name: 'Ana' }, long])('a sealed blob with a flipped bit does not open', async (value) => {
    const blob = await encrypt(row, value);
    for (let at = 0; at < blob.length; at++) {
      const broken = Uint8Array.from(blob);
      broken[at]! ^= 1;
      await expect(decrypt(row, broken, schema)).rejects.toThrow();
    }
  });

  it('sealing the same content twice makes two different blobs', async () => {
    const [a, b] = await Promise.all([encrypt(row, { name: 'Ana' }), encrypt(row, { name: 'Ana' })]);
    expect(Buffer.from(a).equals(Buffer.from(b))).toBe(false);
  });

  it('a sealed blob opens by an old version of the key after a rotation, and not once that version is gone', async () => {
    const before = peers.secrets.current(keysSecret());
    const blob = await encrypt(row, { name: 'Ana' });
    const keys = JSON.parse(before);
    const second = { 2: Buffer.alloc(32, 7).toString('base64') };
    // The third key is distributed, and is not the current one yet.
    const third = { 3: Buffer.alloc(32, 8).toString('base64') };
    putKeys(JSON.stringify({ ...keys, sealing: { current: 2, keys: { ...keys.sealing.keys, ...second, ...third } } }));
    forgetServiceKeys();
    expect(await decrypt(row, blob, schema)).toEqual({ name: 'Ana' });
    const newer = await encrypt(row, { name: 'Bia' });
    putKeys(JSON.stringify({ ...keys, sealing: { current: 2, keys: second } }));
    forgetServiceKeys();
    expect(await decrypt(row, newer, schema)).toEqual({ name: 'Bia' });
    await expect(decrypt(row, blob, schema)).rejects.toThrow('version 1');
    putKeys(before);
    forgetServiceKeys();
  });

  it('a sealed blob opens if another container has sealed it by a key that this one does not have yet', async () => {
    const before = peers.secrets.current(keysSecret());
    const keys = JSON.parse(before);
    const two = { ...keys.sealing.keys, 2: Buffer.alloc(32, 9).toString('base64') };
    const after = JSON.stringify({ ...keys, sealing: { current: 2, keys: two } });
    putKeys(after);
    forgetServiceKeys();
    const newer = await encrypt(row, { name: 'Ana' });
    putKeys(before);
    forgetServiceKeys();
    await encrypt(row, { name: 'this process holds version 1 alone by now' });
    putKeys(after);
    expect(await decrypt(row, newer, schema)).toEqual({ name: 'Ana' });
    putKeys(before);
    forgetServiceKeys();
    await expect(decrypt(row, newer, schema)).rejects.toThrow('version 2');
  });

  it.each([
    '',
    '{}',
    '{"sealing":{"current":1,"keys":{}},"index":[{"key":"","from":0}]}',
    '{"sealing":{"current":1,"keys":{"1":"c2hvcnQ="}},"index":[{"key":"c2hvcnQ=","from":0}]}',
  ])('POST /v1/leads answers 503 while the service keys are %j', async (text) => {
    const before = peers.secrets.current(keysSecret());
    const partner = await makePartner();
    putKeys(text);
    forgetServiceKeys();
    const call = () => api('createLead', { key: partner.keys.sandbox, body: leadBody({ cpf: '900.000.009-22' }) });
    const { status, body, headers } = await call();
    expect(status).toBe(503);
    expect(body.codigo).toBe('servico_indisponivel');
    expect(headers['retry-after']).toBe('2');
    putKeys(before);
    forgetServiceKeys();
    expect((await call()).status).toBe(201);
  });
});
