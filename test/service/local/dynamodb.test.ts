import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GetItemCommand, PutItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, expect, it } from 'vitest';
import { dynamoDb, type LocalDynamoDb, type Machine, makeTable, startDynamoDb } from '#infra/local/aws/dynamodb.ts';
import { assemblyWithStubs } from '#test/makers/assembly-with-stubs.ts';
import { HAS_PS, useMac } from '#test/makers/mac.ts';

const { blueprint, remove } = assemblyWithStubs();
const root = mkdtempSync(join(tmpdir(), 'dynamodb-'));
const started: LocalDynamoDb[] = [];
afterAll(async () => {
  for (const { close } of started) await close();
  remove();
  rmSync(root, { recursive: true, force: true });
});

const mac = useMac();

it('the emulator keeps rows over kill -9, ends an emulator that was left running, and is emptied only on request', () =>
  story());

it.runIf(HAS_PS)(
  'without /proc the emulator on the PATH keeps its rows too, and a start ends one that was left running',
  () => story(mac),
);

async function story(machine?: Machine): Promise<void> {
  const folder = mkdtempSync(join(root, 'run-'));
  const start = (lost: (message: string) => void, database = file) => startDynamoDb(folder, database, lost, machine);
  const file = join(folder, 'rows.sqlite');
  const TableName = blueprint.table.TableName;
  const Key = { pk: { S: 'LEAD#1' }, sk: { S: 'LEAD' } };
  const lost: string[] = [];

  const first = await start((message) => lost.push(message));
  started.push(first);
  await makeTable(first.endpoint, blueprint, false);
  const before = dynamoDb(first.endpoint);
  await before.send(
    new PutItemCommand({ TableName, Item: { ...Key, duePk: { S: 'DUE' }, dueSk: { S: '1' }, id: { N: '7' } } }),
  );
  before.destroy();
  process.kill(-Number(readFileSync(join(folder, 'dynamodb.pid'), 'utf8')), 'SIGKILL');
  await expect.poll(() => lost).toEqual(['the DynamoDB emulator has ended by itself: start again']);

  await expect(start(() => {}, join(folder, 'none', 'rows.sqlite'))).rejects.toThrow('ended at once');

  // The file names the second emulator's process, so the third start ends it, as if the process that started it were
  // gone.
  const second = await start((message) => lost.push(message));
  const third = await start(() => undefined);
  started.push(second, third);
  await expect.poll(() => lost).toHaveLength(2);
  await expect(fetch(second.endpoint)).rejects.toThrow('fetch failed');

  const after = dynamoDb(third.endpoint);
  await makeTable(third.endpoint, blueprint, false);
  expect((await after.send(new GetItemCommand({ TableName, Key }))).Item).toMatchObject(Key);
  const due = await after.send(
    new QueryCommand({
      TableName,
      IndexName: 'byDue',
      KeyConditionExpression: 'duePk = :due',
      ExpressionAttributeValues: { ':due': { S: 'DUE' } },
    }),
  );
  expect(due.Items?.map(({ id }) => id)).toEqual([{ N: '7' }]);

  await makeTable(third.endpoint, blueprint, true);
  expect((await after.send(new GetItemCommand({ TableName, Key }))).Item).toBeUndefined();
  after.destroy();
}

it('a table of an earlier run gets the one index that a template adds, with the rows that it has', async () => {
  const folder = mkdtempSync(join(root, 'run-'));
  const engine = await startDynamoDb(folder, undefined, () => undefined);
  started.push(engine);
  const { table } = blueprint;
  const { TableName, GlobalSecondaryIndexes: indexes = [] } = table;
  const used = new Set([table.KeySchema, ...indexes.slice(0, 1).map(({ KeySchema }) => KeySchema)].flat());
  const names = Array.from(used, (key) => key?.AttributeName);
  const AttributeDefinitions = table.AttributeDefinitions?.filter(({ AttributeName }) => names.includes(AttributeName));
  const earlier = { ...table, AttributeDefinitions, GlobalSecondaryIndexes: indexes.slice(0, 1) };
  await makeTable(engine.endpoint, { ...blueprint, table: earlier as typeof table }, false);
  const client = dynamoDb(engine.endpoint);
  const item = { pk: { S: 'LEAD#1' }, sk: { S: 'LEAD' }, duePk: { S: 'DUE' }, dueSk: { S: '1' } };
  await client.send(new PutItemCommand({ TableName, Item: item }));
  await makeTable(engine.endpoint, blueprint, false);
  const due = new QueryCommand({
    TableName,
    IndexName: 'byDue',
    KeyConditionExpression: 'duePk = :due',
    ExpressionAttributeValues: { ':due': { S: 'DUE' } },
  });
  expect((await client.send(due)).Count).toBe(1);
  // The way back takes the index away again.
  await makeTable(engine.endpoint, { ...blueprint, table: earlier as typeof table }, false);
  await expect(client.send(due)).rejects.toThrow();
  client.destroy();
});

it('a kept table refuses a template that edits the projection of an index, and keeps its rows', async () => {
  const folder = mkdtempSync(join(root, 'run-'));
  const engine = await startDynamoDb(folder, undefined, () => undefined);
  started.push(engine);
  await makeTable(engine.endpoint, blueprint, false);
  const client = dynamoDb(engine.endpoint);
  const Key = { pk: { S: 'LEAD#1' }, sk: { S: 'LEAD' } };
  await client.send(new PutItemCommand({ TableName: blueprint.table.TableName, Item: Key }));
  const edited = structuredClone(blueprint.table.GlobalSecondaryIndexes ?? []);
  for (const index of edited) index.Projection?.NonKeyAttributes?.push('oneMore');
  const other = { ...blueprint, table: { ...blueprint.table, GlobalSecondaryIndexes: edited } };
  await expect(makeTable(engine.endpoint, other, false)).rejects.toThrow("Cannot update GSI's properties");
  const { Item } = await client.send(new GetItemCommand({ TableName: blueprint.table.TableName, Key }));
  expect(Item).toEqual(Key);
  client.destroy();
});
