import type { Instant } from '../values/time.ts';

/** The versions of the sealing key, without the keys themselves. */
export interface SealingKeys {
  readonly current: number;
  /** All versions that can still decrypt rows, in ascending order. The current one is among them. */
  readonly versions: readonly number[];
  /**
   * From this moment on every function encrypts with the current key. Functions keep the keys for a while after reading
   * them, but by then every function has read them again since the last change.
   */
  readonly settledAt: Instant;
}

/**
 * The names of the index keys, without the keys themselves. Rows of CPFs and Idempotency-Keys are found by hashes under
 * an index key, and each of these rows stores the name of its key.
 */
export interface IndexKeys {
  /** Name of the only index key, or of the older of two index keys. */
  readonly name: string;
  /** The newer of two index keys. Undefined if there is only one. */
  readonly next:
    | {
        readonly name: string;
        /** From this moment on rows are written under the newer key. */
        readonly from: Instant;
        /** From this moment on no row is written under the older key: every run that began before `from` is over. */
        readonly settledAt: Instant;
      }
    | undefined;
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
export interface SealedCount {
  readonly version: number;
  readonly kind: string;
  readonly rows: number;
}

/** A page of a count of sealed rows. */
export interface SealedPage {
  readonly seen: number;
  readonly rows: readonly SealedCount[];
  /** Where the next page begins. Undefined after the last row. */
  readonly next: string | undefined;
}

/** Progress of a run over the table's rows. The numbers include those of the earlier runs that it continues. */
interface Progress {
  /** Number of rows that were looked at, of all kinds. */
  readonly seen: number;
  /** Keys of the first rows that could not be decrypted or moved. */
  readonly broken: readonly string[];
  /** Number of all such rows. */
  readonly brokenCount: number;
  readonly done: boolean;
}

/** Progress of a run that encrypts rows with the current sealing key. */
export interface Reencryption extends Progress {
  /** Number of rows that were encrypted again. */
  readonly resealed: number;
}

/** A page of the check of all rows that comes before a key is removed. */
export interface RetirementPage {
  readonly now: Instant;
  /** Whether the page continues the page before. If not, the check begins with the first row. */
  readonly goesOn: boolean;
}

/** Progress of a run that moves the rows of CPFs to the newer index key. */
export interface Reindexing extends Progress {
  /** Number of rows that were moved to the newer key. */
  readonly moved: number;
  /** Number of rows that were deleted, because the lead or the form to which they lead was erased. */
  readonly removed: number;
}

/** Numbers of the rows that are still under the older of two index keys. */
export interface OlderRows {
  /** Number of rows that were looked at, of all kinds. */
  readonly seen: number;
  /** Rows of CPFs, which `reindex` moves. */
  readonly cpfs: number;
  /** Rows that cannot be moved and expire by themselves: records of Idempotency-Keys, and cutoffs of consents. */
  readonly records: number;
  /** When the last of these rows expires. 0 if there is none. */
  readonly recordsEndAt: Instant;
}

/** Most encryptions that one key may make with random nonces of 96 bits (NIST SP 800-38D, 8.3). */
const MOST_ENCRYPTIONS = 2 ** 32;

/** Returns a number of encryptions as a percentage of those that one key may make. */
export const percentOfLimit = (encryptions: number): number => (100 * encryptions) / MOST_ENCRYPTIONS;

/** Returns why a sealing key cannot be retired at `now`, even if no row needs it. Undefined if it can. */
export function retirementRefusal(
  version: number,
  { current, versions, settledAt }: SealingKeys,
  now: Instant,
): string | undefined {
  if (!versions.includes(version)) return `There is no sealing key version ${version}.`;
  if (version === current) return `Version ${version} is the current one: rotate first.`;
  if (now >= settledAt) return undefined;
  return `Functions may still seal by an older version until ${new Date(settledAt).toISOString()}: try again then.`;
}

/** Returns why rows of the older index key cannot be moved, or the key retired, at `now`. Undefined if they can. */
export function unsettledRefusal({ next }: IndexKeys, now: Instant): string | undefined {
  if (!next) return 'There is one index key: keys rotate-index makes another.';
  if (now >= next.settledAt) return undefined;
  return `Functions may still write under the older index key until ${new Date(next.settledAt).toISOString()}: try again then.`;
}
