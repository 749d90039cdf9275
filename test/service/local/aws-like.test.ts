import { DynamoDBClient, TransactionCanceledException, TransactionConflictException } from '@aws-sdk/client-dynamodb';
import * as lib from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { AwsLike } from '#infra/local/aws/aws-like.ts';
import { CALM, type Peers, startPeers } from '#test/makers/peers.ts';

/** Longer than any test, in milliseconds: a row with this delay is never seen. */
const AGES = [600_000, 600_000] as const;

type Key = Readonly<Record<'pk' | 'sk', string>>;
let rows = 0;
/** Returns the key of a row that no other test has. */
const newRow = (): Key => ({ pk: `ROW#${++rows}`, sk: 'ROW' });

/** Returns a client of the table with its own number of attempts. The usual client makes three. */
const clientOf = (maxAttempts: number) => lib.DynamoDBDocumentClient.from(new DynamoDBClient({ maxAttempts }));
let peers: Peers;
let wire: AwsLike;
let table: lib.DynamoDBDocumentClient;
let TableName: string;
beforeAll(async () => {
  peers = await startPeers(undefined, { awsLike: CALM });
  wire = peers.awsLike!;
  [table, TableName] = [clientOf(3), process.env['TABLE_NAME']!];
});
afterAll(() => peers.close());
beforeEach(() => wire.set(CALM));

const put = (Item: Key & Readonly<Record<string, unknown>>) => table.send(new lib.PutCommand({ TableName, Item }));
const get = async (Key: Key, ConsistentRead = true) =>
  (await table.send(new lib.GetCommand({ TableName, Key, ConsistentRead }))).Item;
const adding = { UpdateExpression: 'ADD n :one', ExpressionAttributeValues: { ':one': 1 } };
/** Adds one to the row's `n`, without a condition. */
const addOne = (Key: Key, client = table) =>
  client.send(new lib.UpdateCommand({ TableName, Key, ...adding, ReturnValues: 'ALL_NEW' }));
const transaction = (...keys: Key[]) =>
  new lib.TransactWriteCommand({ TransactItems: keys.map((Key) => ({ Update: { TableName, Key, ...adding } })) });
const checkOf = (Key: Key) => ({ ConditionCheck: { TableName, Key, ConditionExpression: 'attribute_exists(pk)' } });

const reasons = async (call: Promise<unknown>) => {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(TransactionCanceledException);
  return (error as TransactionCanceledException).CancellationReasons?.map(({ Code }) => Code);
};

it('a running transaction cancels another one on its row, with TransactionConflict at that place', async () => {
  const [held, free, other] = [newRow(), newRow(), newRow()];
  const pause = wire.pause({ action: 'TransactWriteItems', touching: held.pk });
  const first = table.send(transaction(held, free));
  await pause.reached;

  expect(await reasons(table.send(transaction(other, held)))).toEqual(['None', 'TransactionConflict']);
  const checked = new lib.TransactWriteCommand({
    TransactItems: [checkOf(held), ...transaction(other).input.TransactItems!],
  });
  expect(await reasons(table.send(checked))).toEqual(['TransactionConflict', 'None']);
  expect(await get(other)).toBeUndefined();

  pause.release();
  await first;
  await table.send(transaction(other, held));
  expect((await get(held))?.['n']).toBe(2);
});

it('a running transaction refuses single writes of its rows and of rows that it checks, without an SDK retry', async () => {
  const [held, checked] = [newRow(), newRow()];
  await put({ ...checked, n: 0 });
  const pause = wire.pause({ action: 'TransactWriteItems', touching: held.pk });
  const first = table.send(
    new lib.TransactWriteCommand({ TransactItems: [...transaction(held).input.TransactItems!, checkOf(checked)] }),
  );
  await pause.reached;
  const refused = () => wire.tally.get('conflict UpdateItem') ?? 0;
  const before = refused();

  await expect(addOne(held)).rejects.toThrow(TransactionConflictException);
  await expect(addOne(checked)).rejects.toThrow(TransactionConflictException);
  expect(refused()).toBe(before + 2);
  await expect(put(held)).rejects.toThrow(TransactionConflictException);
  await expect(table.send(new lib.DeleteCommand({ TableName, Key: held }))).rejects.toThrow(
    TransactionConflictException,
  );
  expect(await get(held)).toBeUndefined();
  expect(await get(checked)).toMatchObject({ n: 0 });
  pause.release();
  await first;
  expect((await addOne(held)).Attributes?.['n']).toBe(2);
});

it('a transaction whose answer is lost is confirmed to the retry of the SDK and made once', async () => {
  const row = newRow();
  const lost = wire.order({ fault: 'answer_lost', action: 'TransactWriteItems', touching: row.pk, times: 2 });
  const answer = await table.send(transaction(row));
  expect(lost.met).toBe(2);
  expect(answer.$metadata.attempts).toBe(3);
  expect((await get(row))?.['n']).toBe(1);
});

it('an unconditional write whose answer is lost happens twice, since the SDK repeats it', async () => {
  const row = newRow();
  const lost = wire.order({ fault: 'answer_lost', action: 'UpdateItem', touching: row.pk });
  const { Attributes, $metadata } = await addOne(row);
  expect(lost.met).toBe(1);
  expect($metadata.attempts).toBe(2);
  expect(Attributes?.['n']).toBe(2);
});

const page = async () => {
  const query = new lib.QueryCommand({
    TableName,
    IndexName: 'byList',
    KeyConditionExpression: 'listPk = :pk',
    ExpressionAttributeValues: { ':pk': 'A' },
  });
  return (await table.send(query)).Items;
};
const listed = (id: number, more = {}) => ({ ...newRow(), listPk: 'A', listSk: String(id), id, ...more });

it('an index that lags does not show new rows yet, and still shows old values and deleted rows', async () => {
  const [gone, changed] = [listed(1), listed(2, { situation: 'em_analise', hidden: 'not projected' })];
  await put(gone);
  await put(changed);
  const before = await page();
  expect(before).toHaveLength(2);
  wire.set({ indexLag: AGES });
  await put(listed(3));
  await put({ ...changed, situation: 'aprovado' });
  await table.send(new lib.DeleteCommand({ TableName, Key: { pk: gone.pk, sk: gone.sk } }));
  expect(await page()).toEqual(before);
  expect(await get({ pk: changed.pk, sk: changed.sk })).toMatchObject({ situation: 'aprovado' });
});

it('a read without ConsistentRead shows the past, and a read with ConsistentRead the present', async () => {
  const [row, other] = [newRow(), newRow()];
  await put({ ...row, n: 1 });
  wire.set({ readLag: AGES });
  await addOne(row);
  await put(other);
  const query = async (ConsistentRead: boolean) => {
    const KeyConditionExpression = 'pk = :pk';
    const ExpressionAttributeValues = { ':pk': row.pk };
    const input = { TableName, KeyConditionExpression, ExpressionAttributeValues, ConsistentRead };
    return (await table.send(new lib.QueryCommand(input))).Items;
  };
  const batch = async (ConsistentRead: boolean) => {
    const RequestItems = { [TableName]: { Keys: [row, other], ConsistentRead } };
    return (await table.send(new lib.BatchGetCommand({ RequestItems }))).Responses?.[TableName];
  };
  const [was, is] = [
    { ...row, n: 1 },
    { ...row, n: 2 },
  ];
  expect(await get(row, false)).toEqual(was);
  expect(await get(other, false)).toBeUndefined();
  expect(await query(false)).toEqual([was]);
  expect(await batch(false)).toEqual([was]);
  expect(await get(row)).toEqual(is);
  expect(await get(other)).toEqual(other);
  expect(await query(true)).toEqual([is]);
  expect(await batch(true)).toEqual(expect.arrayContaining([is, other]));
  const part = new lib.GetCommand({ TableName, Key: row, ProjectionExpression: 'n' });
  await expect(table.send(part)).rejects.toThrow('no past with a projection');
  const keys = { Keys: [row], ProjectionExpression: 'n' };
  const partsOfBatch = new lib.BatchGetCommand({ RequestItems: { [TableName]: keys } });
  await expect(table.send(partsOfBatch)).rejects.toThrow('no past with a projection');
});

it('a query of an index with ConsistentRead is refused, as on AWS', async () => {
  const query = new lib.QueryCommand({
    TableName,
    IndexName: 'byList',
    KeyConditionExpression: 'listPk = :pk',
    ExpressionAttributeValues: { ':pk': 'A' },
    ConsistentRead: true,
  });
  await expect(table.send(query)).rejects.toMatchObject({ name: 'ValidationException' });
});

it('a query with a filter that the wire cannot read is refused with a sentence, and the connection stays', async () => {
  const row = newRow();
  await put({ ...row, n: 'a' });
  wire.set({ readLag: AGES });
  await put({ ...row, n: 'b' });
  const query = new lib.QueryCommand({
    TableName,
    KeyConditionExpression: 'pk = :pk',
    FilterExpression: 'begins_with(n, :n)',
    ExpressionAttributeValues: { ':pk': row.pk, ':n': 'a' },
  });
  await expect(table.send(query)).rejects.toThrow('the wire cannot read this query');
});

it('a page that old rows fill up to its limit has a LastEvaluatedKey, as on AWS', async () => {
  const { pk } = newRow();
  for (const sk of ['a', 'b', 'c']) await put({ pk, sk });
  wire.set({ readLag: AGES });
  await table.send(new lib.DeleteCommand({ TableName, Key: { pk, sk: 'c' } }));
  await table.send(new lib.DeleteCommand({ TableName, Key: { pk, sk: 'b' } }));
  const { Items, LastEvaluatedKey } = await table.send(
    new lib.QueryCommand({
      TableName,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': pk },
      Limit: 3,
    }),
  );
  expect(Items?.map(({ sk }) => sk)).toEqual(['a', 'b', 'c']);
  expect(LastEvaluatedKey).toEqual({ pk, sk: 'c' });
});

it('a query with a filter or a count shows the past in the same rows as the query without them', async () => {
  const { pk } = newRow();
  const rows = [
    { pk, sk: 'a', unitId: 1, state: 'new' },
    { pk, sk: 'b', unitId: 1, state: 'new', expiresAt: 50 },
    { pk, sk: 'c', unitId: 1, state: 'new', expiresAt: 150 },
    { pk, sk: 'd', unitId: 2, state: 'new' },
    { pk, sk: 'e', unitId: 1, state: 'old' },
    { pk, sk: 'f', unitId: 1 },
  ];
  for (const row of rows) await put(row);
  const query = async (FilterExpression: string, more: object = {}) => {
    const used = Object.entries({ ':unit': 1, ':state': 'new', ':at': 100 }).filter(([name]) =>
      FilterExpression.includes(name),
    );
    const output = await table.send(
      new lib.QueryCommand({
        TableName,
        KeyConditionExpression: 'pk = :pk',
        FilterExpression,
        ExpressionAttributeNames: { '#state': 'state' },
        ExpressionAttributeValues: { ':pk': pk, ...Object.fromEntries(used) },
        ...more,
      }),
    );
    const shown = output.Items?.map((row) => row['sk']).join('');
    return { shown, count: output.Count, next: output.LastEvaluatedKey?.['sk'] };
  };
  const all = async () => ({
    equal: await query('#state = :state AND unitId = :unit AND (attribute_not_exists(expiresAt) OR expiresAt > :at)'),
    unequal: await query('#state <> :state'),
    present: await query('attribute_exists(#state) AND expiresAt <= :at'),
    first: await query('#state = :state AND unitId >= :unit', { Limit: 2 }),
    counted: await query('#state = :state AND unitId < :at', { Select: 'COUNT' }),
  });
  const before = await all();
  expect(before).toEqual({
    equal: { shown: 'ac', count: 2, next: undefined },
    unequal: { shown: 'ef', count: 2, next: undefined },
    present: { shown: 'b', count: 1, next: undefined },
    first: { shown: 'ab', count: 2, next: 'b' },
    counted: { shown: undefined, count: 4, next: undefined },
  });
  wire.set({ readLag: AGES });
  for (const row of rows) await put({ ...row, unitId: 9, state: 'newest', expiresAt: 1 });
  await put({ pk, sk: 'g', unitId: 1, state: 'new' });
  expect(await all()).toEqual(before);
});

it('settings with the same seed inject the same faults, and another seed other faults', async () => {
  const drawn = async (seed: number) => {
    const rates = { answerLost: 0.2, requestLost: 0.2, hang: 0, throttled: 0.2, error: 0.2 };
    const settings = { ...CALM, seed, faults: { ...CALM.faults, dynamodb: rates } };
    const own = await startPeers(undefined, { awsLike: settings });
    try {
      const client = clientOf(1);
      const outcomes: string[] = [];
      for (let call = 0; call < 40; call++) {
        await addOne(newRow(), client).then(
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
