import { BatchWriteCommand, type BatchWriteCommandInput, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { tableClient, updateRow } from '#shared/table/rows/client.ts';
import type { RowKey } from '#shared/table/rows/keys.ts';

/** The rows whose partition key begins with a text, as the table has them. */
export async function rowsOf(prefix: string): Promise<Record<string, unknown>[]> {
  return (await everyRow()).filter(({ pk }) => String(pk).startsWith(prefix));
}

/** All rows as the table holds them, or as one of its indexes does. */
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

/** Writes fields of a row that is there, and leaves its others. A name with a dot is of a map: `k.abcde`. */
export async function setFields({ pk, sk }: RowKey, fields: Readonly<Record<string, unknown>>): Promise<void> {
  const given = Object.entries(fields).map(([name, value], at) => ({ path: name.split('.'), value, at }));
  const placeOf = ({ path, at }: (typeof given)[number]) => path.map((_, depth) => `#f${at}_${depth}`).join('.');
  const outcome = await updateRow({
    Key: { pk, sk },
    UpdateExpression: `SET ${given.map((one) => `${placeOf(one)} = :f${one.at}`).join(', ')}`,
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeNames: Object.fromEntries(
      given.flatMap(({ path, at }) => path.map((part, depth) => [`#f${at}_${depth}`, part])),
    ),
    ExpressionAttributeValues: Object.fromEntries(given.map(({ value, at }) => [`:f${at}`, value])),
  });
  if ('refused' in outcome) throw new Error(`there is no row ${pk} ${sk}`);
}

/** Makes the sealed part of a row one that does not open: of a sealing key that there never was. */
export const damageSealed = (key: RowKey) => setFields(key, { sealed: Buffer.from([1, 0, 0, ...Array(60).fill(7)]) });

/** Takes every row away. */
export async function clearTable(): Promise<void> {
  await deleteRows(
    process.env['TABLE_NAME']!,
    (await everyRow()).map(({ pk, sk }) => ({ pk, sk })),
  );
}

/** Takes every entry of the erasures' ledger away. */
export async function clearLedger(): Promise<void> {
  const table = process.env['ERASURE_LEDGER_NAME']!;
  const { Items = [] } = await tableClient().send(new ScanCommand({ TableName: table }));
  await deleteRows(
    table,
    Items.map(({ pk }) => ({ pk })),
  );
}

function deleteRows(table: string, keys: readonly Record<string, unknown>[]): Promise<void> {
  return batches(
    table,
    keys.map((Key) => ({ DeleteRequest: { Key } })),
  );
}

/** Writes rows as they are. */
export function writeRows(rows: readonly Record<string, unknown>[]): Promise<void> {
  return batches(
    process.env['TABLE_NAME']!,
    rows.map((Item) => ({ PutRequest: { Item } })),
  );
}

type WriteRequests = NonNullable<BatchWriteCommandInput['RequestItems']>[string];

async function batches(table: string, requests: WriteRequests): Promise<void> {
  // A batch takes 25.
  for (let start = 0; start < requests.length; start += 25)
    await tableClient().send(new BatchWriteCommand({ RequestItems: { [table]: requests.slice(start, start + 25) } }));
}
