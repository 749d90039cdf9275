import { randomBytes } from 'node:crypto';
import {
  type AttributeValue,
  type CancellationReason,
  ConditionalCheckFailedException,
  TransactionCanceledException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  type DynamoDBDocumentClient,
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
import { Failure } from '#shared/domain/values/failure.ts';
import { type Milliseconds, seconds } from '#shared/domain/values/time.ts';
import { remainingTime, underDeadline } from '#shared/runtime/deadline.ts';
import { tableName } from '#shared/runtime/env.ts';
import { documents, mapTransient } from './connection.ts';
import type { RowKey } from './keys.ts';
import { knownRow, ROW_VERSION, versioned } from './row-format.ts';

export type Item = Record<string, unknown>;

type WriteItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];
/** Part of a transaction. The table's name is added when it is sent. */
export type TransactItem = { [Kind in keyof WriteItem]: Omit<NonNullable<WriteItem[Kind]>, 'TableName'> };

/** Part of a refused transaction: whether its condition failed, and the row that it met. */
export interface Refused {
  readonly failed: boolean;
  readonly item: Item | undefined;
}

/**
 * A write that met a transaction on the same row is tried again until the invocation's deadline, or for this long outside
 * of an invocation. The pause before a try is drawn between 0 and a bound that doubles from the first to the longest.
 */
const CONFLICT_PATIENCE: Milliseconds = seconds(10);
const FIRST_PAUSE: Milliseconds = 20;
const LONGEST_PAUSE: Milliseconds = 320;
/** Rows of one BatchGetItem, and how often those that an answer left unprocessed are asked for again. */
const BATCH = 100;
const BATCH_TRIES = 4;

/** The SDK's client, for tests that count calls or make them fail. */
export const tableClient = (): DynamoDBDocumentClient => documents();

// The document client leaves the row inside a refusal as the wire has it.
const refusingRow = (item: Record<string, AttributeValue> | undefined): Item | undefined =>
  item && knownRow(unmarshall(item));

/** Returns a row, read consistently. Undefined if there is none. */
export async function getRow(key: RowKey): Promise<Item | undefined> {
  const command = new GetCommand({ TableName: tableName(), Key: key, ConsistentRead: true });
  const output = await mapTransient(documents().send(command, underDeadline()));
  return knownRow(output.Item);
}

/** Several rows, 100 a round trip, in the order of the keys; undefined where there is none. */
export async function getRows(keys: readonly RowKey[], pause = beforeRetry): Promise<(Item | undefined)[]> {
  let rows: (Item | undefined)[] = [];
  for (let start = 0; start < keys.length; start += BATCH)
    rows = rows.concat(await getBatch(keys.slice(start, start + BATCH), pause));
  return rows;
}

async function getBatch(keys: readonly RowKey[], pause: typeof beforeRetry): Promise<(Item | undefined)[]> {
  let found: Item[] = [];
  let wanted: Item[] = keys.map(({ pk, sk }) => ({ pk, sk }));
  // Unprocessed keys mean that the table throttles: let it, ask a few times more, then give up.
  for (let round = 0; wanted.length > 0; round++) {
    if (round === BATCH_TRIES) throw new Failure('servico_indisponivel');
    if (round > 0) await pause(FIRST_PAUSE * 2 ** (round - 1));
    const output = await mapTransient(
      documents().send(
        new BatchGetCommand({ RequestItems: { [tableName()]: { Keys: wanted, ConsistentRead: true } } }),
        underDeadline(),
      ),
    );
    found = found.concat((output.Responses?.[tableName()] ?? []).map(knownRow));
    wanted = output.UnprocessedKeys?.[tableName()]?.Keys ?? [];
  }
  return keys.map(({ pk, sk }) => found.find((item) => item['pk'] === pk && item['sk'] === sk));
}

type Without<T> = Omit<T, 'TableName' | 'ReturnValuesOnConditionCheckFailure'>;

/**
 * Marks a conditional write. Where the answer to it is lost the SDK repeats it, and the condition refuses the repetition
 * because of the write itself: the mark in the row tells that from another's write. Transactions carry a request token.
 */
const newNonce = () => randomBytes(9).toString('base64url');

/** A conditional put, into another table than the one where `table` names it. `refused` carries the row that stood in the way. */
export async function putRow(
  input: Without<PutCommandInput>,
  table = tableName(),
): Promise<{ refused: Item } | 'written'> {
  const nonce = newNonce();
  const command = new PutCommand({
    ...input,
    Item: versioned({ ...input.Item, nonce: input.ConditionExpression === undefined ? undefined : nonce }),
    TableName: table,
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  try {
    await beyondConflicts(() => documents().send(command, underDeadline()));
    return 'written';
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    const refused = refusingRow(error.Item) ?? {};
    return refused['nonce'] === nonce ? 'written' : { refused };
  }
}

/**
 * A conditional update that only one of several may win (a lease, a rotation): marked as `putRow` marks its writes, so that
 * a repetition of it is no defeat. The expression begins with SET.
 */
export function winRow(input: Without<UpdateCommandInput>): Promise<{ refused: Item } | { written: Item }> {
  const nonce = newNonce();
  const marked = {
    ...input,
    UpdateExpression: input.UpdateExpression?.replace(/^SET /, 'SET nonce = :nonce, '),
    ExpressionAttributeValues: { ...input.ExpressionAttributeValues, ':nonce': nonce },
  };
  return updateRow(marked, ({ nonce: found }) => found === nonce);
}

/**
 * A conditional update. `refused` carries the row as it stood (empty where there was none), `written` the row as it is
 * now. `isOwn` tells of a refusing row whether this very update has written it.
 */
export async function updateRow(
  input: Without<UpdateCommandInput>,
  isOwn: (refused: Item) => boolean = () => false,
): Promise<{ refused: Item } | { written: Item }> {
  const command = new UpdateCommand({
    ReturnValues: 'ALL_NEW',
    ...input,
    TableName: tableName(),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  try {
    const output = await beyondConflicts(() => documents().send(command, underDeadline()));
    return { written: knownRow(output.Attributes ?? {}) };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    const refused = refusingRow(error.Item) ?? {};
    return isOwn(refused) ? { written: refused } : { refused };
  }
}

/** An update that makes the row where there is none. The expression begins with SET or ADD. */
export function makeOrUpdateRow(input: Without<UpdateCommandInput>): Promise<{ refused: Item } | { written: Item }> {
  const expression = input.UpdateExpression ?? '';
  const set = 'SET v = if_not_exists(v, :v)';
  return updateRow({
    ...input,
    UpdateExpression: expression.startsWith('SET ') ? expression.replace('SET', `${set},`) : `${set} ${expression}`,
    ExpressionAttributeValues: { ...input.ExpressionAttributeValues, ':v': ROW_VERSION },
  });
}

/** One page of a query. */
export async function queryRows(input: Omit<QueryCommandInput, 'TableName'>): Promise<QueryCommandOutput> {
  const command = new QueryCommand({ ...input, TableName: tableName() });
  const output = await mapTransient(documents().send(command, underDeadline()));
  output.Items?.forEach(knownRow);
  return output;
}

/** One page of a query, from where the last one ended; `next` is an opaque text that callers keep. */
export async function queryPage(
  input: Omit<QueryCommandInput, 'TableName' | 'ExclusiveStartKey'>,
  after: string | undefined,
): Promise<{ items: Item[]; next: string | undefined }> {
  const from = after === undefined ? undefined : JSON.parse(after);
  const { Items = [], LastEvaluatedKey } = await queryRows({ ...input, ExclusiveStartKey: from });
  return { items: Items, next: LastEvaluatedKey && JSON.stringify(LastEvaluatedKey) };
}

/** One page of a whole table, the one unless named: for the manager's work on all rows. No function may scan. */
export async function scanRows(
  input: Omit<ScanCommandInput, 'TableName'>,
  table = tableName(),
): Promise<ScanCommandOutput> {
  const command = new ScanCommand({ ...input, TableName: table });
  const output = await mapTransient(documents().send(command, underDeadline()));
  output.Items?.forEach(knownRow);
  return output;
}

/** Every page of a query. */
export async function queryAllRows(input: Omit<QueryCommandInput, 'TableName'>): Promise<Item[]> {
  let items: Item[] = [];
  let from: Item | undefined;
  do {
    const output = await queryRows({ ...input, ExclusiveStartKey: from });
    items = items.concat(output.Items ?? []);
    from = output.LastEvaluatedKey;
  } while (from);
  return items;
}

/** Every row of a partition, or those whose sort key begins with a text, by sort key; read consistently. */
export function queryPartition(pk: string, prefix?: string): Promise<Item[]> {
  return queryAllRows({
    KeyConditionExpression: prefix === undefined ? 'pk = :pk' : 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: { ':pk': pk, ':prefix': prefix },
    ConsistentRead: true,
  });
}

/**
 * Writes all items or none. Returns 'written', or for each item whether it was refused and the row that it met. Tries again
 * while it meets another transaction on the same row.
 */
export async function transact(
  items: readonly TransactItem[],
  pause = jitteredPause,
): Promise<readonly Refused[] | 'written'> {
  const TransactItems = items.map(named);
  try {
    await beyondConflicts(() => documents().send(new TransactWriteCommand({ TransactItems }), underDeadline()), pause);
    return 'written';
  } catch (error) {
    const reasons = cancellationReasons(error);
    if (!reasons.some(conditionFailed)) throw error;
    return reasons.map((reason) => ({ failed: conditionFailed(reason), item: refusingRow(reason.Item) }));
  }
}

/** The item as it is sent: of the table, with the version of the rows' layout, and to be answered with the row that refuses it. */
function named({ Put, Update, Delete, ConditionCheck }: TransactItem): WriteItem {
  const common = { TableName: tableName(), ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;
  if (Put) return { Put: { ...Put, ...common, Item: versioned(Put.Item) } };
  if (Update) return { Update: { ...Update, ...common } };
  if (Delete) return { Delete: { ...Delete, ...common } };
  if (ConditionCheck) return { ConditionCheck: { ...ConditionCheck, ...common } };
  throw new Error('an item of a transaction writes and checks nothing');
}

const cancellationReasons = (error: unknown): readonly CancellationReason[] =>
  error instanceof TransactionCanceledException ? (error.CancellationReasons ?? []) : [];

const conditionFailed = ({ Code }: CancellationReason) => Code === 'ConditionalCheckFailed';

const TRANSIENT_REASONS = ['None', 'TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded'];

/** Whether a write was refused for what passes by itself: another transaction on one of its rows, or a throttle in it. */
function isConflict(error: unknown): boolean {
  if (error instanceof TransactionConflictException) return true;
  const reasons = cancellationReasons(error);
  return reasons.length > 0 && reasons.every(({ Code }) => TRANSIENT_REASONS.includes(Code ?? 'None'));
}

/**
 * A write, tried again while a transaction holds one of its rows: DynamoDB refuses single writes as well as transactions
 * there, and the SDK repeats neither. Throws `servico_indisponivel` where there is no time for another try.
 */
async function beyondConflicts<T>(write: () => Promise<T>, pause = jitteredPause): Promise<T> {
  const giveUpAt = performance.now() + remainingTime(CONFLICT_PATIENCE);
  for (let longest = FIRST_PAUSE; ; longest = Math.min(2 * longest, LONGEST_PAUSE)) {
    try {
      return await mapTransient(write());
    } catch (error) {
      if (!isConflict(error)) throw error;
      if (performance.now() + longest > giveUpAt) throw new Failure('servico_indisponivel', { cause: error });
      await pause(longest);
    }
  }
}

/**
 * Waits before a lost race is run again, or a throttled table is asked again: between 0 and `longest`, 320 ms at most.
 * Throws `servico_indisponivel` if the invocation has no time for it.
 */
export async function beforeRetry(longest: Milliseconds): Promise<void> {
  const bound = Math.min(longest, LONGEST_PAUSE);
  if (remainingTime(CONFLICT_PATIENCE) < bound) throw new Failure('servico_indisponivel');
  await jitteredPause(bound);
}

/** Waits between 0 and `longest` (full jitter). */
const jitteredPause = (longest: Milliseconds): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.random() * longest));
