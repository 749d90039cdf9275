/**
 * Rows that are found by a keyed hash, while one index key is held and while two are (index-keys.ts says how the key is
 * rotated). This file is the only place where adapters meet the case of two keys: they address such a row once, write it
 * as one part of a transaction, and get one row and one refusal for it.
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
  /** Place under the other index key. Undefined while one key is held. */
  readonly elsewhere: Place | undefined;
  /** Both places, that of the older index key first: the order in which `keys reindex` moves a row. */
  readonly oldestFirst: readonly Place[];
}

/** Addresses a row, given its place under any one index key. */
export async function indexedRow<Place extends IndexPlace>(
  placeUnder: (index: IndexKey) => Place,
): Promise<IndexedRow<Place>> {
  const { current, other, newer } = await indexKeys();
  const here = placeUnder(current);
  if (!other) return { here, elsewhere: undefined, oldestFirst: [here] };
  const elsewhere = placeUnder(other);
  return { here, elsewhere, oldestFirst: newer === current ? [elsewhere, here] : [here, elsewhere] };
}

/** Returns the address with `here` as the place in which the row was found. */
export function foundIn<Place extends IndexPlace>(row: IndexedRow<Place>, item: Item): IndexedRow<Place> {
  const { here, elsewhere, oldestFirst } = row;
  return elsewhere && elsewhere.key.pk === item['pk'] ? { here: elsewhere, elsewhere: here, oldestFirst } : row;
}

/** Returns every key under which a row may lie, that of the older index key first. */
export const possibleKeys = ({ oldestFirst }: IndexedRow): readonly RowKey[] => oldestFirst.map(({ key }) => key);

/** Returns an indexed row. Undefined if there is none. */
export async function getIndexed({ oldestFirst }: IndexedRow): Promise<Item | undefined> {
  let found: Item | undefined;
  // Reads one place after the other, so that a row which is moved meanwhile is found. If both keys have a row, the
  // newer key's counts: the older key's row may lead to an erased person.
  for (const { key } of oldestFirst) found = (await getRow(key)) ?? found;
  return found;
}

/** Returns a row and an indexed row, read in one round trip. An indexed row that has ended by `now` is left out. */
export async function getRowAndIndexed(
  key: RowKey,
  row: IndexedRow | undefined,
  now: Instant,
): Promise<readonly [Item | undefined, Item | undefined]> {
  const places = row ? [row.here, row.elsewhere].filter((place) => place !== undefined) : [];
  const [item, ...found] = await getRows([key].concat(places.map((place) => place.key)));
  return [item, found.find((candidate) => unexpired(candidate, now))];
}

/** Condition of a write. */
interface Condition {
  readonly ConditionExpression: string;
  readonly ExpressionAttributeValues?: Item;
}

/**
 * Transaction part that puts an indexed row. Refused unless the rows of both index keys meet the condition. The part has
 * a second item, the check of the other row, while two index keys are held.
 */
export function putIndexed(row: IndexedRow, item: Item, condition: Condition): TransactItem[] {
  const { key, indexedBy } = row.here;
  return [{ Put: { Item: { ...key, ...item, indexedBy }, ...condition } }, ...checks([row.elsewhere], condition)];
}

/** Transaction part that checks an indexed row. Refused unless the rows of both index keys meet the condition. */
export const checkIndexed = ({ here, elsewhere }: IndexedRow, condition: Condition): TransactItem[] =>
  checks([here, elsewhere], condition);

const checks = (places: readonly (IndexPlace | undefined)[], condition: Condition): TransactItem[] =>
  places.filter((place) => place !== undefined).map(({ key }) => ({ ConditionCheck: { Key: key, ...condition } }));
