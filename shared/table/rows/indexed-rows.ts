/**
 * Rows that are found by a keyed hash (index-keys.ts says how its key is changed). Adapters address such a row once,
 * write it as one part of a transaction, and get one row and one refusal for it, however many index keys are held.
 */
import type { Instant } from '#shared/domain/values/time.ts';
import { getRow, getRows, type Item, type TransactItem } from './client.ts';
import type { IndexKey } from './encryption.ts';
import { type IndexPlace, indexKeys } from './index-keys.ts';
import type { RowKey } from './keys.ts';
import { unexpired } from './row-format.ts';

/** Address of a row that is found by a keyed hash. */
export interface IndexedRow<Place extends IndexPlace = IndexPlace> {
  /** Place in which the row is written, or in which it was found. */
  readonly here: Place;
  /** A place for each index key, the oldest first: a row is only ever moved to a later one. */
  readonly oldestFirst: readonly Place[];
}

/** Addresses a row, given its place under any one index key. */
export async function indexedRow<Place extends IndexPlace>(
  placeUnder: (index: IndexKey) => Place,
): Promise<IndexedRow<Place>> {
  const { current, oldestFirst } = await indexKeys();
  const here = placeUnder(current);
  return { here, oldestFirst: oldestFirst.map((index) => (index === current ? here : placeUnder(index))) };
}

/** Returns the address with `here` as the place in which the row was found. */
export function foundIn<Place extends IndexPlace>(row: IndexedRow<Place>, item: Item): IndexedRow<Place> {
  return { ...row, here: row.oldestFirst.find(({ key }) => key.pk === item['pk']) ?? row.here };
}

/** Returns the places in which the row is neither written nor was found. */
const elsewhere = ({ here, oldestFirst }: IndexedRow): readonly IndexPlace[] =>
  oldestFirst.filter((place) => place !== here);

/** Returns every key under which a row may lie, that of the oldest index key first. */
export const possibleKeys = ({ oldestFirst }: IndexedRow): readonly RowKey[] => oldestFirst.map(({ key }) => key);

/** Returns an indexed row. Undefined if there is none. */
export async function getIndexed({ oldestFirst }: IndexedRow): Promise<Item | undefined> {
  let found: Item | undefined;
  // Reads one place after the other, so that a row which is moved meanwhile is found. If several keys have a row, the
  // newest key's counts: an older key's row may lead to an erased person.
  for (const { key } of oldestFirst) found = (await getRow(key)) ?? found;
  return found;
}

/** Returns a row and an indexed row, read in one round trip. An indexed row that has ended by `now` is left out. */
export async function getRowAndIndexed(
  key: RowKey,
  row: IndexedRow | undefined,
  now: Instant,
): Promise<readonly [Item | undefined, Item | undefined]> {
  const places = row ? [row.here].concat(elsewhere(row)) : [];
  const [item, ...found] = await getRows([key].concat(places.map((place) => place.key)));
  return [item, found.find((candidate) => unexpired(candidate, now))];
}

/** Condition of a write. */
interface Condition {
  readonly ConditionExpression: string;
  readonly ExpressionAttributeValues?: Item;
}

/**
 * Transaction part that puts an indexed row. Refused unless its rows under all index keys meet the condition. The part
 * has a further item, a check, for each other index key that is held.
 */
export function putIndexed(row: IndexedRow, item: Item, condition: Condition): TransactItem[] {
  const { key, indexedBy } = row.here;
  return [{ Put: { Item: { ...key, ...item, indexedBy }, ...condition } }, ...checks(elsewhere(row), condition)];
}

/** Transaction part that checks an indexed row. Refused unless its rows under all index keys meet the condition. */
export const checkIndexed = (row: IndexedRow, condition: Condition): TransactItem[] =>
  checks([row.here].concat(elsewhere(row)), condition);

const checks = (places: readonly IndexPlace[], condition: Condition): TransactItem[] =>
  places.map(({ key }) => ({ ConditionCheck: { Key: key, ...condition } }));
