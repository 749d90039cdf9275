import type { Instant } from '../values/time.ts';

export interface HeldKeys {
  readonly state: string;
  readonly current: number;
  readonly versions: readonly number[];
  /** The hashes by which rows are found are made with these keys. */
  readonly index: readonly IndexKeyName[];
  /**
   * From this moment on every function encrypts with the current sealing key and writes under the newest index key.
   * Functions cache the keys. By this moment, each function has read them again since the last change, and every older
   * run is over.
   */
  readonly settledAt: Instant;
}

/**
 * Largest number of index keys at a time. An old key stays for up to the stage's `consentDays`, and each key costs two
 * write units at each new lead and each claim of an Idempotency-Key.
 */
export const MOST_INDEX_KEYS = 3;

/** Each row that is found by a hash of the key stores the key's name. */
interface IndexKeyName {
  readonly name: string;
  readonly from: Instant;
}

export interface SealingKeyUse {
  readonly version: number;
  /** May be too high, by up to 256 for each process that encrypted, but never too low. */
  readonly encryptions: number;
  readonly percentOfLimit: number;
}

export interface SealedRows {
  readonly version: number;
  readonly kind: string;
  readonly rows: number;
}

export interface IndexedRows {
  readonly name: string;
  readonly cpfs: number;
  /** Number of rows that cannot be moved and expire: records of Idempotency-Keys, and cutoffs of consents. */
  readonly records: number;
  readonly recordsEndAt: Instant;
}

export interface RowsByKey {
  readonly seen: number;
  readonly sealed: readonly SealedRows[];
  readonly indexed: readonly IndexedRows[];
}

export interface CountPage extends RowsByKey {
  readonly next: string | undefined;
}

export interface Rewriting {
  readonly seen: number;
  readonly resealed: number;
  readonly moved: number;
  /** Number of rows that led to an erased lead or form. */
  readonly removed: number;
  readonly broken: readonly string[];
  readonly brokenCount: number;
  readonly done: boolean;
}

export interface RetirementPage {
  readonly now: Instant;
  readonly goesOn: boolean;
}

export interface RetiredKeys {
  readonly versions: readonly number[];
  readonly names: readonly string[];
}

export interface Retirement extends RetiredKeys, RowsByKey {
  readonly done: boolean;
  readonly keptUntil: Instant | undefined;
}

/** With random nonces of 96 bits (NIST SP 800-38D, 8.3). */
const MOST_ENCRYPTIONS = 2 ** 32;

export const percentOfLimit = (encryptions: number): number => (100 * encryptions) / MOST_ENCRYPTIONS;

export const oldKeys = ({
  current,
  versions,
  index,
}: Pick<HeldKeys, 'current' | 'versions' | 'index'>): RetiredKeys => ({
  versions: versions.filter((version) => version !== current),
  names: index.slice(0, -1).map(({ name }) => name),
});

/** Undefined if a key can be retired. */
export function retirementRefusal(keys: HeldKeys, now: Instant): string | undefined {
  const { versions, names } = oldKeys(keys);
  if (versions.length + names.length === 0) return 'There is no old key, so nothing is left to retire.';
  if (now >= keys.settledAt) return undefined;
  return `Functions may still write with old keys until ${new Date(keys.settledAt).toISOString()}: try again then.`;
}
