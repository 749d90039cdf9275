import type { IndexKeys, SealingKeys } from './ports.ts';

/**
 * Encryptions by one key that keep within the bounds of its random nonces of 96 bits (NIST SP 800-38D, 8.3).
 */
const MOST_ENCRYPTIONS = 2 ** 32;

/** What share of a key's encryptions so many are, in percent. */
export function percentOfLimit(encryptions: number): number {
  return (100 * encryptions) / MOST_ENCRYPTIONS;
}

/** Why a sealing key cannot be retired at `now` (milliseconds), whatever rows there are; undefined where it can. */
export function retirementRefusal(
  version: number,
  { current, versions, settledAt }: SealingKeys,
  now: number,
): string | undefined {
  if (!versions.includes(version)) return `There is no sealing key version ${version}.`;
  if (version === current) return `Version ${version} is the current one: rotate first.`;
  if (now >= settledAt) return undefined;
  return `Functions may still seal by an older version until ${new Date(settledAt).toISOString()}: try again then.`;
}

/** Why rows of the older index key can be neither moved nor counted out at `now` (milliseconds); undefined where they can. */
export function unsettledRefusal({ next }: IndexKeys, now: number): string | undefined {
  if (!next) return 'There is one index key: keys rotate-index makes another.';
  if (now >= next.settledAt) return undefined;
  return `Functions may still write under the older index key until ${new Date(next.settledAt).toISOString()}: try again then.`;
}
