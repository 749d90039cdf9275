import * as z from 'zod/mini';
import { type Item, updateRecognised } from '../rows/client.ts';
import { ifItOpens, keyVersionOf, opened, reencrypt } from '../rows/encryption.ts';
import { keyOf } from '../rows/table-scan.ts';

const TRIES = 4;

const versionFormat = z.object({ version: z.optional(z.number()) });

/**
 * The row is written only if its sealed part is still the one that was opened, so that a change by anyone else stays.
 * `broken`: the row does not open, even if the current key has sealed it.
 */
export async function reencryptRow(found: Item, current: number): Promise<'reencrypted' | 'unchanged' | 'broken'> {
  const key = keyOf(found);
  let item = found;
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    const blob = item['sealed'];
    if (!(blob instanceof Uint8Array)) return 'unchanged';
    const { version } = versionFormat.parse(item);
    const isCurrent = keyVersionOf(blob) === current;
    const fresh = await ifItOpens((isCurrent ? opened : reencrypt)({ ...key, version }, blob));
    if (!fresh) return 'broken';
    if (isCurrent) return 'unchanged';
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
    item = outcome.refused;
  }
  // Other calls write the row again and again. They seal with the current key once they have fetched it.
  return 'unchanged';
}

const isSame = (sealed: unknown, fresh: Uint8Array): boolean =>
  sealed instanceof Uint8Array && Buffer.from(sealed).equals(fresh);
