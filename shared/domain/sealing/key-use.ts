/**
 * Encryptions by one key that keep within the bounds of its random nonces of 96 bits (NIST SP 800-38D, 8.3).
 */
const MOST_ENCRYPTIONS = 2 ** 32;

/** What share of a key's encryptions so many are, in percent. */
export function percentOfLimit(encryptions: number): number {
  return (100 * encryptions) / MOST_ENCRYPTIONS;
}
