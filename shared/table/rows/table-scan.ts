import { setTimeout as wait } from 'node:timers/promises';
import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as z from 'zod/mini';
import { type Milliseconds, seconds } from '#shared/domain/values/time.ts';
import { underDeadline } from '#shared/runtime/deadline.ts';
import { tableName } from '#shared/runtime/env.ts';
import { takeTableUse } from '#shared/runtime/metrics.ts';
import { type Item, putRow, scanRows, transact } from './client.ts';
import type { RowKey } from './keys.ts';

/** A run that is resumed may read its first page a second time. */
const PAGE = 100;
const CONCURRENCY = 8;
const MOST_NAMED = 20;

export interface Pace {
  /** Counts reads and writes. */
  readonly unitsPerSecond: number;
  readonly pause: (time: Milliseconds) => Promise<void>;
}

export const paceOf = (unitsPerSecond: number): Pace => ({
  unitsPerSecond,
  pause: (time) => wait(time),
});

/** Half of what an idle table with on-demand capacity serves immediately. */
export const COUNTING_PACE = paceOf(2_000);

export const keyFormat = z.object({ pk: z.string(), sk: z.string() });

export const keyOf = (item: Item): RowKey => ({ pk: String(item['pk']), sk: String(item['sk']) });

const nameOf = ({ pk, sk }: RowKey) => `${pk} ${sk}`;

/** AWS counts the rows every six hours. */
export async function approximateRows(): Promise<number> {
  const describe = new DescribeTableCommand({ TableName: tableName() });
  const { Table } = await new DynamoDBClient({}).send(describe, underDeadline());
  return Table?.ItemCount ?? 0;
}

/** Keeps to the pace, writes included. `after`: key of the page's last row, undefined on the last page. */
export async function* scanTable(
  attributes: string,
  { unitsPerSecond, pause }: Pace,
  from?: RowKey,
): AsyncGenerator<{ readonly items: readonly Item[]; readonly after: RowKey | undefined }, void> {
  let after = from;
  // Smaller pages at a slow pace, because a pause must not be longer than a call may take. A row of 18 KB takes about
  // 23 units to read and write, so the pause is about 3 seconds.
  const rows = Math.max(1, Math.min(PAGE, Math.floor(unitsPerSecond / 8)));
  takeTableUse();
  for (;;) {
    const page = await scanRows({
      ProjectionExpression: attributes,
      Limit: rows,
      ConsistentRead: true,
      ExclusiveStartKey: after,
    });
    after = page.LastEvaluatedKey && keyOf(page.LastEvaluatedKey);
    yield { items: page.Items ?? [], after };
    if (!after) return;
    const { units } = takeTableUse();
    if (units > 0) await pause((seconds(1) * units) / unitsPerSecond);
  }
}

/** Returns the outcomes in the order of the items. */
export async function mapConcurrently<T>(
  items: readonly Item[],
  work: (item: Item) => Promise<T>,
): Promise<readonly T[]> {
  let outcomes: T[] = [];
  for (let start = 0; start < items.length; start += CONCURRENCY)
    outcomes = outcomes.concat(await Promise.all(items.slice(start, start + CONCURRENCY).map(work)));
  return outcomes;
}

/** Without a place, the next run begins with the first row. */
export async function storePlace(
  cursor: RowKey,
  place: (Item & { readonly after: RowKey }) | undefined,
): Promise<void> {
  if (place) await putRow({ Item: { ...cursor, ...place } });
  else await transact([{ Delete: { Key: cursor } }]);
}

export const brokenFormat = z.object({ broken: z.array(keyFormat), brokenCount: z.number() });

/** Rows that could not be encrypted or moved, with those of the earlier runs that this run continues. */
export class BrokenRows {
  #named: readonly RowKey[];
  #count: number;

  constructor({ broken, brokenCount }: z.infer<typeof brokenFormat> = { broken: [], brokenCount: 0 }) {
    this.#named = broken;
    this.#count = brokenCount;
  }

  add(items: readonly Item[]): void {
    this.#count += items.length;
    this.#named = this.#named.concat(items.slice(0, MOST_NAMED - this.#named.length).map(keyOf));
  }

  get count(): number {
    return this.#count;
  }

  get keys(): readonly RowKey[] {
    return this.#named;
  }

  get names(): readonly string[] {
    return this.#named.map(nameOf);
  }
}
