import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { type AttributeValue, BatchWriteItemCommand, type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';

type Row = Record<string, AttributeValue>;

/** The most rows of one batch write. */
const BATCH = 25;

/**
 * Writes all rows of a table as DynamoDB's export to S3 lays them out: `AWSDynamoDB/<export>/data/<part>.json.gz`, a line
 * `{"Item": {...}}` for each row in DynamoDB's JSON, binary values as base64. Gives how many rows it wrote.
 */
export async function exportTable(client: DynamoDBClient, table: string, folder: string): Promise<number> {
  const data = join(folder, 'AWSDynamoDB', randomUUID(), 'data');
  mkdirSync(data, { recursive: true, mode: 0o700 });
  let rows = 0;
  let after: Row | undefined;
  do {
    const page = await client.send(
      new ScanCommand({ TableName: table, ConsistentRead: true, ...(after && { ExclusiveStartKey: after }) }),
    );
    const lines = (page.Items ?? []).map((Item) => `${JSON.stringify({ Item }, toBase64)}\n`);
    rows += lines.length;
    writeFileSync(join(data, `${randomUUID()}.json.gz`), gzipSync(lines.join('')), { mode: 0o600 });
    after = page.LastEvaluatedKey;
  } while (after);
  return rows;
}

/** Writes the rows of an export into an empty table. Gives how many it wrote. */
export async function importTable(client: DynamoDBClient, table: string, folder: string): Promise<number> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json.gz'));
  const rows = files.flatMap((file) =>
    gunzipSync(readFileSync(join(folder, file)))
      .toString('utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => (JSON.parse(line, fromBase64) as { Item: Row }).Item),
  );
  for (let from = 0; from < rows.length; from += BATCH) {
    const requests = rows.slice(from, from + BATCH).map((Item) => ({ PutRequest: { Item } }));
    const { UnprocessedItems = {} } = await client.send(
      new BatchWriteItemCommand({ RequestItems: { [table]: requests } }),
    );
    if (Object.keys(UnprocessedItems).length > 0) throw new Error('the table left rows of the export unwritten');
  }
  return rows.length;
}

function toBase64(_: string, value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value;
}

/** `B` is the type of a binary value; an attribute of that name holds an object. */
function fromBase64(name: string, value: unknown): unknown {
  return name === 'B' && typeof value === 'string' ? Buffer.from(value, 'base64') : value;
}
