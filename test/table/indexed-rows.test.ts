import { beforeEach, describe, expect, it } from 'vitest';
import { cpfFrom } from '#shared/domain/values/cpf.ts';
import { getRow, putRow, transact } from '#shared/table/rows/client.ts';
import { cpfRow } from '#shared/table/rows/cpf-row.ts';
import {
  getIndexed,
  getRowAndIndexed,
  type IndexedRow,
  putIndexed,
  transactIndexed,
} from '#shared/table/rows/indexed-rows.ts';
import { usePeers } from '../makers/peers.ts';

import { setServiceKeys } from '../makers/service-keys.ts';
import { newTenancy } from '../makers/tenancy.ts';

const peers = usePeers();
const ABSENT = { ConditionExpression: 'attribute_not_exists(pk)' };
const NOW = 1_800_000_000_000;
const OVER = NOW / 1000 - 1;

let row: IndexedRow;
let elsewhere: NonNullable<IndexedRow['elsewhere']>;

/** Addresses the row of a CPF while two index keys are held and the newer is in force. */
beforeEach(async () => {
  setServiceKeys(peers.secrets, { index: 'rotated' });
  row = await cpfRow(newTenancy(), cpfFrom('900000001'));
  elsewhere = row.elsewhere!;
});

/** A row of another kind, written in the same transaction. */
const other = () => ({ Put: { Item: { ...row.here.key, sk: 'OTHER' }, ...ABSENT } });

describe('transactIndexed', () => {
  it('transactIndexed writes an indexed row only under the newer index key', async () => {
    expect(await transactIndexed([other(), putIndexed(row, { leadId: 7 }, ABSENT)])).toBe('written');
    expect(await getRow(row.here.key)).toMatchObject({ leadId: 7, indexedBy: row.here.indexedBy });
    expect(await getRow(elsewhere.key)).toBeUndefined();
  });

  it('transactIndexed refuses a put if the older index key has the row, and reports that row', async () => {
    await putRow({ Item: { ...elsewhere.key, leadId: 9 } });
    const outcome = await transactIndexed([putIndexed(row, { leadId: 7 }, ABSENT), other()]);
    expect(outcome).toHaveLength(2);
    expect(outcome[0]).toMatchObject({ failed: true, item: { leadId: 9 } });
    expect(outcome[1]).toMatchObject({ failed: false });
    expect(await getRow(row.here.key)).toBeUndefined();
  });

  it('transactIndexed reports the row of the newer index key if both keys have the row', async () => {
    await transact([
      { Put: { Item: { ...row.here.key, leadId: 8 } } },
      { Put: { Item: { ...elsewhere.key, leadId: 9 } } },
    ]);
    const outcome = await transactIndexed([putIndexed(row, { leadId: 7 }, ABSENT)]);
    expect(outcome[0]).toMatchObject({ failed: true, item: { leadId: 8 } });
  });

  it('putIndexed makes no check while one index key is held', async () => {
    setServiceKeys(peers.secrets);
    const only = await cpfRow(newTenancy(), cpfFrom('900000001'));
    expect(putIndexed(only, { leadId: 7 }, ABSENT).check).toBeUndefined();
    expect(only.oldestFirst).toEqual([only.here]);
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
