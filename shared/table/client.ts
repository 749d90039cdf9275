import {
  type CancellationReason,
  ConditionalCheckFailedException,
  DynamoDBClient,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  type PutCommandInput,
  QueryCommand,
  type QueryCommandInput,
  type QueryCommandOutput,
  ScanCommand,
  type ScanCommandInput,
  type ScanCommandOutput,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { Failure } from '../domain/values/failure.ts';
import { tableName } from '../runtime/env.ts';
import { noteTableUse } from '../runtime/metrics.ts';
import type { RowKey } from './keys.ts';

export type Item = Record<string, unknown>;

type WriteItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];
/** One part of a transaction; the table's name is added where it is sent. */
export type TransactItem = { [Kind in keyof WriteItem]: Omit<NonNullable<WriteItem[Kind]>, 'TableName'> };

/** One item of a refused transaction: whether its condition failed, and the row as it stood. */
export interface Refused {
  readonly failed: boolean;
  readonly item: Item | undefined;
}

/** How often a transaction that met another on the same row is tried, and the longest pause before a try, in milliseconds. */
const CONFLICT_TRIES = 4;
const CONFLICT_PAUSE = 60;

/** Names of errors after which the same call may well succeed: the table is slow or throttles, or the way to it is broken. */
const TRANSIENT = new Set([
  'ProvisionedThroughputExceededException',
  'ThrottlingException',
  'RequestLimitExceeded',
  'InternalServerError',
  'ServiceUnavailable',
  'TransactionInProgressException',
  'TimeoutError',
  'AbortError',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOTFOUND',
]);

let client: DynamoDBDocumentClient | undefined;

interface Consumed {
  readonly CapacityUnits?: number;
}

function documents(): DynamoDBDocumentClient {
  if (client) return client;
  client = DynamoDBDocumentClient.from(
    new DynamoDBClient({
      maxAttempts: 3,
      requestHandler: { connectionTimeout: 2000, requestTimeout: 4000, throwOnRequestTimeout: true },
    }),
    { marshallOptions: { removeUndefinedValues: true } },
  );
  client.middlewareStack.add(
    (next) => async (args) => {
      (args.input as { ReturnConsumedCapacity?: string }).ReturnConsumedCapacity = 'TOTAL';
      const result = await next(args);
      const consumed = (result.output as { ConsumedCapacity?: Consumed | Consumed[] }).ConsumedCapacity ?? [];
      noteTableUse([consumed].flat().reduce((sum, { CapacityUnits }) => sum + (CapacityUnits ?? 0), 0));
      return result;
    },
    { step: 'initialize', name: 'noteTableUse' },
  );
  return client;
}

/** The SDK's client, for tests that count calls or make them fail. */
export function tableClient(): DynamoDBDocumentClient {
  return documents();
}

async function mapTransient<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    const { name, code } = error as { name?: string; code?: string };
    if (TRANSIENT.has(name ?? '') || TRANSIENT.has(code ?? ''))
      throw new Failure('servico_indisponivel', { cause: error });
    throw error;
  }
}

// The document client leaves the row inside a refusal as the wire has it.
function plain(item: Record<string, unknown> | undefined): Item | undefined {
  return item && unmarshall(item as Parameters<typeof unmarshall>[0]);
}

/** A row, read consistently unless said otherwise; undefined where there is none. */
export async function getRow(key: RowKey, consistent = true): Promise<Item | undefined> {
  const output = await mapTransient(
    documents().send(new GetCommand({ TableName: tableName(), Key: key, ConsistentRead: consistent })),
  );
  return output.Item;
}

/** Several rows in one round trip, in the order of the keys; undefined where there is none. */
export async function getRows(keys: readonly RowKey[]): Promise<(Item | undefined)[]> {
  const found: Item[] = [];
  let wanted: { pk: string; sk: string }[] = keys.map(({ pk, sk }) => ({ pk, sk }));
  // What one answer leaves unprocessed is asked for again; it names a throttled table, so it is given up soon.
  for (let round = 0; wanted.length > 0; round++) {
    if (round === CONFLICT_TRIES) throw new Failure('servico_indisponivel');
    const output = await mapTransient(
      documents().send(
        new BatchGetCommand({ RequestItems: { [tableName()]: { Keys: wanted, ConsistentRead: true } } }),
      ),
    );
    found.push(...(output.Responses?.[tableName()] ?? []));
    wanted = (output.UnprocessedKeys?.[tableName()]?.Keys ?? []) as typeof wanted;
  }
  return keys.map(({ pk, sk }) => found.find((item) => item['pk'] === pk && item['sk'] === sk));
}

type Without<T> = Omit<T, 'TableName' | 'ReturnValuesOnConditionCheckFailure'>;

/** A conditional put. `refused` carries the row that stood in the way. */
export async function putRow(input: Without<PutCommandInput>): Promise<{ refused: Item } | 'written'> {
  const command = new PutCommand({ ...input, TableName: tableName(), ReturnValuesOnConditionCheckFailure: 'ALL_OLD' });
  try {
    await mapTransient(documents().send(command));
    return 'written';
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return { refused: plain(error.Item) ?? {} };
    throw error;
  }
}

/** A conditional update. `refused` carries the row as it stood (empty where there was none), `written` the row as it is now. */
export async function updateRow(input: Without<UpdateCommandInput>): Promise<{ refused: Item } | { written: Item }> {
  const command = new UpdateCommand({
    ReturnValues: 'ALL_NEW',
    ...input,
    TableName: tableName(),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  try {
    const output = await mapTransient(documents().send(command));
    return { written: output.Attributes ?? {} };
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return { refused: plain(error.Item) ?? {} };
    throw error;
  }
}

/** One page of a query. */
export async function queryRows(input: Omit<QueryCommandInput, 'TableName'>): Promise<QueryCommandOutput> {
  return mapTransient(documents().send(new QueryCommand({ ...input, TableName: tableName() })));
}

/** One page of the whole table: for the manager's work on all rows. No function may scan. */
export async function scanRows(input: Omit<ScanCommandInput, 'TableName'>): Promise<ScanCommandOutput> {
  return mapTransient(documents().send(new ScanCommand({ ...input, TableName: tableName() })));
}

/** Every page of a query. */
export async function queryAllRows(input: Omit<QueryCommandInput, 'TableName'>): Promise<Item[]> {
  const items: Item[] = [];
  let from: Item | undefined;
  do {
    const output = await queryRows({ ...input, ExclusiveStartKey: from });
    items.push(...(output.Items ?? []));
    from = output.LastEvaluatedKey;
  } while (from);
  return items;
}

/**
 * All or nothing. Gives 'written', or what stood in the way, one entry per item. A transaction that met another on the
 * same row (TransactionConflict, which the SDK does not retry) is tried again here, and only here.
 */
export async function transact(
  items: readonly TransactItem[],
  pause = conflictPause,
): Promise<readonly Refused[] | 'written'> {
  const named = items.map((item) =>
    Object.fromEntries(
      Object.entries(item).map(([kind, value]) => [
        kind,
        { ReturnValuesOnConditionCheckFailure: 'ALL_OLD', ...value, TableName: tableName() },
      ]),
    ),
  ) as WriteItem[];
  for (let attempt = 1; ; attempt++) {
    try {
      await mapTransient(documents().send(new TransactWriteCommand({ TransactItems: named })));
      return 'written';
    } catch (error) {
      if (!(error instanceof TransactionCanceledException)) throw error;
      const reasons: CancellationReason[] = error.CancellationReasons ?? [];
      if (reasons.some(({ Code }) => Code === 'ConditionalCheckFailed')) {
        return reasons.map(({ Code, Item }) => ({ failed: Code === 'ConditionalCheckFailed', item: plain(Item) }));
      }
      const passes = reasons.every(({ Code }) =>
        ['None', 'TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded'].includes(Code ?? 'None'),
      );
      if (!passes) throw error;
      if (attempt === CONFLICT_TRIES) throw new Failure('servico_indisponivel', { cause: error });
      await pause(attempt);
    }
  }
}

const conflictPause = (attempt: number) => jitteredPause(CONFLICT_PAUSE * 2 ** attempt);

/** Full jitter: waits between 0 and `longest` milliseconds. */
export function jitteredPause(longest: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.random() * longest));
}
