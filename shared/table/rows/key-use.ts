/**
 * Counts what each sealing key has sealed. AES-GCM with random nonces of 96 bits stays within its bounds up to 2^32
 * encryptions by one key (NIST SP 800-38D, 8.3); a key is to be rotated long before.
 *
 * A process takes encryptions in blocks of 256 from the key's row before it makes them, so that one that dies has counted
 * too many, never too few: one write a block, and one more for each container that seals. The row's answer is the count
 * of all processes; from one percent of the limit on it is emitted, which is what the alarm reads.
 */

import type { SealingKeyUse } from '#shared/domain/sealing/rotation.ts';
import { percentOfLimit } from '#shared/domain/sealing/rotation.ts';
import { emit } from '#shared/runtime/metrics.ts';
import { getRows, makeOrUpdateRow } from './client.ts';
import { encryptionCountKey } from './keys.ts';

/** Encryptions taken at once. */
const ENCRYPTIONS_TAKEN = 256;
/** Percent of the limit from which the count is emitted: a series that nobody needs costs by the hour. */
const TOLD_FROM = 1;

/** Encryptions that this process has taken and not made, by key version. */
const unmade = new Map<number, number>();
const remaining = (version: number): number => unmade.get(version) ?? 0;

/** To be awaited before each encryption by a key. Throws `servico_indisponivel` if it cannot be counted. */
export async function countEncryption(version: number): Promise<void> {
  // A call that finds none takes its own block: if it waited for another call's, it would hang with that.
  if (remaining(version) <= 0) await takeBlock(version);
  unmade.set(version, remaining(version) - 1);
}

async function takeBlock(version: number): Promise<void> {
  const outcome = await makeOrUpdateRow({
    Key: encryptionCountKey(version),
    UpdateExpression: 'ADD encryptions :taken',
    ExpressionAttributeValues: { ':taken': ENCRYPTIONS_TAKEN },
  });
  unmade.set(version, remaining(version) + ENCRYPTIONS_TAKEN);
  if (!('written' in outcome)) return;
  const percent = percentOfLimit(Number(outcome.written['encryptions']));
  if (percent >= TOLD_FROM) emit({}, { SealingKeyUse: percent });
}

/** How often each key version has sealed, at most 256 too many for each process that does. */
export async function useOf(versions: readonly number[]): Promise<SealingKeyUse[]> {
  const rows = await getRows(versions.map(encryptionCountKey));
  return versions.map((version, index) => {
    const encryptions = Number(rows[index]?.['encryptions'] ?? 0);
    return { version, encryptions, percentOfLimit: percentOfLimit(encryptions) };
  });
}
