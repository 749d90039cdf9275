import { randomUUID } from 'node:crypto';
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
import { idOf } from '#shared/domain/values/ids.ts';
import { type Milliseconds, seconds } from '#shared/domain/values/time.ts';
import { remainingTime, underDeadline } from '#shared/runtime/deadline.ts';
import { tableName } from '#shared/runtime/env.ts';
import { documents, mapTransient } from './connection.ts';
import { numberIn, type RowKey } from './keys.ts';
import { knownRow, ROW_VERSION, versioned } from './row-format.ts';

export type Item = Record<string, unknown>;

type WriteItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];
/** `transact` adds the table's name. */
export type TransactItem = { [Kind in keyof WriteItem]: Omit<NonNullable<WriteItem[Kind]>, 'TableName'> };

type NamedParts = Readonly<Record<string, TransactItem | readonly TransactItem[] | undefined>>;

/** Undefined if there was no row. */
export interface Refusal {
  readonly row: Item | undefined;
}

/** A part of several items has the refusal of its first refused item. */
type Refusals<Name extends PropertyKey> = { readonly [name in Name]?: Refusal };

/** Time limit for retries outside of an invocation. Inside an invocation, its deadline is the limit. */
const CONFLICT_PATIENCE: Milliseconds = seconds(10);
/** The bound of the pause doubles with each try. */
const FIRST_PAUSE: Milliseconds = 20;
const LONGEST_PAUSE: Milliseconds = 320;
const BATCH = 100;
/** 50 forms of 64 KiB and 50 simulations stay below a function's 6 MB. */
export const PAGE = 50;
/** A table that throttles leaves rows unprocessed. */
const BATCH_TRIES = 4;

/** For tests. */
export const tableClient = (): DynamoDBDocumentClient => documents();

// The document client leaves the row of a refused condition in DynamoDB's raw format.
const refusingRow = (item: Record<string, AttributeValue> | undefined): Item | undefined =>
  item && knownRow(unmarshall(item));

/** Reads consistently. Undefined if there is no row. */
export async function getRow(key: RowKey): Promise<Item | undefined> {
  const command = new GetCommand({ TableName: tableName(), Key: key, ConsistentRead: true });
  const output = await mapTransient(documents().send(command, underDeadline()));
  return knownRow(output.Item);
}

/** Undefined for a key that has no row. Throws `servico_indisponivel` if the table keeps leaving rows out. */
export async function getRows(keys: readonly RowKey[], pause = beforeRetry): Promise<(Item | undefined)[]> {
  let rows: (Item | undefined)[] = [];
  for (let start = 0; start < keys.length; start += BATCH)
    rows = rows.concat(await getBatch(keys.slice(start, start + BATCH), pause));
  return rows;
}

async function getBatch(keys: readonly RowKey[], pause: typeof beforeRetry): Promise<(Item | undefined)[]> {
  let found: Item[] = [];
  let wanted: Item[] = keys.map(({ pk, sk }) => ({ pk, sk }));
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
 * If the answer to a write is lost, the SDK repeats the write, and the condition refuses the repetition because of the
 * first try. The mark in the row tells this case from another caller's write. Transactions need no mark, since they
 * carry a request token.
 */
const newNonce = () => randomUUID();

/** `refused`: the row that did not meet the condition. A refused repetition by the SDK is 'written'. */
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
    await retryConflicts(() => documents().send(command, underDeadline()));
    return 'written';
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    const refused = refusingRow(error.Item) ?? {};
    return refused['nonce'] === nonce ? 'written' : { refused };
  }
}

type Update = Without<UpdateCommandInput>;
type ConditionalUpdate = Update & { readonly ConditionExpression: string };

/** `written`: the row as it is now, empty if the update asks for no values. `refused`: empty if there is no row. */
export type UpdateOutcome = { readonly refused: Item } | { readonly written: Item };

/**
 * Does not say whether the update was refused: a repetition by the SDK looks the same. `winRow` tells these cases
 * apart.
 */
export async function updateRow(input: Update): Promise<void> {
  await updateIf({ ReturnValues: 'NONE', ...input }, neverOwn);
}

/** The expression must begin with SET or ADD. */
export function makeOrUpdateRow(input: Omit<Update, 'ConditionExpression'>): Promise<Item> {
  return sendUpdate(setting(input, 'v = if_not_exists(v, :v)', { ':v': ROW_VERSION }));
}

/**
 * Updates a row under a condition that another caller's write may break. The random text in the attribute `mark`
 * refuses a repetition by the SDK, which counts as written. The expression must begin with SET or ADD. Writers of one
 * row need marks of their own if they would overwrite each other's mark between two tries.
 */
export function winRow(input: ConditionalUpdate, mark = 'nonce'): Promise<UpdateOutcome> {
  const nonce = newNonce();
  const marked = setting(input, `${mark} = :nonce`, { ':nonce': nonce });
  const once = `(${input.ConditionExpression}) AND (attribute_not_exists(${mark}) OR ${mark} <> :nonce)`;
  return updateIf({ ...marked, ConditionExpression: once }, (refused) => refused[mark] === nonce);
}

/**
 * `isOwn` returns whether this same update has written the refusing row. It compares what the update writes, or is
 * `neverOwn`.
 */
export function updateRecognised(input: ConditionalUpdate, isOwn: (refused: Item) => boolean): Promise<UpdateOutcome> {
  return updateIf(input, isOwn);
}

/**
 * For an update whose condition reads nothing that the update writes. A repetition by the SDK meets the condition
 * again, so only another caller's write can refuse it.
 */
export const neverOwn = () => false;

async function updateIf(input: Update, isOwn: (refused: Item) => boolean): Promise<UpdateOutcome> {
  try {
    return { written: await sendUpdate(input) };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    const refused = refusingRow(error.Item) ?? {};
    return isOwn(refused) ? { written: refused } : { refused };
  }
}

async function sendUpdate(input: Update): Promise<Item> {
  const command = new UpdateCommand({
    ReturnValues: 'ALL_NEW',
    ...input,
    TableName: tableName(),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  const output = await retryConflicts(() => documents().send(command, underDeadline()));
  return knownRow(output.Attributes ?? {});
}

function setting<Input extends Update>(input: Input, assignment: string, values: Item): Input {
  const expression = input.UpdateExpression ?? '';
  const set = `SET ${assignment}`;
  return {
    ...input,
    UpdateExpression: expression.startsWith('SET ') ? expression.replace('SET', `${set},`) : `${set} ${expression}`,
    ExpressionAttributeValues: { ...input.ExpressionAttributeValues, ...values },
  };
}

export async function queryRows(input: Omit<QueryCommandInput, 'TableName'>): Promise<QueryCommandOutput> {
  const command = new QueryCommand({ ...input, TableName: tableName() });
  const output = await mapTransient(documents().send(command, underDeadline()));
  output.Items?.forEach(knownRow);
  return output;
}

/** `next` is an opaque text for the next call's `after`; undefined on the last page. */
export async function queryPage(
  input: Omit<QueryCommandInput, 'TableName' | 'ExclusiveStartKey'>,
  after: string | undefined,
): Promise<{ items: Item[]; next: string | undefined }> {
  const from = after === undefined ? undefined : JSON.parse(after);
  const { Items = [], LastEvaluatedKey } = await queryRows({ ...input, ExclusiveStartKey: from });
  return { items: Items, next: LastEvaluatedKey && JSON.stringify(LastEvaluatedKey) };
}

/** For the manager's work on all rows: only functions of the administration may scan. */
export async function scanRows(
  input: Omit<ScanCommandInput, 'TableName'>,
  table = tableName(),
): Promise<ScanCommandOutput> {
  const command = new ScanCommand({ ...input, TableName: table });
  const output = await mapTransient(documents().send(command, underDeadline()));
  output.Items?.forEach(knownRow);
  return output;
}

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

/** Sorted by sort key. Reads consistently. */
export function queryPartition(pk: string, prefix?: string): Promise<Item[]> {
  return queryAllRows({
    KeyConditionExpression: prefix === undefined ? 'pk = :pk' : 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: { ':pk': pk, ':prefix': prefix },
    ConsistentRead: true,
  });
}

export interface NewestPage<T, Id> {
  readonly items: readonly T[];
  readonly next: Id | undefined;
}

/** No rows if `before` is undefined. Reads consistently. */
export async function newestRows<Id extends number>(
  keyOf: (id: Id) => RowKey,
  before: Id | undefined,
): Promise<NewestPage<Item, Id>> {
  if (before === undefined) return { items: [], next: undefined };
  const { pk, sk: from } = keyOf(idOf<Id>(0));
  const { sk: to } = keyOf(idOf<Id>(before - 1));
  const { Items: items = [], LastEvaluatedKey: last } = await queryRows({
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
    ExpressionAttributeValues: { ':pk': pk, ':from': from, ':to': to },
    ScanIndexForward: false,
    Limit: PAGE,
    ConsistentRead: true,
  });
  return { items, next: last && idOf<Id>(numberIn(last['sk'])) };
}

/** For a caller that does not ask which item was refused. */
export async function transact(items: readonly TransactItem[], pause = jitteredPause): Promise<'written' | 'refused'> {
  return (await transactNamed({ items }, pause)) === 'written' ? 'written' : 'refused';
}

/**
 * Returns 'written', or the parts whose conditions failed. Tries again while another transaction holds one of the rows.
 * Throws `servico_indisponivel` if there is no time for another try.
 */
export async function transactNamed<Parts extends NamedParts>(
  parts: Parts,
  pause = jitteredPause,
): Promise<Refusals<keyof Parts> | 'written'> {
  const names: (keyof Parts)[] = [];
  const TransactItems: WriteItem[] = [];
  for (const name in parts) {
    for (const item of [parts[name] ?? []].flat()) {
      names.push(name);
      TransactItems.push(toWriteItem(item));
    }
  }
  try {
    await retryConflicts(() => documents().send(new TransactWriteCommand({ TransactItems }), underDeadline()), pause);
    return 'written';
  } catch (error) {
    const reasons = cancellationReasons(error);
    if (!reasons.some(conditionFailed)) throw error;
    const refusals: { [Name in keyof Parts]?: Refusal } = {};
    for (const [index, name] of names.entries()) {
      const reason = reasons[index];
      if (reason && conditionFailed(reason)) refusals[name] ??= { row: refusingRow(reason.Item) };
    }
    return refusals;
  }
}

function toWriteItem({ Put, Update, Delete, ConditionCheck }: TransactItem): WriteItem {
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

/** True for another transaction on one of the rows, or a throttle inside the transaction. */
function isConflict(error: unknown): boolean {
  if (error instanceof TransactionConflictException) return true;
  const reasons = cancellationReasons(error);
  return reasons.length > 0 && reasons.every(({ Code }) => TRANSIENT_REASONS.includes(Code ?? 'None'));
}

/**
 * DynamoDB refuses single writes as well as transactions while a transaction holds the row, and the SDK repeats
 * neither. Throws `servico_indisponivel` if there is no time for another try.
 */
async function retryConflicts<T>(write: () => Promise<T>, pause = jitteredPause): Promise<T> {
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

/** At most 320 ms. Throws `servico_indisponivel` if the invocation has no time for the wait. */
export async function beforeRetry(longest: Milliseconds): Promise<void> {
  const bound = Math.min(longest, LONGEST_PAUSE);
  if (remainingTime(CONFLICT_PATIENCE) < bound) throw new Failure('servico_indisponivel');
  await jitteredPause(bound);
}

const jitteredPause = (longest: Milliseconds): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.random() * longest));
