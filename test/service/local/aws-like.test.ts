import { TransactionCanceledException, TransactionConflictException } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  QueryCommand,
  TransactGetCommand,
  TransactWriteCommand,
} from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AwsLike } from '../../../infra/local/aws/aws-like.ts';
import { AGES, AwsLikeTable, CALM, type Key, newRow, tableClientOf } from '../../makers/aws-like-table.ts';
import { startPeers } from '../../makers/peers.ts';

let open: AwsLikeTable;
let wire: AwsLike;
let table: DynamoDBDocumentClient;
let TableName: string;
/** What the wire says of each call. */
const outcomes: string[] = [];
beforeAll(async () => {
  open = await AwsLikeTable.open(({ outcome }) => outcomes.push(outcome));
  ({ wire, client: table, name: TableName } = open);
});
afterAll(() => open.peers.close());
beforeEach(() => wire.set(CALM));

const transaction = (...keys: Key[]) =>
  new TransactWriteCommand({
    TransactItems: keys.map((Key) => ({
      Update: { TableName, Key, UpdateExpression: 'ADD n :one', ExpressionAttributeValues: { ':one': 1 } },
    })),
  });
const checkOf = (Key: Key) => ({ ConditionCheck: { TableName, Key, ConditionExpression: 'attribute_exists(pk)' } });

const reasons = async (call: Promise<unknown>) => {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(TransactionCanceledException);
  return (error as TransactionCanceledException).CancellationReasons?.map(({ Code }) => Code);
};

describe('a transaction under way', () => {
  it('cancels another on one of its rows, with the reason in its place, until it is over', async () => {
    const [held, free, other] = [newRow(), newRow(), newRow()];
    const pause = wire.pause({ action: 'TransactWriteItems', touching: held.pk });
    const first = table.send(transaction(held, free));
    await pause.reached;

    expect(await reasons(table.send(transaction(other, held)))).toEqual(['None', 'TransactionConflict']);
    const checked = new TransactWriteCommand({
      TransactItems: [checkOf(held), ...transaction(other).input.TransactItems!],
    });
    expect(await reasons(table.send(checked))).toEqual(['TransactionConflict', 'None']);
    const read = new TransactGetCommand({ TransactItems: [other, held].map((Key) => ({ Get: { TableName, Key } })) });
    expect(await reasons(table.send(read))).toEqual(['None', 'TransactionConflict']);
    expect(await open.get(other)).toBeUndefined();

    pause.release();
    await first;
    await table.send(transaction(other, held));
    expect((await open.get(held))?.['n']).toBe(2);
  });

  it('refuses single writes of its rows, checked ones too, which the SDK does not repeat', async () => {
    const [held, checked, free] = [newRow(), newRow(), newRow()];
    await open.put({ ...checked, n: 0 });
    const pause = wire.pause({ action: 'TransactWriteItems', touching: held.pk });
    const first = table.send(
      new TransactWriteCommand({ TransactItems: [...transaction(held).input.TransactItems!, checkOf(checked)] }),
    );
    await pause.reached;
    const refused = () => wire.tally.get('conflict UpdateItem') ?? 0;
    const before = refused();

    await expect(open.addOne(held)).rejects.toThrow(TransactionConflictException);
    await expect(open.addOne(checked)).rejects.toThrow(TransactionConflictException);
    expect(refused()).toBe(before + 2);
    await expect(open.put(held)).rejects.toThrow(TransactionConflictException);
    await expect(table.send(new DeleteCommand({ TableName, Key: held }))).rejects.toThrow(TransactionConflictException);
    const batch = new BatchWriteCommand({
      RequestItems: { [TableName]: [held, free].map((Item) => ({ PutRequest: { Item } })) },
    });
    expect((await table.send(batch)).UnprocessedItems).toEqual({ [TableName]: [{ PutRequest: { Item: held } }] });

    expect(await open.get(held)).toBeUndefined();
    expect(await open.get(checked)).toMatchObject({ n: 0 });
    expect(await open.get(free)).toEqual(free);
    pause.release();
    await first;
    expect((await open.addOne(held)).Attributes?.['n']).toBe(2);
  });

  it('is confirmed to the SDK that repeats it, and done once', async () => {
    const row = newRow();
    const lost = wire.order({ fault: 'answer_lost', action: 'TransactWriteItems', touching: row.pk, times: 2 });
    const answer = await table.send(transaction(row));
    expect([lost.met, answer.$metadata.attempts]).toEqual([2, 3]);
    expect((await open.get(row))?.['n']).toBe(1);
  });
});

it('an answer that is lost makes the SDK repeat the write: an unconditional one happens twice', async () => {
  const row = newRow();
  const lost = wire.order({ fault: 'answer_lost', action: 'UpdateItem', touching: row.pk });
  const { Attributes, $metadata } = await open.addOne(row);
  expect([lost.met, $metadata.attempts, Attributes?.['n']]).toEqual([1, 2, 2]);
});

describe('an index', () => {
  const page = async () => {
    const query = new QueryCommand({
      TableName,
      IndexName: 'byList',
      KeyConditionExpression: 'listPk = :pk',
      ExpressionAttributeValues: { ':pk': 'A' },
    });
    return (await table.send(query)).Items;
  };
  const listed = (id: number, more = {}) => ({ ...newRow(), listPk: 'A', listSk: String(id), id, ...more });

  it('shows a row as it was until the lag is over: not yet there, still there, still unchanged', async () => {
    const [gone, changed] = [listed(1), listed(2, { situation: 'em_analise', hidden: 'not projected' })];
    await open.put(gone);
    await open.put(changed);
    const before = await page();
    expect(before).toHaveLength(2);
    wire.set({ indexLag: AGES });
    await open.put(listed(3));
    await open.put({ ...changed, situation: 'aprovado' });
    await table.send(new DeleteCommand({ TableName, Key: { pk: gone.pk, sk: gone.sk } }));
    expect(await page()).toEqual(before);
    expect(await open.get({ pk: changed.pk, sk: changed.sk })).toMatchObject({ situation: 'aprovado' });
  });
});

it('a read without ConsistentRead shows the past, and one with it the present', async () => {
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
  const part = new GetCommand({ TableName, Key: row, ProjectionExpression: 'n' });
  await expect(table.send(part)).rejects.toThrow('no past with a filter or a projection');
});

it('the settings repeat every choice with their seed', async () => {
  const drawn = async (seed: number) => {
    const rates = { answerLost: 0.2, requestLost: 0.2, hang: 0, throttled: 0.2, error: 0.2 };
    const settings = { ...CALM, seed, faults: { ...CALM.faults, dynamodb: rates } };
    const own = await startPeers(undefined, { awsLike: settings });
    try {
      const client = tableClientOf({ maxAttempts: 1 });
      const outcomes: string[] = [];
      for (let call = 0; call < 40; call++) {
        await open.addOne(newRow(), client).then(
          () => outcomes.push('done'),
          (error: Error) => outcomes.push(error.name),
        );
      }
      return outcomes;
    } finally {
      await own.close();
    }
  };
  const before = { ...process.env };
  try {
    const first = await drawn(7);
    expect(new Set(first).size).toBeGreaterThanOrEqual(4);
    expect(await drawn(7)).toEqual(first);
    expect(await drawn(8)).not.toEqual(first);
  } finally {
    Object.assign(process.env, before);
  }
});
