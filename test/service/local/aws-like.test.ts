import {
  ConditionalCheckFailedException,
  ProvisionedThroughputExceededException,
  TransactionCanceledException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import {
  BatchWriteCommand,
  DeleteCommand,
  type DynamoDBDocumentClient,
  PutCommand,
  TransactGetCommand,
  TransactWriteCommand,
} from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { awsLikeSettings, parseAwsLike } from '../../../infra/local/aws/aws-like/settings.ts';
import type { AwsLike } from '../../../infra/local/aws/aws-like.ts';
import { AwsLikeTable, CALM, type Key, newRow, tableClientOf } from '../../makers/aws-like-table.ts';
import { startPeers } from '../../makers/peers.ts';

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

  it('makes a conditional write meet itself', async () => {
    const row = newRow();
    wire.order({ fault: 'answer_lost', action: 'PutItem', touching: row.pk });
    const create = new PutCommand({ TableName, Item: row, ConditionExpression: 'attribute_not_exists(pk)' });
    await expect(table.send(create)).rejects.toThrow(ConditionalCheckFailedException);
    expect(await open.get(row)).toEqual(row);
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
    expect((await open.addOne(row)).$metadata.attempts).toBe(3);
    expect(throttled.met).toBe(2);
    wire.order({ fault: { error }, touching: row.pk, times: 3 });
    await expect(open.addOne(row)).rejects.toThrow(ProvisionedThroughputExceededException);
    expect((await open.get(row))?.['n']).toBe(1);
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
  });
});
