import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { AdministrationOperation } from '#shared/administration/operations.ts';
import type { Cpf } from '#shared/domain/values/cpf.ts';
import type { LeadId } from '#shared/domain/values/ids.ts';
import { SECRET_KEPT_MS } from '#shared/runtime/secret.ts';
import { spouseByCpf } from '#shared/table/analyses/spouses.ts';
import { getRow } from '#shared/table/rows/client.ts';
import { cpfRow, leadByCpf } from '#shared/table/rows/cpf-row.ts';
import { forgetServiceKeys } from '#shared/table/rows/encryption.ts';
import { indexKeys } from '#shared/table/rows/index-keys.ts';
import { leadKey } from '#shared/table/rows/keys.ts';
import { administration, because } from '#test/makers/administration.ts';
import { api } from '#test/makers/api.ts';
import { intercepted, interceptTable, meanwhile } from '#test/makers/intercepted.ts';
import { type MadePartner, makePartner, usePeers } from '#test/makers/peers.ts';
import { analysisBody, cpfFrom, leadBody } from '#test/makers/people.ts';
import { clearTable, damageSealed, rowsOf } from '#test/makers/rows.ts';
import { newKeys, setServiceKeys } from '#test/makers/service-keys.ts';
import { holdClock, passTime, releaseClock } from '#test/makers/test-clock.ts';
import { overwriteRow } from '#test/makers/walk.ts';

const HOUR = 3_600_000;
/** Longest time for which a run may use the keys with which it began. */
const LONGEST_RUN = 60_000;

const peers = usePeers();
let partner: MadePartner;
beforeAll(holdClock);
beforeAll(interceptTable);
afterAll(releaseClock);
beforeEach(async () => {
  // Rows of another test are under keys that this test does not have.
  await clearTable();
  setServiceKeys(peers.secrets, { keys: newKeys() });
  partner = await makePartner();
});

const lead = async (number: number, headers = {}) =>
  Number(
    (await api('createLead', { key: partner.keys.sandbox, body: leadBody({ cpf: cpfFrom(number) }), headers })).body
      .lead_id,
  );
const held = () => JSON.parse(peers.secrets.current(process.env['KEYS_SECRET']!));
const tenancy = () => ({ unitId: partner.unitId, environment: 'sandbox' as const });
/** Lets time pass until a moment. By then the containers of this process have fetched the keys again. */
const until = (moment: string) => {
  passTime(Math.max(0, Date.parse(moment) - Date.now()));
  forgetServiceKeys();
};

const shown = async () => (await administration('show-service-keys')).body;
const changed = async () => {
  const { current } = await shown();
  return (await administration('change-service-keys', { body: { current, confirm: String(current), ...because } }))
    .body;
};
const rewritten = async () => (await administration('rewrite-rows', { body: because })).body;
const retired = async () => {
  const { current } = await shown();
  return (await administration('retire-service-keys', { body: { current, confirm: String(current), ...because } }))
    .body;
};
const counted = async () => (await administration('count-rows')).body.indexed;

it('everyone is still found while the keys are changed, rows are rewritten, and the old keys are retired', async () => {
  expect((await retired()).error).toContain('There is no old key');
  const [one, kept, gone] = [await lead(1), await lead(2, { 'idempotency-key': 'kept' }), await lead(3)];
  const spouse = cpfFrom(9) as Cpf;
  const fields = { conjuge_nome: 'Caio Prado', conjuge_cpf: spouse, conjuge_data_nascimento: '1986-02-03' };
  const couple = analysisBody(one, { cpf: cpfFrom(1), estado_civil: 'casado', ...fields });
  await api('submitAnalyses', { key: partner.keys.sandbox, body: couple, headers: { 'idempotency-key': 'couple' } });
  const married = async () => (await spouseByCpf(tenancy(), spouse, Date.now())).map(({ leadId }) => leadId);
  const { partnerId: partner_id, unitId: unit_id } = partner;
  const wish = {
    body: { partner_id, unit_id, environment: 'sandbox', token: '6f1e0b52-7c1d-4e0a-9d5b-3a9f2c8e4b17', ...because },
  };
  const { body: created } = await administration('create-key', wish);

  const began = Date.now();
  const [older] = (await shown()).index;
  const { index, settled_at } = await changed();
  const newer = index[1];
  // By then, no container uses keys that it fetched before, and every run that began with them has ended.
  expect(Date.parse(newer.takes_over_at)).toBeGreaterThanOrEqual(began + SECRET_KEPT_MS + LONGEST_RUN);
  forgetServiceKeys();
  const takesOver = Date.parse(newer.takes_over_at);
  const current = async (moment: number) => (await indexKeys(moment)).current.name;
  expect(await current(takesOver - 1)).toBe(older.name);
  expect(await current(takesOver)).toBe(newer.name);
  until(newer.takes_over_at);
  expect((await retired()).error).toContain('may still write with old keys');
  expect(await rewritten()).toMatchObject({ moved: 0, removed: 0 });
  expect((await administration('create-key', wish)).body).toEqual(created);

  until(settled_at);
  expect((await counted())[0]).toMatchObject({ name: older.name, cpfs: 4 });
  // The row that an erasure leaves of a person.
  await overwriteRow({ ...leadKey(tenancy(), gone as LeadId), id: gone, erasingSince: 1, erasedAt: 2 });
  expect(await married()).toEqual([one]);
  expect(await rewritten()).toMatchObject({ moved: 3, removed: 1, broken_count: 0, next_cursor: null });
  const under = async (name: string) => (await counted()).find((rows: { name: string }) => rows.name === name);
  const { cpfs, records, records_until } = await under(older.name);
  expect(cpfs).toBe(0);
  expect(records).toBe(2);
  expect(await married()).toEqual([one]);
  // The sealing key goes at once, and the index key stays for the rows that cannot be moved.
  const both = held();
  expect(await retired()).toMatchObject({
    retired: [1],
    retired_index: [],
    sealed: [],
    indexed: [{ name: older.name, cpfs: 0, records: 2, records_until }],
  });
  expect(held()).toEqual({ sealing: { current: 2, keys: { 2: both.sealing.keys[2] } }, index: both.index });
  expect((await administration('create-key', wish)).body).toEqual(created);
  // The record of the lead's own key has ended by then.
  until(new Date(Date.now() + 13 * HOUR).toISOString());
  expect((await retired()).error).toContain(
    `1 Idempotency-Keys and ends of consents are remembered under index key ${older.name}, the last until`,
  );
  until(new Date(Date.parse(records_until) + 1_000).toISOString());
  expect(await under(older.name)).toBeUndefined();
  // There are more rows than the scan reads at once.
  for (let row = 0; row < 120; row++) await overwriteRow({ pk: `LATE#${row}`, sk: 'LATE' });
  expect(await retired()).toMatchObject({ retired: [], retired_index: [older.name], kept_until: null });
  expect(held().index).toEqual([both.index[1]]);
  expect((await administration('create-key', wish)).body).toEqual(created);
  forgetServiceKeys();
  expect(await married()).toEqual([one]);
  expect(await lead(1)).toBe(one);
  expect(await lead(2)).toBe(kept);
  expect(await lead(3)).not.toBe(gone);

  const { entries } = (await administration('list-audit', { query: { service: 'true' } })).body;
  const noted = entries.map(({ action, outcome }: Record<string, string>) => `${action} ${outcome}`);
  const operations: AdministrationOperation[] = ['change-service-keys', 'rewrite-rows', 'retire-service-keys'];
  expect(noted).toEqual(expect.arrayContaining(operations.map((one) => `${one} done`)));
  expect(noted).toContain('retire-service-keys failed');
});

it('a second change finds everyone while an index key of the first is still needed', async () => {
  const [one, kept] = [await lead(41), await lead(42, { 'idempotency-key': 'kept' })];
  until((await changed()).settled_at);
  await rewritten();
  await retired();
  const { index_changed, settled_at } = await changed();
  expect(index_changed).toBe(true);
  forgetServiceKeys();
  const two = await lead(43, { 'idempotency-key': 'kept too' });
  for (const moment of [new Date().toISOString(), settled_at]) {
    until(moment);
    expect(await lead(41)).toBe(one);
    expect(await lead(42, { 'idempotency-key': 'kept' })).toBe(kept);
    expect(await lead(43, { 'idempotency-key': 'kept too' })).toBe(two);
  }
  expect(await rewritten()).toMatchObject({ moved: 3, broken_count: 0 });
  // A day later the first Idempotency-Key has ended, and the second has not.
  const [first, second, newest] = (await shown()).index;
  expect(await retired()).toMatchObject({
    retired: [2],
    retired_index: [first.name],
    indexed: [{ name: second.name, cpfs: 0, records: 1 }],
  });
  expect((await shown()).index).toEqual([second, newest]);
  for (const [number, id] of [
    [41, one],
    [42, kept],
    [43, two],
  ] as const)
    expect(await lead(number)).toBe(id);
});

it('change-service-keys and retire-service-keys refuse a version that is not the current one', async () => {
  const other = { current: 7, confirm: '7', ...because };
  const before = held();
  for (const operation of ['change-service-keys', 'retire-service-keys'] as const)
    expect((await administration(operation, { body: other })).body.code).toBe('changed_meanwhile');
  expect(held()).toEqual(before);
  // A refusal before the change begins leaves no row in the audit.
  expect(await rowsOf('AUDIT#')).toHaveLength(0);
});

it('retire-service-keys keeps an index key whose CPF cannot be moved, and rewrite-rows names its row', async () => {
  const broken = await lead(11);
  await lead(12);
  until((await changed()).settled_at);
  await damageSealed(leadKey(tenancy(), broken as LeadId));
  const [row] = (await rowsOf('CPF#')).filter(({ leadId }) => leadId === broken);
  expect((await rewritten()).broken).toContain(`${row!['pk']} ${row!['sk']}`);
  const { retired_index, indexed } = await retired();
  expect(retired_index).toEqual([]);
  expect(indexed).toMatchObject([{ cpfs: 1 }]);
});

it.each(['current', 'other'] as const)(
  'rewrite-rows moves no CPF over the %s row that another lead takes meanwhile',
  async (place) => {
    await lead(21);
    until((await changed()).settled_at);
    const { here, oldestFirst } = await cpfRow(tenancy(), cpfFrom(21).replace(/\D/g, '') as Cpf);
    const taken = place === 'current' ? here : oldestFirst[0]!;
    const row = { ...taken.key, indexedBy: taken.indexedBy, leadId: 999, v: 1 };
    const takes = meanwhile('table TransactWriteItemsCommand', () => overwriteRow(row));
    await intercepted(takes, rewritten);
    expect(takes.calls).toBeGreaterThan(0);
    expect(await getRow(taken.key)).toEqual(expect.objectContaining(row));
  },
);

it('leadByCpf finds a person whose row moves between the reads under both index keys', async () => {
  const id = await lead(31);
  until((await changed()).settled_at);
  const moves = meanwhile('table GetItemCommand', rewritten);
  const found = intercepted(moves, () => leadByCpf(tenancy(), cpfFrom(31).replace(/\D/g, '') as Cpf));
  expect(await found).toBe(id);
  expect(moves.calls).toBe(2);
});
