/**
 * AES-GCM with random nonces of 96 bits stays within its bounds up to 2^32 encryptions by one key (NIST SP 800-38D,
 * 8.3).
 *
 * A process takes a block of 256 encryptions from the key's row before it makes them. So a process that dies has
 * counted too many encryptions, never too few.
 */

import type { SealingKeyUse } from '#shared/domain/sealing/rotation.ts';
import { percentOfLimit } from '#shared/domain/sealing/rotation.ts';
import { emit } from '#shared/runtime/metrics.ts';
import { getRows, makeOrUpdateRow } from './client.ts';
import { encryptionCountKey } from './keys.ts';

const ENCRYPTIONS_TAKEN = 256;
/** Percentage of the limit. Below it nobody needs the metric, and a metric costs money by the hour. */
const EMITTED_FROM = 1;

const available = new Map<number, number>();
const remaining = (version: number): number => available.get(version) ?? 0;

/**
 * The caller must await the count before it encrypts. Throws `servico_indisponivel` if the encryption cannot be
 * counted.
 */
export async function countEncryption(version: number): Promise<void> {
  // A call that waited for another call's block would hang whenever that call hangs.
  if (remaining(version) <= 0) await takeBlock(version);
  available.set(version, remaining(version) - 1);
}

async function takeBlock(version: number): Promise<void> {
  const row = await makeOrUpdateRow({
    Key: encryptionCountKey(version),
    UpdateExpression: 'ADD encryptions :taken',
    ExpressionAttributeValues: { ':taken': ENCRYPTIONS_TAKEN },
  });
  available.set(version, remaining(version) + ENCRYPTIONS_TAKEN);
  const percent = percentOfLimit(Number(row['encryptions']));
  if (percent >= EMITTED_FROM) emit({}, { SealingKeyUse: percent });
}

/**
 * The counts are never too low, but up to 256 too high for each process, and more if a process seals several rows at
 * once.
 */
export async function useOf(versions: readonly number[]): Promise<SealingKeyUse[]> {
  const rows = await getRows(versions.map(encryptionCountKey));
  return versions.map((version, index) => {
    const encryptions = Number(rows[index]?.['encryptions'] ?? 0);
    return { version, encryptions, percentOfLimit: percentOfLimit(encryptions) };
  });
}
