/** Hides how many index keys are held: an adapter gets one row, and one refusal for it. */
import type { Instant } from '#shared/domain/values/time.ts';
import { getRow, getRows, type Item, type TransactItem } from './client.ts';
import type { IndexKey } from './encryption.ts';
import { type IndexPlace, indexKeys } from './index-keys.ts';
import type { RowKey } from './keys.ts';
import { unexpired } from './row-format.ts';

export interface IndexedRow<Place extends IndexPlace = IndexPlace> {
  readonly here: Place;
  /** The oldest first: a row is only ever moved to a later place. */
  readonly oldestFirst: readonly Place[];
}

export async function indexedRow<Place extends IndexPlace>(
  placeUnder: (index: IndexKey) => Place,
): Promise<IndexedRow<Place>> {
  const { current, oldestFirst } = await indexKeys();
  const here = placeUnder(current);
  return { here, oldestFirst: oldestFirst.map((index) => (index === current ? here : placeUnder(index))) };
}

export function foundIn<Place extends IndexPlace>(row: IndexedRow<Place>, item: Item): IndexedRow<Place> {
  return { ...row, here: row.oldestFirst.find(({ key }) => key.pk === item['pk']) ?? row.here };
}

const elsewhere = ({ here, oldestFirst }: IndexedRow): readonly IndexPlace[] =>
  oldestFirst.filter((place) => place !== here);

/** The key of the oldest index key comes first. */
export const possibleKeys = ({ oldestFirst }: IndexedRow): readonly RowKey[] => oldestFirst.map(({ key }) => key);

/** Undefined if there is no such row. */
export async function getIndexed({ oldestFirst }: IndexedRow): Promise<Item | undefined> {
  let found: Item | undefined;
  // Reads one place after the other, so that a row which is moved meanwhile is found. If several keys have a row, the
  // newest key's counts: an older key's row may lead to an erased person.
  for (const { key } of oldestFirst) found = (await getRow(key)) ?? found;
  return found;
}

/** An indexed row that has ended by `now` is left out. */
export async function getRowAndIndexed(
  key: RowKey,
  row: IndexedRow | undefined,
  now: Instant,
): Promise<readonly [Item | undefined, Item | undefined]> {
  const places = row ? [row.here].concat(elsewhere(row)) : [];
  const [item, ...found] = await getRows([key].concat(places.map((place) => place.key)));
  return [item, found.find((candidate) => unexpired(candidate, now))];
}

interface Condition {
  readonly ConditionExpression: string;
  readonly ExpressionAttributeValues?: Item;
}

/** Refused unless the rows under all index keys meet the condition. */
export function putIndexed(row: IndexedRow, item: Item, condition: Condition): TransactItem[] {
  const { key, indexedBy } = row.here;
  return [{ Put: { Item: { ...key, ...item, indexedBy }, ...condition } }, ...checks(elsewhere(row), condition)];
}

/** Refused unless the rows under all index keys meet the condition. */
export const checkIndexed = (row: IndexedRow, condition: Condition): TransactItem[] =>
  checks([row.here].concat(elsewhere(row)), condition);

const checks = (places: readonly IndexPlace[], condition: Condition): TransactItem[] =>
  places.map(({ key }) => ({ ConditionCheck: { Key: key, ...condition } }));
