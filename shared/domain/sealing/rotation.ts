import type { Instant } from '../values/time.ts';

/** The service's own keys, without the keys themselves. */
export interface HeldKeys {
  /** Another text after each change of the keys. */
  readonly state: string;
  /** Version of the sealing key that encrypts. */
  readonly current: number;
  /** All versions that can still decrypt rows, in ascending order. The current one is among them. */
  readonly versions: readonly number[];
  /** The index keys, the oldest first. The hashes by which rows are found are made with them. */
  readonly index: readonly IndexKeyName[];
  /**
   * From this moment on every function encrypts with the current sealing key and writes under the newest index key.
   * Functions keep the keys for a while after reading them, but by then every function has read them again since the last
   * change, and every run that began before is over.
   */
  readonly settledAt: Instant;
}

/**
 * Most index keys that are held. An old one stays for up to the stage's `consentDays`, and each costs two write units at
 * each new lead and each claim of an Idempotency-Key.
 */
export const MOST_INDEX_KEYS = 3;

/** An index key. Each row that is found by one of its hashes stores its name. */
interface IndexKeyName {
  readonly name: string;
  /** From this moment on rows are written under the key, until the next key takes over. */
  readonly from: Instant;
}

/** How often a version of the sealing key has encrypted. */
export interface SealingKeyUse {
  readonly version: number;
  /** Number of encryptions. It may be too high, by up to 256 for each process that encrypted, but never too low. */
  readonly encryptions: number;
  /** Percentage of the encryptions that one key may make. */
  readonly percentOfLimit: number;
}

/** How many rows of one kind one version of the sealing key seals. */
export interface SealedRows {
  readonly version: number;
  readonly kind: string;
  readonly rows: number;
}

/** The rows that are found by the hashes of one index key. */
export interface IndexedRows {
  readonly name: string;
  /** Number of rows of CPFs, which `rewrite` moves to the newest key. */
  readonly cpfs: number;
  /** Number of rows that cannot be moved and expire: records of Idempotency-Keys, and cutoffs of consents. */
  readonly records: number;
  /** When the last of these rows expires. 0 if there is none. */
  readonly recordsEndAt: Instant;
}

/** Rows by the key that they need. */
export interface RowsByKey {
  /** Number of rows that were looked at, of all kinds. */
  readonly seen: number;
  readonly sealed: readonly SealedRows[];
  readonly indexed: readonly IndexedRows[];
}

/** A page of a count of rows. */
export interface CountPage extends RowsByKey {
  /** Where the next page begins. Undefined after the last row. */
  readonly next: string | undefined;
}

/** Progress of a run that rewrites rows. The numbers include those of the earlier runs that it continues. */
export interface Rewriting {
  /** Number of rows that were looked at, of all kinds. */
  readonly seen: number;
  /** Number of rows that were encrypted again. */
  readonly resealed: number;
  /** Number of rows of CPFs that were moved to the newest index key. */
  readonly moved: number;
  /** Number of rows of CPFs that were deleted, because the lead or the form to which they lead was erased. */
  readonly removed: number;
  /** Keys of the first rows that could not be decrypted or moved. */
  readonly broken: readonly string[];
  /** Number of all such rows. */
  readonly brokenCount: number;
  readonly done: boolean;
}

/** A page of the check of all rows that comes before keys are removed. */
export interface RetirementPage {
  readonly now: Instant;
  /** Whether the page continues the page before. If not, the check begins with the first row. */
  readonly goesOn: boolean;
}

/** Keys that are removed. */
export interface RetiredKeys {
  readonly versions: readonly number[];
  /** Names of index keys. */
  readonly names: readonly string[];
}

/** Result of a page of the check, with the removed keys and the rows that other old keys still have on the last page. */
export interface Retirement extends RetiredKeys, RowsByKey {
  readonly done: boolean;
  /** Until when retired sealing keys are kept for copies of the table. Undefined if none was removed. */
  readonly keptUntil: Instant | undefined;
}

/** Most encryptions that one key may make with random nonces of 96 bits (NIST SP 800-38D, 8.3). */
const MOST_ENCRYPTIONS = 2 ** 32;

/** Returns a number of encryptions as a percentage of those that one key may make. */
export const percentOfLimit = (encryptions: number): number => (100 * encryptions) / MOST_ENCRYPTIONS;

/** Returns the keys that nothing is written with once the keys have settled. */
export const oldKeys = ({
  current,
  versions,
  index,
}: Pick<HeldKeys, 'current' | 'versions' | 'index'>): RetiredKeys => ({
  versions: versions.filter((version) => version !== current),
  names: index.slice(0, -1).map(({ name }) => name),
});

/** Returns why no key can be retired at `now`, even if no row needs it. Undefined if one can. */
export function retirementRefusal(keys: HeldKeys, now: Instant): string | undefined {
  const { versions, names } = oldKeys(keys);
  if (versions.length + names.length === 0) return 'There is no old key: change-service-keys makes new keys.';
  if (now >= keys.settledAt) return undefined;
  return `Functions may still write with old keys until ${new Date(keys.settledAt).toISOString()}: try again then.`;
}
