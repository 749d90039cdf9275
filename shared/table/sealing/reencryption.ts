import * as z from 'zod/mini';
import { type Item, updateRecognised } from '../rows/client.ts';
import { ifItOpens, keyVersionOf, reencrypt } from '../rows/encryption.ts';
import { keyOf } from '../rows/table-scan.ts';

/** Most tries for a row that others write at the same time. */
const TRIES = 4;

const versionFormat = z.object({ version: z.optional(z.number()) });

/**
 * Encrypts a row with the `current` key if another one has sealed it. Its content and its other attributes stay as they
 * are. The row is written only if its sealed part is still the one that was opened, so that a change by anyone else stays.
 * `broken`: the row does not open, even if the current key has sealed it. Its key is gone, or it was damaged.
 */
export async function reencryptRow(found: Item, current: number): Promise<'reencrypted' | 'unchanged' | 'broken'> {
  const key = keyOf(found);
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
