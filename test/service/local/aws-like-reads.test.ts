import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  DeleteCommand,
  type DynamoDBDocumentClient,
  PutCommand,
  QueryCommand,
  type QueryCommandInput,
  TransactWriteCommand,
} from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AwsLike } from '../../../infra/local/aws/aws-like.ts';
import { AGES, AwsLikeTable, CALM, newRow } from '../../makers/aws-like-table.ts';

let open: AwsLikeTable;
let wire: AwsLike;
let table: DynamoDBDocumentClient;
let TableName: string;
beforeAll(async () => {
  open = await AwsLikeTable.open();
  ({ wire, client: table, name: TableName } = open);
});
afterAll(() => open.peers.close());
beforeEach(() => wire.set(CALM));

describe('an index', () => {
  const page = async (more: Partial<QueryCommandInput> = {}, listPk = 'LIST') => {
    const query = new QueryCommand({
      TableName,
      IndexName: 'byList',
      KeyConditionExpression: 'listPk = :pk',
      ...more,
      ExpressionAttributeValues: { ':pk': listPk, ...more.ExpressionAttributeValues },
    });
    const { Items = [], LastEvaluatedKey, Count } = await table.send(query);
    expect(Count).toBe(Items.length);
    return { ids: Items.map(({ id }) => id as number), items: Items, next: LastEvaluatedKey };
  };
  const listed = (listPk: string, id: number, more: Record<string, unknown> = {}) => ({
    ...newRow(),
    listPk,
    listSk: String(id).padStart(4, '0'),
    id,
    ...more,
  });

  it('shows a row as it was until the lag is over: not yet there, still there, still unchanged', async () => {
    const [gone, changed] = [listed('A', 1), listed('A', 2, { situation: 'em_analise', hidden: 'not projected' })];
    await open.put(gone);
    await open.put(changed);
    const before = await page({}, 'A');
    expect(before.ids).toEqual([1, 2]);
    wire.set({ indexLag: AGES });
    await open.put(listed('A', 3));
    await open.put({ ...changed, situation: 'aprovado' });
    await table.send(new DeleteCommand({ TableName, Key: { pk: gone.pk, sk: gone.sk } }));
    expect((await page({}, 'A')).items).toEqual(before.items);
    expect(await open.get({ pk: changed.pk, sk: changed.sk })).toMatchObject({ situation: 'aprovado' });
  });

  it('keeps ranges, order, limits and pages in the past', async () => {
    const all = [1, 2, 3, 4, 5, 6].map((id) => listed('C', id));
    for (const row of all) await open.put(row);
    wire.set({ indexLag: AGES });
    for (const { pk, sk } of [all[0]!, all[3]!]) await table.send(new DeleteCommand({ TableName, Key: { pk, sk } }));
    // Moves from one place of the list to another.
    await open.put({ ...all[1]!, listSk: '0009' });
    await open.put(listed('C', 7));

    expect((await page({}, 'C')).ids).toEqual([1, 2, 3, 4, 5, 6]);
    expect((await page({ ScanIndexForward: false }, 'C')).ids).toEqual([6, 5, 4, 3, 2, 1]);
    const range = { ':from': '0002', ':to': '0004' };
    const where = (condition: string, values: Record<string, string>) =>
      page({ KeyConditionExpression: `listPk = :pk AND ${condition}`, ExpressionAttributeValues: values }, 'C');
    expect((await where('listSk BETWEEN :from AND :to', range)).ids).toEqual([2, 3, 4]);
    expect((await where('listSk < :to', { ':to': '0004' })).ids).toEqual([1, 2, 3]);
    expect((await where('listSk >= :from', { ':from': '0004' })).ids).toEqual([4, 5, 6]);
    expect((await where('begins_with(listSk, :from)', { ':from': '0001' })).ids).toEqual([1]);
    for (const backwards of [false, true]) {
      const ids: number[] = [];
      let from: Record<string, unknown> | undefined;
      do {
        const one = await page({ Limit: 2, ExclusiveStartKey: from, ScanIndexForward: !backwards }, 'C');
        expect(one.ids.length).toBeLessThanOrEqual(2);
        ids.push(...one.ids);
        from = one.next;
      } while (from);
      expect(backwards ? ids.reverse() : ids).toEqual([1, 2, 3, 4, 5, 6]);
    }
  });

  it('takes the writes of a transaction late too, and none that was refused', async () => {
    wire.set({ indexLag: AGES });
    const row = listed('D', 1);
    await table.send(new TransactWriteCommand({ TransactItems: [{ Put: { TableName, Item: row } }] }));
    expect((await page({}, 'D')).ids).toEqual([]);
    wire.set(CALM);
    const kept = listed('E', 1);
    await open.put(kept);
    wire.set({ indexLag: AGES });
    const refused = new PutCommand({
      TableName,
      Item: { ...kept, id: 2 },
      ConditionExpression: 'attribute_not_exists(pk)',
    });
    await expect(table.send(refused)).rejects.toThrow(ConditionalCheckFailedException);
    expect((await page({}, 'E')).ids).toEqual([1]);
  });
});

describe('a read without ConsistentRead', () => {
  it('shows the past, and one with it the present', async () => {
    const [row, other] = [newRow(), newRow()];
    await open.put({ ...row, n: 1 });
    wire.set({ readLag: AGES });
    await open.addOne(row);
    await open.put(other);
    const query = async (ConsistentRead: boolean) => {
      const KeyConditionExpression = 'pk = :pk';
      const ExpressionAttributeValues = { ':pk': row.pk };
      const input = { TableName, KeyConditionExpression, ExpressionAttributeValues, ConsistentRead };
      return (await table.send(new QueryCommand(input))).Items;
    };
    const batch = async (ConsistentRead: boolean) => {
      const RequestItems = { [TableName]: { Keys: [row, other], ConsistentRead } };
      return (await table.send(new BatchGetCommand({ RequestItems }))).Responses?.[TableName];
    };
    const [was, is] = [
      { ...row, n: 1 },
      { ...row, n: 2 },
    ];
    expect([await open.get(row, false), await open.get(other, false), await query(false), await batch(false)]).toEqual([
      was,
      undefined,
      [was],
      [was],
    ]);
    expect([await open.get(row), await open.get(other), await query(true)]).toEqual([is, other, [is]]);
    expect(await batch(true)).toEqual(expect.arrayContaining([is, other]));
  });

  it('of a row that many write at once never goes back behind what it must show', async () => {
    const row = newRow();
    wire.set({ readLag: AGES });
    await Promise.all(Array.from({ length: 20 }, () => open.addOne(row)));
    expect(await open.get(row, false)).toBeUndefined();
    wire.set({ readLag: [0, 0] });
    expect((await open.get(row, false))?.['n']).toBe(20);
  });
});
