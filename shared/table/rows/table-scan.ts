// Building blocks of the manager's long work on rows: a scan of the whole table, and the place where the next run
// continues.

import { setTimeout as wait } from 'node:timers/promises';
import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as z from 'zod/mini';
import { type Milliseconds, seconds } from '#shared/domain/values/time.ts';
import { underDeadline } from '#shared/runtime/deadline.ts';
import { tableName } from '#shared/runtime/env.ts';
import { takeTableUse } from '#shared/runtime/metrics.ts';
import { type Item, putRow, scanRows, transact } from './client.ts';
import type { RowKey } from './keys.ts';

/** Most rows of one page. A run that is resumed may read its first page a second time. */
const PAGE = 100;
/** Rows that are worked on at the same time. */
const CONCURRENCY = 8;
/** Most rows that the result names among those that could not be worked on. */
const MOST_NAMED = 20;

export interface Pace {
  /** Capacity units, of reads and writes, that the work may use in a second. */
  readonly unitsPerSecond: number;
  readonly pause: (time: Milliseconds) => Promise<void>;
}

/** Returns a pace that waits by the system's clock. */
export const paceOf = (unitsPerSecond: number): Pace => ({
  unitsPerSecond,
  pause: (time) => wait(time),
});

/** Pace of counting: half of what an idle table with on-demand capacity serves immediately. */
export const COUNTING_PACE = paceOf(2_000);

/** Format of a row's key in a stored place. */
export const keyFormat = z.object({ pk: z.string(), sk: z.string() });

/** Returns the key of a row. */
export const keyOf = (item: Item): RowKey => ({ pk: String(item['pk']), sk: String(item['sk']) });

/** Returns a key as people read it. */
const nameOf = ({ pk, sk }: RowKey) => `${pk} ${sk}`;

/** Returns about how many rows the table has. AWS counts them every six hours. */
export async function approximateRows(): Promise<number> {
  const describe = new DescribeTableCommand({ TableName: tableName() });
  const { Table } = await new DynamoDBClient({}).send(describe, underDeadline());
  return Table?.ItemCount ?? 0;
}

/**
 * Yields the given attributes of every row, or of the rows after `from`, page by page. `after`: key of the page's last
 * row, undefined on the last page. Before the next page, waits until the capacity used since the page before, writes
 * included, keeps to the pace.
 */
export async function* scanTable(
  attributes: string,
  { unitsPerSecond, pause }: Pace,
  from?: RowKey,
): AsyncGenerator<{ readonly items: readonly Item[]; readonly after: RowKey | undefined }, void> {
  let after = from;
  // Smaller pages at a slow pace, because a pause must not be longer than a call may take. A row of 18 KB takes about 23
  // units, to read and to write it: after these pages, 3 seconds. A page has at least one row.
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

/** Returns the results of `work` for each row, in their order. Works on CONCURRENCY rows at the same time. */
export async function mapConcurrently<T>(
  items: readonly Item[],
  work: (item: Item) => Promise<T>,
): Promise<readonly T[]> {
  let outcomes: T[] = [];
  for (let start = 0; start < items.length; start += CONCURRENCY)
    outcomes = outcomes.concat(await Promise.all(items.slice(start, start + CONCURRENCY).map(work)));
  return outcomes;
}

/** Stores the place where the next run continues. Without a place, the next run begins with the first row. */
export async function storePlace(
  cursor: RowKey,
  place: (Item & { readonly after: RowKey }) | undefined,
): Promise<void> {
  if (place) await putRow({ Item: { ...cursor, ...place } });
  else await transact([{ Delete: { Key: cursor } }]);
}

/** Fields of a stored place that say which rows before it could not be worked on. */
export const brokenFormat = z.object({ broken: z.array(keyFormat), brokenCount: z.number() });

/**
 * Rows that could not be worked on: their number, and the keys of the first ones. Includes those that earlier runs met
 * before the place where this run continues.
 */
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

  /** Number of the rows that could not be worked on. */
  get count(): number {
    return this.#count;
  }

  /** Keys of the first rows, for the stored place. */
  get keys(): readonly RowKey[] {
    return this.#named;
  }

  /** The keys of `keys`, as people read them. */
  get names(): readonly string[] {
    return this.#named.map(nameOf);
  }
}
