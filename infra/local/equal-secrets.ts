import { timingSafeEqual } from 'node:crypto';

/** The time does not depend on where the secrets differ. */
export function equalSecrets(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
