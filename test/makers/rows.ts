import { BatchWriteCommand, type BatchWriteCommandInput, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { neverOwn, tableClient, updateRecognised } from '#shared/table/rows/client.ts';
import type { RowKey } from '#shared/table/rows/keys.ts';

/** Returns the stored rows whose partition key begins with a text. */
export async function rowsOf(prefix: string): Promise<Record<string, unknown>[]> {
  return (await everyRow()).filter(({ pk }) => String(pk).startsWith(prefix));
}

/** Returns all rows of the table, or of one of its indexes. */
export async function everyRow(index?: string): Promise<Record<string, unknown>[]> {
  const rows: Record<string, unknown>[] = [];
  let from: Record<string, unknown> | undefined;
  do {
    const output = await tableClient().send(
      new ScanCommand({
        TableName: process.env['TABLE_NAME']!,
        ...(index !== undefined && { IndexName: index }),
        ExclusiveStartKey: from,
      }),
    );
    rows.push(...(output.Items ?? []));
    from = output.LastEvaluatedKey;
  } while (from);
  return rows;
}

/**
 * Writes fields of an existing row and keeps its others. A name with a dot is a field of a map: `k.abcde`. Throws an
 * Error if there is no such row.
 */
export async function setFields({ pk, sk }: RowKey, fields: Readonly<Record<string, unknown>>): Promise<void> {
  const entries = Object.entries(fields).map(([name, value], at) => ({ path: name.split('.'), value, at }));
  const pathOf = ({ path, at }: (typeof entries)[number]) => path.map((_, depth) => `#f${at}_${depth}`).join('.');
  const update = {
    Key: { pk, sk },
    UpdateExpression: `SET ${entries.map((entry) => `${pathOf(entry)} = :f${entry.at}`).join(', ')}`,
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeNames: Object.fromEntries(
      entries.flatMap(({ path, at }) => path.map((part, depth) => [`#f${at}_${depth}`, part])),
    ),
    ExpressionAttributeValues: Object.fromEntries(entries.map(({ value, at }) => [`:f${at}`, value])),
  };
  if ('refused' in (await updateRecognised(update, neverOwn))) throw new Error(`there is no row ${pk} ${sk}`);
}

/** Replaces the sealed part of a row by one that cannot be opened, because its sealing key never existed. */
export const damageSealed = (key: RowKey) => setFields(key, { sealed: Buffer.from([1, 0, 0, ...Array(60).fill(7)]) });

/** Deletes every row. */
export async function clearTable(): Promise<void> {
  await deleteRows(
    process.env['TABLE_NAME']!,
    (await everyRow()).map(({ pk, sk }) => ({ pk, sk })),
  );
}

/** Deletes every entry of the erasure ledger. */
export async function clearLedger(): Promise<void> {
  const table = process.env['ERASURE_LEDGER_NAME']!;
  const { Items = [] } = await tableClient().send(new ScanCommand({ TableName: table }));
  await deleteRows(
    table,
    Items.map(({ pk }) => ({ pk })),
  );
}

function deleteRows(table: string, keys: readonly Record<string, unknown>[]): Promise<void> {
  return writeInBatches(
    table,
    keys.map((Key) => ({ DeleteRequest: { Key } })),
  );
}

/** Writes entries of the erasure ledger unchanged. */
export function writeLedger(entries: readonly Record<string, unknown>[]): Promise<void> {
  return writeInBatches(
    process.env['ERASURE_LEDGER_NAME']!,
    entries.map((Item) => ({ PutRequest: { Item } })),
  );
}

/** Writes rows unchanged. */
export function writeRows(rows: readonly Record<string, unknown>[]): Promise<void> {
  return writeInBatches(
    process.env['TABLE_NAME']!,
    rows.map((Item) => ({ PutRequest: { Item } })),
  );
}

type WriteRequests = NonNullable<BatchWriteCommandInput['RequestItems']>[string];

async function writeInBatches(table: string, requests: WriteRequests): Promise<void> {
  // BatchWriteItem takes at most 25 items.
  for (let start = 0; start < requests.length; start += 25)
    await tableClient().send(new BatchWriteCommand({ RequestItems: { [table]: requests.slice(start, start + 25) } }));
}
