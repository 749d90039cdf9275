import type { Item } from './client.ts';

/**
 * When a row ends, for its attribute `expiresAt`: seconds since 1970, as TTL wants it. TTL deletes some days late, so
 * whoever reads such a row compares the moment as well.
 */
export const expiryAt = (milliseconds: number): number => Math.ceil(milliseconds / 1000);

/** The last second whose rows have ended by `now` (milliseconds): a row lives its whole time, and up to a second more. */
export const lastOver = (now: number): number => Math.floor(now / 1000);
export const isOver = (expiresAt: number, now: number): boolean => expiresAt <= lastOver(now);

/** The row, unless it has ended by `now` (milliseconds) and merely waits to be deleted. */
export function unexpired(item: Item | undefined, now: number): Item | undefined {
  const expiresAt = item?.['expiresAt'];
  return typeof expiresAt === 'number' && isOver(expiresAt, now) ? undefined : item;
}

/** The condition under which a row has not ended by `:at`, which `expiryValues` gives. */
export const UNEXPIRED = '(attribute_not_exists(expiresAt) OR expiresAt > :at)';
export const expiryValues = (now: number) => ({ ':at': lastOver(now) });
