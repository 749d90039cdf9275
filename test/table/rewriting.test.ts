import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import type { Rewriting } from '#shared/domain/sealing/rotation.ts';
import type { LeadId } from '#shared/domain/values/ids.ts';
import { getRow, putRow, transact } from '#shared/table/rows/client.ts';
import { encrypt, forgetServiceKeys, keyVersionOf } from '#shared/table/rows/encryption.ts';
import { leadKey, type RowKey } from '#shared/table/rows/keys.ts';
import type { Pace } from '#shared/table/rows/table-scan.ts';
import { forgetRewriting, rewriteRows } from '#shared/table/sealing/rewriting.ts';
import { changeServiceKeys, heldKeys, newServiceKeys, retireServiceKeys } from '#shared/table/sealing/service-keys.ts';
import { api } from '../makers/api.ts';
import { intercepted, interceptTable, meanwhile } from '../makers/intercepted.ts';
import { type MadePartner, makePartner, usePeers } from '../makers/peers.ts';
import { leadBody } from '../makers/people.ts';
import { clearTable, writeRows } from '../makers/rows.ts';
import { holdClock, releaseClock } from '../makers/test-clock.ts';

const atOnce: Pace = { unitsPerSecond: 1_000_000, pause: async () => {} };

const peers = usePeers();
let secretName: string;
beforeAll(async () => {
  holdClock();
  interceptTable();
  secretName = process.env['KEYS_SECRET']!;
});
afterAll(releaseClock);
// Rows of another test are sealed by keys that this test does not have.
beforeEach(async () => {
  await clearTable();
  setKeys(newServiceKeys());
});

/** Gives the secret other keys, as if they had been there from the start. */
function setKeys(text: string): void {
  peers.secrets.put({ SecretId: secretName, SecretString: text });
  forgetServiceKeys();
}

/** A run that moves no CPF, for the keys as they are. */
const run = async () => ({ state: (await heldKeys()).state, moves: false });

async function rewriteAll(): Promise<Rewriting> {
  let last: Rewriting | undefined;
  for await (last of rewriteRows(await run(), atOnce));
  return last!;
}

async function change(): Promise<number> {
  await changeServiceKeys((await heldKeys()).current, Date.now());
  return (await heldKeys()).current;
}

const versionOf = async (key: RowKey) => keyVersionOf((await getRow(key))!['sealed'] as Uint8Array);

let made: { partner: MadePartner; leadId: LeadId };
let current: number;
beforeEach(async () => {
  const partner = await makePartner();
  const { body } = await api('createLead', { key: partner.keys.sandbox, body: leadBody() });
  made = { partner, leadId: body.lead_id };
  current = await change();
});
const keyOfLead = () => leadKey({ unitId: made.partner.unitId, environment: 'sandbox' }, made.leadId);

it('rewriteRows keeps a change that comes between its read and its write', async () => {
  // A function writes the same row by the old key: its container has not fetched the new one yet.
  const overtaking = meanwhile('table UpdateItemCommand', async () => {
    const text = peers.secrets.current(secretName);
    const keys = JSON.parse(text);
    setKeys(JSON.stringify({ ...keys, sealing: { ...keys.sealing, current: 1 } }));
    await api('updateLead', { key: made.partner.keys.sandbox, id: made.leadId, body: { observacao: 'depois' } });
    expect(await versionOf(keyOfLead())).toBe(1);
    setKeys(text);
  });
  const outcome = await intercepted(overtaking, () => rewriteAll());
  expect(overtaking.calls).toBeGreaterThan(0);
  expect(outcome.resealed).toBeGreaterThan(0);
  const { body } = await api('getLead', { key: made.partner.keys.sandbox, id: made.leadId });
  expect(body.lead.observacao).toBe('depois');
  expect(await versionOf(keyOfLead())).toBe(current);
});

it('rewriteRows opens restored rows of a retired key only if it may read the retired keys', async () => {
  await retireServiceKeys({ versions: [1], names: [] }, await heldKeys(), Date.now() + 86_400_000);
  vi.stubEnv('RETIRED_KEYS_SECRET', '');
  expect((await rewriteAll()).brokenCount).toBeGreaterThan(0);
  vi.unstubAllEnvs();
  expect(await rewriteAll()).toMatchObject({ brokenCount: 0 });
  expect(await versionOf(keyOfLead())).toBe(current);
  expect((await api('getLead', { key: made.partner.keys.sandbox, id: made.leadId })).status).toBe(200);
});

it('rewriteRows does not bring back a row that is deleted meanwhile', async () => {
  await intercepted(
    {
      async around(name, call) {
        if (name === 'table UpdateItemCommand') await transact([{ Delete: { Key: keyOfLead() } }]);
        return call();
      },
    },
    () => rewriteAll(),
  );
  expect(await getRow(keyOfLead())).toBeUndefined();
});

it('rewriteRows changes only the sealed part of a row', async () => {
  const before = (await getRow(keyOfLead()))!;
  await rewriteAll();
  const { sealed, ...rest } = (await getRow(keyOfLead()))!;
  const { sealed: old, ...restBefore } = before;
  expect(rest).toEqual(restBefore);
  expect(keyVersionOf(old as Uint8Array)).toBe(1);
  expect(keyVersionOf(sealed as Uint8Array)).toBe(current);
});

it('rewriteRows begins again if the keys were changed meanwhile, if it may move CPFs by now, or on request', async () => {
  const key = { pk: 'CURSOR#rewrite', sk: 'CURSOR' };
  const place = { after: keyOfLead(), seen: 5000, resealed: 5, moved: 0, removed: 0, broken: [], brokenCount: 0 };
  const [state, other] = [(await run()).state, 'another state'];
  const seenFrom = async (kept: object) => {
    await putRow({ Item: { ...key, ...place, ...kept } });
    return (await rewriteAll()).seen;
  };
  expect(await seenFrom({ state, moves: false })).toBeGreaterThanOrEqual(5000);
  expect(await seenFrom({ state: other, moves: false })).toBeLessThan(5000);
  expect(await versionOf(keyOfLead())).toBe(current);
  expect(await seenFrom({ state, moves: true })).toBeLessThan(5000);
  await putRow({ Item: { ...key, ...place, state, moves: false } });
  await forgetRewriting();
  expect((await rewriteAll()).seen).toBeLessThan(5000);
  expect(await getRow(key)).toBeUndefined();
});

it('rewriteRows names rows that do not open, and continues', async () => {
  const { sealed } = (await getRow(keyOfLead()))!;
  const broken = Uint8Array.from(sealed as Uint8Array);
  broken[40]! ^= 1;
  const other = leadKey({ unitId: made.partner.unitId, environment: 'sandbox' }, 7 as LeadId);
  await putRow({ Item: { ...other, sealed: broken } });
  expect((await rewriteAll()).broken).toEqual([`${other.pk} ${other.sk}`]);
  expect(await versionOf(keyOfLead())).toBe(current);
});

it('rewriteRows also counts and names rows that it met before it was cut off', async () => {
  const { sealed } = (await getRow(keyOfLead()))!;
  // A sealed part opens only in its own row.
  await writeRows(Array.from({ length: 150 }, (_, index) => ({ pk: `LEAD#${index}`, sk: 'LEAD', sealed })));
  for await (const { seen } of rewriteRows(await run(), atOnce)) {
    expect(seen).toBe(100);
    break;
  }
  const { brokenCount, broken } = await rewriteAll();
  expect(brokenCount).toBe(150);
  expect(new Set(broken).size).toBe(20);
});

it('rewriteRows waits after a page for as long as its pace demands', async () => {
  const pauses: number[] = [];
  const rows = Array.from({ length: 120 }, (_, index) => putRow({ Item: { pk: `LATE#${index}`, sk: 'LATE' } }));
  await Promise.all(rows);
  const pace: Pace = { unitsPerSecond: 10, pause: async (milliseconds) => void pauses.push(milliseconds) };
  for await (const _ of rewriteRows(await run(), pace));
  expect(pauses.length).toBeGreaterThan(0);
  // A page of 100 rows is read and its place is written. That takes at least two units, at ten a second.
  for (const pause of pauses) expect(pause).toBeGreaterThanOrEqual(200);
});

it('rewriteRows at a slow pace reads small pages, so that no pause is longer than a call may take', async () => {
  const keys = Array.from({ length: 110 }, (_, index) => ({ pk: `LATE#${index}`, sk: 'LATE' }));
  // Random, because the content is compressed before it is sealed.
  const content = { text: randomBytes(12_750).toString('base64') };
  await writeRows(await Promise.all(keys.map(async (key) => ({ ...key, sealed: await encrypt(key, content) }))));
  const newest = await change();
  const pauses: number[] = [];
  const pace: Pace = { unitsPerSecond: 40, pause: async (milliseconds) => void pauses.push(milliseconds) };
  for await (const _ of rewriteRows(await run(), pace));
  // 100 rows of 17 KB on a page would be more than 2,000 units, and 50 seconds. A call of the administration ends after
  // 28.
  expect(Math.max(...pauses)).toBeLessThan(5_000);
  for (const key of keys) expect(await versionOf(key)).toBe(newest);
});
