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

const index = async () => (await administration('show-sealing-keys')).body.index;
const rotated = async () => {
  const { name } = await index();
  return (await administration('rotate-index-key', { body: { name, confirm: name, ...because } })).body;
};
const reindexed = async () => (await administration('reindex-rows', { body: because })).body;
const retired = async () => {
  const { name } = await index();
  return (await administration('retire-index-key', { body: { name, confirm: name, ...because } })).body;
};
const counted = async () => (await administration('count-older-rows')).body;

it('everyone is still found while the index key is rotated, CPFs are moved, and the older key is retired', async () => {
  for (const work of [reindexed, counted, retired]) expect((await work()).error).toContain('here is one index key');
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
  const { name: older } = await index();
  const { next } = (await rotated()).index;
  // By then, no container uses keys that it fetched before, and every run that began with them has ended.
  expect(Date.parse(next.takes_over_at)).toBeGreaterThanOrEqual(began + SECRET_KEPT_MS + LONGEST_RUN);
  forgetServiceKeys();
  const takesOver = Date.parse(next.takes_over_at);
  const current = async (moment: number) => (await indexKeys(moment)).current.name;
  expect(await current(takesOver - 1)).toBe(older);
  expect(await current(takesOver)).not.toMatch(older);
  expect((await rotated()).error).toContain('wo index keys are held already');
  until(next.takes_over_at);
  for (const work of [reindexed, retired]) expect((await work()).error).toContain('may still write under the older');

  const both = held();
  const sealing = { body: { current: 1, confirm: '1', ...because } };
  expect((await administration('rotate-sealing-key', sealing)).status).toBe(200);
  expect(held()).toMatchObject({ index: both.index, nextIndex: both.nextIndex });
  expect((await administration('create-key', wish)).body.key_id).toBe(created.key_id);

  until(next.settled_at);
  expect((await retired()).error).toContain('4 CPFs are found by the older index key');
  // The row that an erasure leaves of a person.
  await overwriteRow({ ...leadKey(tenancy(), gone as LeadId), id: gone, erasingSince: 1, erasedAt: 2 });
  expect(await married()).toEqual([one]);
  expect(await reindexed()).toMatchObject({ moved: 3, removed: 1, next_cursor: null });
  const { cpfs, records, records_until } = await counted();
  expect(cpfs).toBe(0);
  expect(records).toBe(2);
  expect(await married()).toEqual([one]);
  expect((await retired()).error).toContain(
    '2 Idempotency-Keys and ends of consents are remembered under the older index key',
  );
  until(new Date(Date.parse(records_until) + 1_000).toISOString());
  expect(await counted()).toMatchObject({ cpfs: 0, records: 0 });
  // There are more rows than the scan reads at once.
  for (let row = 0; row < 120; row++) await overwriteRow({ pk: `LATE#${row}`, sk: 'LATE' });
  expect(await retired()).toMatchObject({ retired: true });
  expect(held()).toMatchObject({ index: both.nextIndex.key, sealing: { current: 2 } });
  expect(held().nextIndex).toBeUndefined();
  forgetServiceKeys();
  expect(await married()).toEqual([one]);
  expect(await lead(1)).toBe(one);
  expect(await lead(2)).toBe(kept);
  expect(await lead(3)).not.toBe(gone);

  const { entries } = (await administration('list-audit', { query: { service: 'true' } })).body;
  const noted = entries.map(({ action, outcome }: Record<string, string>) => `${action} ${outcome}`);
  const operations: AdministrationOperation[] = ['rotate-index-key', 'reindex-rows', 'retire-index-key'];
  expect(noted).toEqual(expect.arrayContaining(operations.map((one) => `${one} done`)));
  expect(noted).toContain('retire-index-key failed');
});

it('rotate-index-key and retire-index-key refuse the name of a key that is not the older one', async () => {
  const other = { name: 'abcdefgh', confirm: 'abcdefgh', ...because };
  const before = held();
  const audited = async () => (await rowsOf('AUDIT#')).length;
  expect(await audited()).toBe(0);
  const rotation = (await administration('rotate-index-key', { body: other })).body;
  expect(rotation.code).toBe('changed_meanwhile');
  expect(held()).toEqual(before);
  // A refusal before the change begins leaves no row in the audit.
  expect(await audited()).toBe(0);

  const { next } = (await rotated()).index;
  until(next.settled_at);
  const both = held();
  const rows = await audited();
  for (const name of ['abcdefgh', next.name]) {
    const retirement = await administration('retire-index-key', { body: { name, confirm: name, ...because } });
    expect(retirement.status).toBe(409);
    expect(retirement.body.code).toBe('changed_meanwhile');
    expect(held()).toEqual(both);
    expect(await audited()).toBe(rows);
  }
});

it('retire-index-key refuses while a CPF cannot be moved, and reindex-rows names its row', async () => {
  const broken = await lead(11);
  await lead(12);
  until((await rotated()).index.next.settled_at);
  await damageSealed(leadKey(tenancy(), broken as LeadId));
  const [row] = (await rowsOf('CPF#')).filter(({ leadId }) => leadId === broken);
  expect((await reindexed()).broken).toEqual([expect.stringContaining(String(row!['pk']))]);
  expect((await retired()).error).toContain('are found by the older index key');
});

it.each(['current', 'other'] as const)(
  'reindex-rows moves no CPF over the %s row that another lead takes meanwhile',
  async (place) => {
    await lead(21);
    until((await rotated()).index.next.settled_at);
    const { here, elsewhere } = await cpfRow(tenancy(), cpfFrom(21).replace(/\D/g, '') as Cpf);
    const taken = place === 'current' ? here : elsewhere!;
    const row = { ...taken.key, indexedBy: taken.indexedBy, leadId: 999, v: 1 };
    const takes = meanwhile('table TransactWriteItemsCommand', () => overwriteRow(row));
    await intercepted(takes, reindexed);
    expect(takes.calls).toBeGreaterThan(0);
    expect(await getRow(taken.key)).toEqual(expect.objectContaining(row));
  },
);

it('leadByCpf finds a person whose row moves between the reads under both index keys', async () => {
  const id = await lead(31);
  until((await rotated()).index.next.settled_at);
  const moves = meanwhile('table GetItemCommand', reindexed);
  const found = intercepted(moves, () => leadByCpf(tenancy(), cpfFrom(31).replace(/\D/g, '') as Cpf));
  expect(await found).toBe(id);
  expect(moves.calls).toBe(2);
});
