import {
  ConditionalCheckFailedException,
  ProvisionedThroughputExceededException,
  TransactionCanceledException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  type QueryCommandInput,
  TransactGetCommand,
  TransactWriteCommand,
} from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { awsLikeSettings, parseAwsLike } from '../../../infra/local/aws/aws-like/settings.ts';
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

  it('tells the SDK that repeats it meanwhile to wait', async () => {
    const row = newRow();
    const impatient = tableClientOf({
      maxAttempts: 10,
      requestHandler: { requestTimeout: 1_000, throwOnRequestTimeout: true },
    });
    const pause = wire.pause({ action: 'TransactWriteItems', touching: row.pk });
    const answer = impatient.send(transaction(row));
    await expect.poll(() => wire.tally.get('in progress TransactWriteItems') ?? 0).toBeGreaterThan(0);
    pause.release();
    await answer;
    expect((await open.get(row))?.['n']).toBe(1);
  });
});

describe('an answer that is lost', () => {
  it('makes the SDK repeat the write: an unconditional one happens twice', async () => {
    const row = newRow();
    const lost = wire.order({ fault: 'answer_lost', action: 'UpdateItem', touching: row.pk });
    const { Attributes, $metadata } = await open.addOne(row);
    expect([lost.met, $metadata.attempts, Attributes?.['n']]).toEqual([1, 2, 2]);
  });

  it('differs from a request that is lost, which happens once', async () => {
    const row = newRow();
    wire.order({ fault: 'request_lost', action: 'UpdateItem', touching: row.pk });
    const { Attributes, $metadata } = await open.addOne(row);
    expect([$metadata.attempts, Attributes?.['n']]).toEqual([2, 1]);
  });

  it('comes when it is ordered: after so many, so often, of the rows that begin so', async () => {
    const [row, other] = [newRow(), newRow()];
    const lost = wire.order({ fault: 'answer_lost', action: 'UpdateItem', touching: row.pk, after: 1, times: 1 });
    await open.addOne(other);
    expect((await open.addOne(row)).$metadata.attempts).toBe(1);
    expect((await open.addOne(row)).$metadata.attempts).toBe(2);
    expect((await open.addOne(row)).$metadata.attempts).toBe(1);
    expect(lost.met).toBe(1);
  });
});

describe('a request without an answer', () => {
  const hasty = () =>
    tableClientOf({ maxAttempts: 1, requestHandler: { requestTimeout: 200, throwOnRequestTimeout: true } });

  it('ends at the time-out of the client, executed or not as ordered', async () => {
    const [never, silent] = [newRow(), newRow()];
    wire.order({ fault: 'hang', touching: never.pk });
    await expect(open.addOne(never, hasty())).rejects.toMatchObject({ name: 'TimeoutError' });
    wire.order({ fault: 'answer_hangs', touching: silent.pk });
    await expect(open.addOne(silent, hasty())).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(await open.get(never)).toBeUndefined();
    await expect.poll(async () => (await open.get(silent))?.['n']).toBe(1);
  });
});

describe('an error', () => {
  it('by a name that throttles is repeated by the SDK, and reaches the caller after its last attempt', async () => {
    const row = newRow();
    const error = 'ProvisionedThroughputExceededException';
    const throttled = wire.order({ fault: { error }, touching: row.pk, times: 2 });
    const before = outcomes.length;
    expect((await open.addOne(row)).$metadata.attempts).toBe(3);
    expect(throttled.met).toBe(2);
    expect(outcomes.slice(before)).toEqual(['throttled', 'throttled', 'answered']);
    wire.order({ fault: { error }, touching: row.pk, times: 3 });
    await expect(open.addOne(row)).rejects.toThrow(ProvisionedThroughputExceededException);
    expect((await open.get(row))?.['n']).toBe(1);
  });
});

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
    const part = new GetCommand({ TableName, Key: row, ProjectionExpression: 'n' });
    await expect(table.send(part)).rejects.toThrow('no past with a filter or a projection');
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

describe('Secrets Manager and SQS', () => {
  it('lose answers, throttle and hang as ordered', async () => {
    const secrets = new SecretsManagerClient({
      maxAttempts: 3,
      requestHandler: { requestTimeout: 1_000, throwOnRequestTimeout: true },
    });
    const SecretId = process.env['KEYS_SECRET']!;
    const asked = (fault: Parameters<AwsLike['order']>[0]['fault'], times: number) => {
      wire.order({ fault, service: 'secretsmanager', touching: SecretId, times });
      return secrets.send(new GetSecretValueCommand({ SecretId }));
    };
    expect((await asked('answer_lost', 1)).$metadata.attempts).toBe(2);
    expect((await asked({ error: 'ThrottlingException' }, 2)).$metadata.attempts).toBe(3);
    expect((await asked('hang', 1)).SecretString).toBe(open.peers.secrets.current(SecretId));
    await expect(asked('hang', 3)).rejects.toMatchObject({ name: 'TimeoutError' });

    const queue = new SQSClient({ maxAttempts: 3 });
    const QueueUrl = process.env['DELIVERY_DLQ_URL']!;
    const name = QueueUrl.split('/').at(-1)!;
    expect(QueueUrl.startsWith(wire.url)).toBe(true);
    wire.order({ fault: 'answer_lost', service: 'sqs', action: 'SendMessage', touching: name });
    const MessageGroupId = '1';
    const sent = await queue.send(new SendMessageCommand({ QueueUrl, MessageBody: 'twice', MessageGroupId }));
    expect(sent.$metadata.attempts).toBe(2);
    const received = await queue.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }));
    expect(received.Messages?.map(({ Body }) => Body)).toEqual(['twice', 'twice']);
    wire.order({ fault: { error: 'InternalFailure', status: 500 }, service: 'sqs', times: 3 });
    await expect(queue.send(new ReceiveMessageCommand({ QueueUrl }))).rejects.toThrow('InternalFailure');
  });
});

describe('the settings', () => {
  it('repeat every choice with their seed', async () => {
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

  it('are read from one word', () => {
    expect(parseAwsLike('harsh:42')).toEqual(awsLikeSettings('harsh', 42));
    expect(parseAwsLike('7')).toEqual(awsLikeSettings('default', 7));
    expect(parseAwsLike('default')).toEqual({ ...awsLikeSettings('default', 0), seed: expect.any(Number) });
    expect(() => parseAwsLike('stormy')).toThrow('use default, harsh');
    // On a bad day three of four calls go well.
    for (const shares of Object.values(awsLikeSettings('harsh', 42).faults))
      expect(Object.values(shares).reduce((sum, share) => sum + share, 0)).toBeLessThan(0.25);
  });
});
