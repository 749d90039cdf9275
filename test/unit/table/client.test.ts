import {
  type CancellationReason,
  ConditionalCheckFailedException,
  TransactionCanceledException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Failure } from '#shared/domain/values/failure.ts';
import { withDeadline } from '#shared/runtime/deadline.ts';
import * as table from '#shared/table/rows/client.ts';
import { ROW_VERSION } from '#shared/table/rows/row-format.ts';

const cancelledFor = (CancellationReasons: CancellationReason[]) =>
  new TransactionCanceledException({ $metadata: {}, message: 'cancelled', CancellationReasons });
const cancelled = (...codes: string[]) => cancelledFor(codes.map((Code) => ({ Code })));

const PARTS = [{ Put: { Item: { pk: 'a', sk: 'a' } } }, { Put: { Item: { pk: 'b', sk: 'b' } } }];

/** Makes the table give these answers, one for each call. An Error is thrown. */
function tableAnswers(...answers: unknown[]) {
  const send = vi.spyOn(table.tableClient(), 'send') as unknown as {
    mockImplementation(answer: () => Promise<unknown>): void;
    mock: { calls: unknown[][] };
  };
  send.mockImplementation(async () => {
    const answer = answers.shift();
    if (answer instanceof Error) throw answer;
    return answer;
  });
  return send.mock.calls;
}

beforeEach(() => {
  vi.stubEnv('TABLE_NAME', 'the-table');
  vi.stubEnv('AWS_REGION', 'sa-east-1');
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

describe('transact', () => {
  it('transact tries again after a conflict on a row, with growing pauses', async () => {
    const calls = tableAnswers(cancelled('None', 'TransactionConflict'), cancelled('TransactionConflict', 'None'), {});
    const pauses: number[] = [];
    await expect(table.transact(PARTS, async (longest) => void pauses.push(longest))).resolves.toBe('written');
    expect(calls).toHaveLength(3);
    expect(pauses).toEqual([20, 40]);
  });

  it('transact throws servico_indisponivel once there is no time for another try, and not before', async () => {
    const conflict = () => cancelled('TransactionConflict', 'None');
    const calls = tableAnswers(...Array.from({ length: 20 }, conflict));
    let spent = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => spent);
    const pause = async (longest: number) => {
      spent += longest;
    };
    const refused = withDeadline(1_000, () => table.transact(PARTS, pause));
    await expect(refused).rejects.toMatchObject({ code: 'servico_indisponivel' });
    // Pauses of 20 + 40 + 80 + 160 + 320 + 320 ms fit, and each is followed by a try.
    expect(calls).toHaveLength(7);
  });

  it('transact reports that a condition failed, and does not try again', async () => {
    const calls = tableAnswers(cancelled('TransactionConflict', 'ConditionalCheckFailed'), {});
    await expect(table.transact(PARTS, async () => {})).resolves.toBe('refused');
    expect(calls).toHaveLength(1);
  });

  it.each(['ThrottlingError', 'ProvisionedThroughputExceeded'])('transact tries again after %s', async (code) => {
    const calls = tableAnswers(cancelled(code, 'None'), {});
    await expect(table.transact(PARTS, async () => {})).resolves.toBe('written');
    expect(calls).toHaveLength(2);
  });

  it('transact throws the table’s error if the transaction can never succeed', async () => {
    const refused = cancelled('ValidationError', 'None');
    tableAnswers(refused);
    await expect(table.transact(PARTS, async () => {})).rejects.toBe(refused);
  });

  it('transact throws a Failure if the table does not answer in time', async () => {
    tableAnswers(Object.assign(new Error('slow'), { name: 'TimeoutError' }));
    await expect(table.transact(PARTS, async () => {})).rejects.toBeInstanceOf(Failure);
  });
});

describe('transactNamed', () => {
  const [first, second] = PARTS;
  const FAILED = 'ConditionalCheckFailed';
  const rowOf = (sk: string) => ({ pk: { S: 'a' }, sk: { S: sk } });

  it('transactNamed names the parts whose conditions failed, and shows the rows that they met', async () => {
    tableAnswers(cancelledFor([{ Code: FAILED }, { Code: 'None' }, { Code: FAILED, Item: rowOf('met') }]));
    const outcome = await table.transactNamed({ gone: first, fine: second, met: first });
    expect(outcome).toEqual({ gone: { row: undefined }, met: { row: { pk: 'a', sk: 'met' } } });
  });

  it('transactNamed shows the first refused item of a part that occurs several times', async () => {
    tableAnswers(
      cancelledFor(['None', 'None', FAILED, FAILED].map((Code, index) => ({ Code, Item: rowOf(String(index)) }))),
    );
    const outcome = await table.transactNamed({ lead: first, analyses: [PARTS, PARTS].flat().slice(1) });
    expect(outcome).toEqual({ analyses: { row: { pk: 'a', sk: '2' } } });
  });

  it('transactNamed leaves out a part that is undefined', async () => {
    const calls = tableAnswers(cancelledFor([{ Code: FAILED }]));
    const outcome = await table.transactNamed({ absent: undefined, none: [], only: second });
    expect(outcome).toEqual({ only: { row: undefined } });
    expect(calls[0]?.[0]).toMatchObject({ input: { TransactItems: [second] } });
  });
});

describe('putRow and updateRow', () => {
  const conflict = () => new TransactionConflictException({ $metadata: {}, message: 'conflict' });

  it.each([
    ['put', () => table.putRow({ Item: { pk: 'a', sk: 'a' } }), 'written'],
    ['update', () => table.updateRow({ Key: { pk: 'a', sk: 'a' }, UpdateExpression: 'SET a = :a' }), undefined],
  ])('a single %s is tried again while a transaction holds its row', async (_, write, written) => {
    const calls = tableAnswers(conflict(), conflict(), {});
    await expect(write()).resolves.toEqual(written);
    expect(calls).toHaveLength(3);
  });

  it.each(['EAI_AGAIN', 'ETIMEDOUT', 'EHOSTUNREACH', 'ECONNRESET'])(
    'putRow throws servico_indisponivel after %s',
    async (code) => {
      tableAnswers(Object.assign(new Error('network'), { code }));
      await expect(table.putRow({ Item: { pk: 'a', sk: 'a' } })).rejects.toMatchObject({
        code: 'servico_indisponivel',
      });
    },
  );

  it('transact throws servico_indisponivel while the same transaction is under way', async () => {
    tableAnswers(Object.assign(new Error('in progress'), { name: 'TransactionInProgressException' }));
    await expect(table.transact([])).rejects.toMatchObject({ code: 'servico_indisponivel' });
  });
});

const key = { pk: 'a', sk: 'a' };
const NOW = { ConsistentRead: true };
const SEVERAL = { Keys: [key], ...NOW };
const update = { Key: key, UpdateExpression: 'SET a = :a' };
const CONDITIONAL = { ...update, ConditionExpression: 'attribute_exists(pk)' };

it.each<[string, () => Promise<unknown>]>([
  ['getRow', () => table.getRow(key)],
  ['getRows', () => table.getRows([key])],
  ['putRow', () => table.putRow({ Item: key })],
  ['updateRow', () => table.updateRow(update)],
  ['winRow', () => table.winRow(CONDITIONAL)],
  ['updateRecognised', () => table.updateRecognised(CONDITIONAL, table.neverOwn)],
  ['queryRows', () => table.queryRows({})],
  ['queryAllRows', () => table.queryAllRows({})],
  ['scanRows', () => table.scanRows({})],
  ['transact', () => table.transact(PARTS)],
])('%s passes the invocation’s abort signal to the table', async (_, request) => {
  const calls = tableAnswers({});
  await withDeadline(5_000, request);
  expect(calls[0]![1]).toEqual({ abortSignal: expect.any(AbortSignal) });
});

it.each<[string, () => Promise<unknown>, object]>([
  ['getRow reads consistently', () => table.getRow(key), { Key: key, ...NOW }],
  ['getRows reads consistently', () => table.getRows([key]), { RequestItems: { 'the-table': SEVERAL } }],
])('%s', async (_, read, input) => {
  const calls = tableAnswers({});
  await read();
  expect(calls[0]![0]).toMatchObject({ input });
});

describe('getRows', () => {
  const [a, b] = [PARTS[0]!.Put.Item, PARTS[1]!.Put.Item];

  it('getRows asks again for rows that the table left out, and returns them in the order of the keys', async () => {
    const UnprocessedKeys = { 'the-table': { Keys: [a] } };
    const calls = tableAnswers(
      { Responses: { 'the-table': [b] }, UnprocessedKeys },
      { Responses: { 'the-table': [a] } },
    );
    const pauses: number[] = [];
    await expect(table.getRows([a, b], async (longest) => void pauses.push(longest))).resolves.toEqual([a, b]);
    expect(calls).toHaveLength(2);
    expect(pauses).toEqual([20]);
  });

  it('getRows throws servico_indisponivel if the table keeps leaving rows out', async () => {
    const nothing = { Responses: {}, UnprocessedKeys: { 'the-table': { Keys: [a] } } };
    const calls = tableAnswers(nothing, nothing, nothing, nothing, nothing);
    const pauses: number[] = [];
    const asked = table.getRows([a], async (longest) => void pauses.push(longest));
    await expect(asked).rejects.toMatchObject({ code: 'servico_indisponivel' });
    expect(calls).toHaveLength(4);
    expect(pauses).toEqual([20, 40, 80]);
  });
});

describe('the version of the layout', () => {
  const KEY = { pk: 'LEAD#7', sk: 'LEAD' };
  const LATER = { ...KEY, v: ROW_VERSION + 1 };
  const Item = { pk: { S: 'LEAD#7' }, sk: { S: 'LEAD' }, v: { N: String(ROW_VERSION + 1) } };
  const FAILED = { Code: 'ConditionalCheckFailed', Item };
  const refused = new ConditionalCheckFailedException({ $metadata: {}, message: 'refused', Item });

  it('every row that is put, or made by an update, carries the version of the layout', async () => {
    const calls = tableAnswers({}, {}, {}, {}, {}, {});
    await table.putRow({ Item: KEY });
    await table.putRow({ Item: KEY, ConditionExpression: 'attribute_not_exists(pk)' });
    await table.transact([{ Put: { Item: KEY } }, { Delete: { Key: KEY } }]);
    await table.makeOrUpdateRow({ Key: KEY, UpdateExpression: 'SET a = :a', ExpressionAttributeValues: { ':a': 1 } });
    await table.makeOrUpdateRow({ Key: KEY, UpdateExpression: 'ADD a :a', ExpressionAttributeValues: { ':a': 1 } });
    const inputs = calls.map(([command]) => (command as { input: Record<string, unknown> }).input);
    expect(inputs[0]).toMatchObject({ Item: { ...KEY, v: ROW_VERSION } });
    expect(inputs[1]).toMatchObject({ Item: { ...KEY, v: ROW_VERSION, nonce: expect.any(String) } });
    expect(inputs[2]).toMatchObject({ TransactItems: [{ Put: { Item: { ...KEY, v: ROW_VERSION } } }, { Delete: {} }] });
    const values = { ':a': 1, ':v': ROW_VERSION };
    const set = 'SET v = if_not_exists(v, :v)';
    expect(inputs[3]).toMatchObject({ UpdateExpression: `${set}, a = :a`, ExpressionAttributeValues: values });
    expect(inputs[4]).toMatchObject({ UpdateExpression: `${set} ADD a :a`, ExpressionAttributeValues: values });
  });

  const readings: Readonly<Record<string, readonly [answer: unknown, read: () => Promise<unknown>]>> = {
    'a row': [{ Item: LATER }, () => table.getRow(KEY)],
    'one of several rows': [{ Responses: { 'the-table': [LATER] } }, () => table.getRows([KEY])],
    'a query': [{ Items: [LATER] }, () => table.queryRows({})],
    'a scan': [{ Items: [LATER] }, () => table.scanRows({})],
    'an update that answers': [{ Attributes: LATER }, () => table.updateRow({ Key: KEY })],
    'a refused write': [refused, () => table.putRow({ Item: KEY })],
    'a refused transaction': [cancelledFor([FAILED]), () => table.transact(PARTS)],
  };
  it.each(Object.entries(readings))(
    'a row with a later version of the layout is an error in %s',
    async (_, [answer, read]) => {
      tableAnswers(answer);
      await expect(read()).rejects.toThrow(/^a row of kind LEAD has layout 2, .*: deploy the release that wrote it$/);
    },
  );
});
