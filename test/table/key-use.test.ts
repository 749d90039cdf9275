import { beforeEach, expect, it, vi } from 'vitest';
import { newServiceKeys } from '#shared/table/sealing/service-keys.ts';
import { usePeers } from '../makers/peers.ts';
import { overwriteRow } from '../makers/walk.ts';

const peers = usePeers();
const ROW = { pk: 'LEAD#1#sandbox#1', sk: 'LEAD' };
const LIMIT = 2 ** 32;
let version = 0;

/** Returns the modules of a process that has just started. */
async function newProcess() {
  vi.resetModules();
  const { intercepted, interceptTable } = await import('../makers/intercepted.ts');
  interceptTable();
  const { sendMetricsTo } = await import('#shared/runtime/metrics.ts');
  const told: number[] = [];
  sendMetricsTo((line) => told.push(Number(JSON.parse(line)['SealingKeyUse'])));
  const { encrypt, decrypt, reencrypt, primeEncryption } = await import('#shared/table/rows/encryption.ts');
  const { useOf } = await import('#shared/table/rows/key-use.ts');
  const { reencryptRow } = await import('#shared/table/sealing/reencryption.ts');
  return {
    intercepted,
    encrypt,
    decrypt,
    reencrypt,
    reencryptRow,
    primeEncryption,
    told,
    counted: async () => (await useOf([version]))[0]!.encryptions,
  };
}

/** Makes a sealing key current that has sealed nothing yet. */
beforeEach(() => {
  version += 1;
  const keys = JSON.parse(newServiceKeys());
  const [key] = Object.values(keys.sealing.keys);
  const text = JSON.stringify({ ...keys, sealing: { current: version, keys: { [version]: key } } });
  peers.secrets.put({ SecretId: process.env['KEYS_SECRET']!, SecretString: text });
});

const usedBefore = (encryptions: number) =>
  overwriteRow({ pk: `ENCRYPTIONS#${version}`, sk: 'ENCRYPTIONS', encryptions });

it('the count of a sealing key is never too low, and at most 256 too high per process that seals one row at a time', async () => {
  let sealed = 0;
  for (const [processes, each] of [
    [1, 600],
    [3, 10],
  ] as const) {
    for (let number = 0; number < processes; number++) {
      const { encrypt, counted } = await newProcess();
      for (let time = 0; time < each; time++) await encrypt(ROW, {});
      sealed += each;
      expect(await counted()).toBeGreaterThanOrEqual(sealed);
    }
  }
  const { counted } = await newProcess();
  expect(await counted()).toBeLessThanOrEqual(sealed + 4 * 256);
});

it('the count of a sealing key is right if 20 encryptions run at the same time', async () => {
  const { encrypt, counted } = await newProcess();
  await Promise.all(Array.from({ length: 20 }, () => encrypt(ROW, {})));
  for (let time = 0; time < 20 * 256 - 20; time++) await encrypt(ROW, {});
  expect(await counted()).toBe(20 * 256);
  await encrypt(ROW, {});
  expect(await counted()).toBe(21 * 256);
});

it('the count of a sealing key includes each re-encryption', async () => {
  const { encrypt, reencrypt, counted } = await newProcess();
  const blob = await encrypt(ROW, {});
  for (let time = 0; time < 256; time++) await reencrypt(ROW, blob);
  expect(await counted()).toBe(512);
});

it('reencryptRow adds nothing to the count of the current key for a row that this key has sealed', async () => {
  const { encrypt, reencryptRow, counted } = await newProcess();
  const row = { ...ROW, sealed: await encrypt(ROW, {}) };
  for (let time = 0; time < 256; time++) expect(await reencryptRow(row, version)).toBe('unchanged');
  expect(await counted()).toBe(256);
});

it('primeEncryption adds nothing to the count of a sealing key', async () => {
  const { primeEncryption, counted } = await newProcess();
  await primeEncryption();
  expect(await counted()).toBe(0);
});

it('the count of a sealing key is emitted from one percent of the limit on, once for each block', async () => {
  const { encrypt, told } = await newProcess();
  await usedBefore(LIMIT / 100 - 512);
  for (let time = 0; time < 256; time++) await encrypt(ROW, {});
  expect(told).toEqual([]);
  await usedBefore(LIMIT / 4 - 256);
  for (let time = 0; time < 256; time++) await encrypt(ROW, {});
  expect(told).toEqual([25]);
});

it('encrypt seals nothing if the encryption cannot be counted', async () => {
  const { intercepted, encrypt, counted } = await newProcess();
  const away = intercepted(
    {
      async around(name, call) {
        if (name === 'table UpdateItemCommand') throw Object.assign(new Error(), { name: 'ThrottlingException' });
        return call();
      },
    },
    () => encrypt(ROW, {}),
  );
  await expect(away).rejects.toMatchObject({ code: 'servico_indisponivel' });
  await encrypt(ROW, {});
  expect(await counted()).toBe(256);
});
