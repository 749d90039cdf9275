import type { IndexKeys } from './ports.ts';

/** Why rows of the older index key can be neither moved nor counted out at `now` (milliseconds); undefined where they can. */
export function unsettledRefusal({ next }: IndexKeys, now: number): string | undefined {
  if (!next) return 'There is one index key: keys rotate-index makes another.';
  if (now >= next.settledAt) return undefined;
  return `Functions may still write under the older index key until ${new Date(next.settledAt).toISOString()}: try again then.`;
}
