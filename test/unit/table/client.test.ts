import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Failure } from '../../../shared/domain/values/failure.ts';
import { getRows, tableClient, transact } from '../../../shared/table/client.ts';

const cancelled = (...codes: string[]) =>
  new TransactionCanceledException({
    $metadata: {},
    message: 'cancelled',
    CancellationReasons: codes.map((Code) => ({ Code })),
  });

const PARTS = [{ Put: { Item: { pk: 'a', sk: 'a' } } }, { Put: { Item: { pk: 'b', sk: 'b' } } }];

/** Answers of the table, one a call; an Error is thrown. */
function tableAnswers(...answers: unknown[]) {
  const send = vi.spyOn(tableClient(), 'send') as unknown as {
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

describe('a transaction', () => {
  it('that met another on a row is tried again, after a pause that grows', async () => {
    const calls = tableAnswers(cancelled('None', 'TransactionConflict'), cancelled('TransactionConflict', 'None'), {});
    const pauses: number[] = [];
    await expect(transact(PARTS, async (attempt) => void pauses.push(attempt))).resolves.toBe('written');
    expect(calls).toHaveLength(3);
    expect(pauses).toEqual([1, 2]);
  });

  it('is given up as unavailable after four tries', async () => {
    const conflict = () => cancelled('TransactionConflict', 'None');
    const calls = tableAnswers(conflict(), conflict(), conflict(), conflict(), {});
    await expect(transact(PARTS, async () => {})).rejects.toMatchObject({ code: 'servico_indisponivel' });
    expect(calls).toHaveLength(4);
  });

  it('whose condition failed tells which part and is not tried again, whatever else was in the way', async () => {
    const calls = tableAnswers(cancelled('TransactionConflict', 'ConditionalCheckFailed'), {});
    await expect(transact(PARTS, async () => {})).resolves.toEqual([
      { failed: false, item: undefined },
      { failed: true, item: undefined },
    ]);
    expect(calls).toHaveLength(1);
  });

  it.each(['ThrottlingError', 'ProvisionedThroughputExceeded'])('is tried again after %s', async (code) => {
    const calls = tableAnswers(cancelled(code, 'None'), {});
    await expect(transact(PARTS, async () => {})).resolves.toBe('written');
    expect(calls).toHaveLength(2);
  });

  it('that can never pass throws what the table said', async () => {
    const refused = cancelled('ValidationError', 'None');
    tableAnswers(refused);
    await expect(transact(PARTS, async () => {})).rejects.toBe(refused);
  });

  it('that the table did not answer is unavailable, not an error of ours', async () => {
    tableAnswers(Object.assign(new Error('slow'), { name: 'TimeoutError' }));
    await expect(transact(PARTS, async () => {})).rejects.toBeInstanceOf(Failure);
  });
});

describe('several rows', () => {
  const [a, b] = PARTS.map(({ Put }) => Put.Item) as [{ pk: string; sk: string }, { pk: string; sk: string }];

  it('are asked for again where the table left some out, and come in the order of the keys', async () => {
    const calls = tableAnswers(
      { Responses: { 'the-table': [b] }, UnprocessedKeys: { 'the-table': { Keys: [a] } } },
      { Responses: { 'the-table': [a] } },
    );
    await expect(getRows([a, b])).resolves.toEqual([a, b]);
    expect(calls).toHaveLength(2);
  });

  it('are unavailable where the table keeps leaving them out', async () => {
    const nothing = { Responses: {}, UnprocessedKeys: { 'the-table': { Keys: [a] } } };
    tableAnswers(nothing, nothing, nothing, nothing, nothing);
    await expect(getRows([a])).rejects.toMatchObject({ code: 'servico_indisponivel' });
  });
});
