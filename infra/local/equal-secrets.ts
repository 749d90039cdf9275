import { timingSafeEqual } from 'node:crypto';

/** Whether two secrets are equal. The time does not depend on where they differ. */
export function equalSecrets(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
