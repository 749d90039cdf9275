import { beforeEach, describe, expect, it } from 'vitest';
import { cpfFrom } from '#shared/domain/values/cpf.ts';
import { getRow, putRow, transactNamed } from '#shared/table/rows/client.ts';
import { cpfRow } from '#shared/table/rows/cpf-row.ts';
import { getIndexed, getRowAndIndexed, type IndexedRow, putIndexed } from '#shared/table/rows/indexed-rows.ts';
import { usePeers } from '../makers/peers.ts';

import { setServiceKeys, withIndexKey } from '../makers/service-keys.ts';
import { newTenancy } from '../makers/tenancy.ts';

const peers = usePeers();
const ABSENT = { ConditionExpression: 'attribute_not_exists(pk)' };
const NOW = 1_800_000_000_000;
/** A moment that no test reaches. */
const NEVER = 9_000_000_000_000;
const OVER = NOW / 1000 - 1;

let row: IndexedRow;
let elsewhere: IndexedRow['here'];

/** Addresses the row of a CPF while two index keys are held and the newer is in force. */
beforeEach(async () => {
  setServiceKeys(peers.secrets, { index: 'rotated' });
  row = await cpfRow(newTenancy(), cpfFrom('900000001'));
  elsewhere = row.oldestFirst[0]!;
});

/** A row of another kind, written in the same transaction. */
const other = () => ({ Put: { Item: { ...row.here.key, sk: 'OTHER' }, ...ABSENT } });

describe('putIndexed', () => {
  it('putIndexed writes a row only under the newer index key', async () => {
    const parts = { other: other(), indexed: putIndexed(row, { leadId: 7 }, ABSENT) };
    expect(await transactNamed(parts)).toBe('written');
    expect(await getRow(row.here.key)).toMatchObject({ leadId: 7, indexedBy: row.here.indexedBy });
    expect(await getRow(elsewhere.key)).toBeUndefined();
  });

  it('putIndexed is refused if the older index key has the row, and shows that row', async () => {
    await putRow({ Item: { ...elsewhere.key, leadId: 9 } });
    const outcome = await transactNamed({ indexed: putIndexed(row, { leadId: 7 }, ABSENT), other: other() });
    expect(outcome).toEqual({ indexed: { row: expect.objectContaining({ leadId: 9 }) } });
    expect(await getRow(row.here.key)).toBeUndefined();
  });

  it('putIndexed shows the row of the newer index key if both keys have the row', async () => {
    await putRow({ Item: { ...row.here.key, leadId: 8 } });
    await putRow({ Item: { ...elsewhere.key, leadId: 9 } });
    const outcome = await transactNamed({ indexed: putIndexed(row, { leadId: 7 }, ABSENT) });
    expect(outcome).toEqual({ indexed: { row: expect.objectContaining({ leadId: 8 }) } });
  });

  it('putIndexed makes no check while one index key is held', async () => {
    setServiceKeys(peers.secrets);
    const only = await cpfRow(newTenancy(), cpfFrom('900000001'));
    expect(putIndexed(only, { leadId: 7 }, ABSENT)).toHaveLength(1);
    expect(only.oldestFirst).toEqual([only.here]);
  });
});

describe('while three index keys are held', () => {
  beforeEach(async () => {
    const keys = withIndexKey(setServiceKeys(peers.secrets, { index: 'rotated' }), NEVER);
    setServiceKeys(peers.secrets, { keys });
    row = await cpfRow(newTenancy(), cpfFrom('900000001'));
  });

  it('a row is written under the newest index key that has taken over', () => {
    expect(row.oldestFirst).toHaveLength(3);
    expect(row.here).toBe(row.oldestFirst[1]);
  });

  it.each([0, 2])('putIndexed is refused if the index key in place %i has the row', async (place) => {
    await putRow({ Item: { ...row.oldestFirst[place]!.key, leadId: 9 } });
    const outcome = await transactNamed({ indexed: putIndexed(row, { leadId: 7 }, ABSENT) });
    expect(outcome).toEqual({ indexed: { row: expect.objectContaining({ leadId: 9 }) } });
    expect(await getRow(row.here.key)).toBeUndefined();
  });

  it('getIndexed returns the row of the newest index key that has it', async () => {
    await putRow({ Item: { ...row.oldestFirst[0]!.key, leadId: 8 } });
    expect(await getIndexed(row)).toMatchObject({ leadId: 8 });
    await putRow({ Item: { ...row.oldestFirst[2]!.key, leadId: 9 } });
    expect(await getIndexed(row)).toMatchObject({ leadId: 9 });
  });
});

describe('getIndexed', () => {
  it('getIndexed returns the row of the older index key if the newer has none', async () => {
    await putRow({ Item: { ...elsewhere.key, leadId: 9 } });
    expect(await getIndexed(row)).toMatchObject({ leadId: 9 });
  });

  it('getIndexed returns the row of the newer index key if both keys have the row', async () => {
    await putRow({ Item: { ...row.here.key, leadId: 8 } });
    await putRow({ Item: { ...elsewhere.key, leadId: 9 } });
    expect(await getIndexed(row)).toMatchObject({ leadId: 8 });
  });
});

describe('getRowAndIndexed', () => {
  const beside = () => ({ ...row.here.key, sk: 'OTHER' });

  it('getRowAndIndexed returns the row of the older index key if the row of the newer has ended', async () => {
    await putRow({ Item: { ...row.here.key, leadId: 8, expiresAt: OVER } });
    await putRow({ Item: { ...elsewhere.key, leadId: 9 } });
    const [first, indexed] = await getRowAndIndexed(beside(), row, NOW);
    expect(first).toBeUndefined();
    expect(indexed).toMatchObject({ leadId: 9 });
  });

  it('getRowAndIndexed returns no indexed row that has ended', async () => {
    await putRow({ Item: { ...elsewhere.key, leadId: 9, expiresAt: OVER } });
    const [, indexed] = await getRowAndIndexed(beside(), row, NOW);
    expect(indexed).toBeUndefined();
  });
});
