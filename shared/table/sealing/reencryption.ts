import * as z from 'zod/mini';
import type { Reencryption } from '#shared/domain/sealing/rotation.ts';
import { getRow, type Item, updateRecognised } from '../rows/client.ts';
import { ifItOpens, keyVersionOf, reencrypt } from '../rows/encryption.ts';
import { cursorKey, type RowKey } from '../rows/keys.ts';
import {
  BrokenRows,
  brokenFormat,
  keyFormat,
  keyOf,
  mapConcurrently,
  type Pace,
  scanTable,
  storePlace,
} from '../rows/table-scan.ts';

/** Most tries for a row that others write at the same time. */
const TRIES = 4;

const versionFormat = z.object({ version: z.optional(z.number()) });
const CURSOR = cursorKey('reencrypt');
const cursorFormat = z.extend(brokenFormat, {
  version: z.number(),
  after: keyFormat,
  seen: z.number(),
  resealed: z.number(),
});

/** Returns the kind of row that a key names: LEAD, CONSENT. */
function kindOf({ pk }: RowKey): string {
  const [kind = pk] = pk.split('#');
  return kind;
}

/**
 * Reencrypts every row that another key than the `current` one has sealed. Yields after each page how far the run is.
 * The place is stored in the table. If a run ends at any point, the next run continues there, with its counts, unless
 * the key was rotated meanwhile. Content and other attributes of a row stay as they are. A row is written only if its
 * sealed part is still the one that was opened, so that a change by anyone else stays. `broken` names rows that do not
 * open, even those of the current key: their key is gone, or they were damaged.
 */
export async function* reencryptRows(current: number, pace: Pace): AsyncGenerator<Reencryption, void> {
  const kept = cursorFormat.safeParse(await getRow(CURSOR));
  const from = kept.success && kept.data.version === current ? kept.data : undefined;
  let [seen, resealed] = [from?.seen ?? 0, from?.resealed ?? 0];
  const broken = new BrokenRows(from);
  for await (const { items, after } of scanTable('pk, sk, sealed, version', pace, from?.after)) {
    const outcomes = await mapConcurrently(items, (item) => reencryptRow(keyOf(item), item, current));
    resealed += outcomes.filter((outcome) => outcome === 'reencrypted').length;
    broken.add(items.filter((_, index) => outcomes[index] === 'broken'));
    seen += items.length;
    const { count: brokenCount, keys } = broken;
    await storePlace(CURSOR, after && { version: current, after, seen, resealed, broken: keys, brokenCount });
    yield { seen, resealed, broken: broken.names, brokenCount, done: after === undefined };
  }
}

/** Makes the next run begin with the first row. */
export const forgetReencryption = (): Promise<void> => storePlace(CURSOR, undefined);

async function reencryptRow(
  key: RowKey,
  found: Item,
  current: number,
): Promise<'reencrypted' | 'unchanged' | 'broken'> {
  let item = found;
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    const blob = item['sealed'];
    if (!(blob instanceof Uint8Array)) return 'unchanged';
    const { version } = versionFormat.parse(item);
    const fresh = await ifItOpens(reencrypt({ ...key, version }, blob));
    if (!fresh) return 'broken';
    if (keyVersionOf(blob) === current) return 'unchanged';
    const outcome = await updateRecognised(
      {
        Key: key,
        UpdateExpression: 'SET sealed = :fresh',
        ConditionExpression: 'sealed = :before',
        ExpressionAttributeValues: { ':fresh': fresh, ':before': blob },
        ReturnValues: 'NONE',
      },
      // No two encryptions are equal, so a row with these bytes is this update's own.
      ({ sealed }) => isSame(sealed, fresh),
    );
    if ('written' in outcome) return 'reencrypted';
    // The row was changed or deleted meanwhile. The next try takes it as it is now.
    item = outcome.refused;
  }
  // Others write the row again and again. They seal by the current key once they have fetched it.
  return 'unchanged';
}

const isSame = (sealed: unknown, fresh: Uint8Array): boolean =>
  sealed instanceof Uint8Array && Buffer.from(sealed).equals(fresh);

/**
 * Counts the rows with a sealed part, by the version of their key and by kind: of the whole table, or after the row
 * `from`. Yields the counts so far after each page. `after`: key of the page's last row, undefined on the last page.
 */
export async function* countSealed(
  pace: Pace,
  from?: RowKey,
): AsyncGenerator<{ seen: number; rows: SealedRows; after: RowKey | undefined }, void> {
  const rows = new Map<number, Map<string, number>>();
  let seen = 0;
  for await (const { items, after } of scanTable('pk, sk, sealed', pace, from)) {
    for (const item of items) {
      if (!(item['sealed'] instanceof Uint8Array)) continue;
      const version = keyVersionOf(item['sealed']);
      const kinds = rows.get(version) ?? new Map<string, number>();
      const kind = kindOf(keyOf(item));
      rows.set(version, kinds.set(kind, (kinds.get(kind) ?? 0) + 1));
    }
    seen += items.length;
    yield { seen, rows, after };
  }
}

/** Number of rows, by the version of their key and by kind. */
export type SealedRows = ReadonlyMap<number, ReadonlyMap<string, number>>;
