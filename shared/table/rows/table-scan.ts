// What the manager's long work on rows is made of: a walk over the whole table, and a place from which it goes on.

import { setTimeout as wait } from 'node:timers/promises';
import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as z from 'zod/mini';
import { type Milliseconds, seconds } from '#shared/domain/values/time.ts';
import { tableName } from '#shared/runtime/env.ts';
import { takeTableUse } from '#shared/runtime/metrics.ts';
import { type Item, putRow, scanRows, transact } from './client.ts';
import type { RowKey } from './keys.ts';

/** Rows of one look: what a resumed run may have to look at twice. */
const PAGE = 100;
/** Rows that are worked on at the same time. */
const LANES = 8;
/** Rows that could not be worked on, named in the result. */
const MOST_NAMED = 20;

export interface Pace {
  /** Capacity units, reads and writes, that a second may take. */
  readonly unitsPerSecond: number;
  readonly pause: (time: Milliseconds) => Promise<void>;
}

/** A pace that waits on the system's clock. */
export const paceOf = (unitsPerSecond: number): Pace => ({
  unitsPerSecond,
  pause: (time) => wait(time),
});

/** The pace of counting: half of what an idle table of on-demand capacity takes at once. */
export const COUNTING_PACE = paceOf(2_000);

/** A row's key, as places keep it. */
export const keyFormat = z.object({ pk: z.string(), sk: z.string() });

/** The key of a row. */
export const keyOf = (item: Item): RowKey => ({ pk: String(item['pk']), sk: String(item['sk']) });

/** A key as people read it. */
const nameOf = ({ pk, sk }: RowKey) => `${pk} ${sk}`;

/** About how many rows the table has: AWS counts them every six hours. */
export async function approximateRows(): Promise<number> {
  const { Table } = await new DynamoDBClient({}).send(new DescribeTableCommand({ TableName: tableName() }));
  return Table?.ItemCount ?? 0;
}

/**
 * These attributes of every row, or of those behind `from`, a page a turn. `after` is the row that was last, undefined at
 * the end. Before the next page it waits as long as what the table has charged since may take, writes included.
 */
export async function* scanTable(
  attributes: string,
  { unitsPerSecond, pause }: Pace,
  from?: RowKey,
): AsyncGenerator<{ readonly items: readonly Item[]; readonly after: RowKey | undefined }, void> {
  let after = from;
  takeTableUse();
  for (;;) {
    const page = await scanRows({
      ProjectionExpression: attributes,
      Limit: PAGE,
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

/** What `work` makes of each row, in their order; so many at the same time. */
export async function inLanes<T>(items: readonly Item[], work: (item: Item) => Promise<T>): Promise<readonly T[]> {
  let outcomes: T[] = [];
  for (let start = 0; start < items.length; start += LANES)
    outcomes = outcomes.concat(await Promise.all(items.slice(start, start + LANES).map(work)));
  return outcomes;
}

/** Keeps the place from which the next run goes on; without one it begins with the first row. */
export async function keepPlace(cursor: RowKey, place: (Item & { readonly after: RowKey }) | undefined): Promise<void> {
  if (place) await putRow({ Item: { ...cursor, ...place } });
  else await transact([{ Delete: { Key: cursor } }]);
}

/** What a place keeps of the rows that could not be worked on up to it. */
export const brokenFormat = z.object({ broken: z.array(keyFormat), brokenCount: z.number() });

/** The rows that could not be worked on, those before the place from which a run goes on among them: how many, and the keys of the first. */
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

  /** Number of rows that were added. */
  get count(): number {
    return this.#count;
  }

  /** Keys of the first rows that were added, for the cursor. */
  get keys(): readonly RowKey[] {
    return this.#named;
  }

  /** The same keys as people read them. */
  get names(): readonly string[] {
    return this.#named.map(nameOf);
  }
}
