import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { Failure } from '../domain/values/failure.ts';
import { tableName } from '../runtime/env.ts';
import { takeTableUse } from '../runtime/metrics.ts';
import { getRow, type Item, putRow, scanRows, transact, updateRow } from './client.ts';
import { keyVersionOf, reencrypt } from './encryption.ts';
import { cursorKey, type RowKey } from './keys.ts';

/** Rows of one look: what a resumed run may have to look at twice. */
const PAGE = 100;
/** Rows that are written at the same time. */
const LANES = 8;
/** How often a row is tried that someone else writes at the same moment. */
const TRIES = 4;
/** Rows that could not be opened, named in the result. */
const MOST_NAMED = 20;

const CURSOR = cursorKey('reencrypt');
const cursorFormat = z.object({
  version: z.number(),
  after: z.object({ pk: z.string(), sk: z.string() }),
  seen: z.number(),
  resealed: z.number(),
});

/** How far a run has come. All counts are of rows. */
export interface Resealing {
  /** Looked at, by this run and by those that it carries on. */
  readonly seen: number;
  /** Sealed anew, by this run and by those that it carries on. */
  readonly resealed: number;
  /** Rows that do not open, by key: each was sealed by a key that is gone, or was damaged; those of the current key among them. */
  readonly broken: readonly RowKey[];
  readonly brokenCount: number;
  /** Whether every row has been looked at. */
  readonly done: boolean;
}

export interface Pace {
  /** Capacity units, reads and writes, that a second may take. */
  readonly unitsPerSecond: number;
  /** Waits so many milliseconds. */
  readonly pause: (milliseconds: number) => Promise<void>;
}

/** What kind of row a key names: LEAD, CONSENT. */
const kindOf = ({ pk }: RowKey): string => pk.split('#')[0]!;

/** The key of a row. */
export const keyOf = (item: Item): RowKey => ({ pk: String(item['pk']), sk: String(item['sk']) });

/** Waits as long as what the table has charged since the last call may take. */
export async function keepPace({ unitsPerSecond, pause }: Pace): Promise<void> {
  const { units } = takeTableUse();
  if (units > 0) await pause((1000 * units) / unitsPerSecond);
}

/**
 * Seals every row anew that another than the `current` key has sealed, a page a turn, and says after each how far it
 * is. The place is kept in the table: ended at any point, the next run goes on there, with its counts, unless the key
 * was rotated meanwhile. Content and all else of a row stay as they are. A row is written on the condition that its
 * sealed part is still the one that was opened, so a change by anyone else stands.
 */
export async function* resealRows(current: number, pace: Pace): AsyncGenerator<Resealing, void> {
  const kept = cursorFormat.safeParse(await getRow(CURSOR));
  const from = kept.success && kept.data.version === current ? kept.data : undefined;
  let [after, seen, resealed] = [from?.after, from?.seen ?? 0, from?.resealed ?? 0];
  const broken: RowKey[] = [];
  let brokenCount = 0;
  takeTableUse();
  do {
    const page = await scanRows({
      ProjectionExpression: 'pk, sk, sealed',
      Limit: PAGE,
      ConsistentRead: true,
      ...(after && { ExclusiveStartKey: after }),
    });
    const items = page.Items ?? [];
    for (let start = 0; start < items.length; start += LANES) {
      const lot = items.slice(start, start + LANES);
      const outcomes = await Promise.all(lot.map((item) => resealRow(keyOf(item), item['sealed'], current)));
      resealed += outcomes.filter((outcome) => outcome === 'resealed').length;
      const lost = lot.filter((_, index) => outcomes[index] === 'broken').map(keyOf);
      brokenCount += lost.length;
      broken.push(...lost.slice(0, MOST_NAMED - broken.length));
    }
    seen += items.length;
    after = page.LastEvaluatedKey && keyOf(page.LastEvaluatedKey);
    if (after) await putRow({ Item: { ...CURSOR, version: current, after, seen, resealed } });
    else await transact([{ Delete: { Key: CURSOR } }]);
    yield { seen, resealed, broken: [...broken], brokenCount, done: after === undefined };
    if (after) await keepPace(pace);
  } while (after);
}

/** About how many rows the table has: AWS counts them every six hours. */
export async function approximateRows(): Promise<number> {
  const { Table } = await new DynamoDBClient({}).send(new DescribeTableCommand({ TableName: tableName() }));
  return Table?.ItemCount ?? 0;
}

/** Lets the next run begin with the first row. */
export async function forgetResealing(): Promise<void> {
  await transact([{ Delete: { Key: CURSOR } }]);
}

async function opens(key: RowKey, blob: Uint8Array): Promise<boolean> {
  return (await orUndefined(reencrypt(key, blob))) !== undefined;
}

/** Undefined where a row does not open. Keys that cannot be fetched are no fault of the row. */
function orUndefined<T>(opening: Promise<T>): Promise<T | undefined> {
  return opening.catch((error: unknown) => {
    if (error instanceof Failure) throw error;
    return undefined;
  });
}

async function resealRow(key: RowKey, found: unknown, current: number): Promise<'resealed' | 'left' | 'broken'> {
  let blob = found;
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    if (!(blob instanceof Uint8Array)) return 'left';
    if (keyVersionOf(blob) === current) return (await opens(key, blob)) ? 'left' : 'broken';
    const fresh = await orUndefined(reencrypt(key, blob));
    if (!fresh) return 'broken';
    const outcome = await updateRow({
      Key: key,
      UpdateExpression: 'SET sealed = :fresh',
      ConditionExpression: 'sealed = :before',
      ExpressionAttributeValues: { ':fresh': fresh, ':before': blob },
      ReturnValues: 'NONE',
    });
    if ('written' in outcome) return 'resealed';
    // Changed or gone meanwhile: what stands there is what counts.
    blob = outcome.refused['sealed'];
  }
  // Someone writes it again and again: they seal by the current key once they have fetched it.
  return 'left';
}

/**
 * Rows with a sealed part, by the version of their key and by kind: one look at the whole table, or at what comes after a
 * row, a page a turn. `after` is the row that was last, undefined at the end.
 */
export async function* countSealed(
  pace: Pace,
  from?: RowKey,
): AsyncGenerator<{ seen: number; rows: SealedRows; after: RowKey | undefined }, void> {
  const rows = new Map<number, Map<string, number>>();
  let seen = 0;
  let after = from;
  takeTableUse();
  do {
    const page = await scanRows({
      ProjectionExpression: 'pk, sk, sealed',
      Limit: PAGE,
      ConsistentRead: true,
      ...(after && { ExclusiveStartKey: after }),
    });
    for (const item of page.Items ?? []) {
      if (!(item['sealed'] instanceof Uint8Array)) continue;
      const version = keyVersionOf(item['sealed']);
      const kinds = rows.get(version) ?? new Map<string, number>();
      const kind = kindOf(keyOf(item));
      rows.set(version, kinds.set(kind, (kinds.get(kind) ?? 0) + 1));
    }
    seen += page.Items?.length ?? 0;
    after = page.LastEvaluatedKey && keyOf(page.LastEvaluatedKey);
    yield { seen, rows, after };
    if (after) await keepPace(pace);
  } while (after);
}

/** Number of rows by kind, by version. */
export type SealedRows = ReadonlyMap<number, ReadonlyMap<string, number>>;
