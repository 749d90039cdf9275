import type { Instant } from '../values/time.ts';

/** The sealing keys by version: no key itself. */
export interface SealingKeys {
  readonly current: number;
  /** All versions that open rows, the current one among them, ascending. */
  readonly versions: readonly number[];
  /**
   * From when on every function seals by the current key: those that fetched the keys before they were last changed have
   * let go of them by then.
   */
  readonly settledAt: Instant;
}

/** The index keys by name, which rows bear: no key itself. CPFs and Idempotency-Keys are found by hashes under them. */
export interface IndexKeys {
  /** The only one, or the older of two. */
  readonly name: string;
  /** The newer of two; undefined while there is one. */
  readonly next:
    | {
        readonly name: string;
        /** From when on rows are written under it. */
        readonly from: Instant;
        /** From when no run that began before `from` goes on: no row is written under the older any more. */
        readonly settledAt: Instant;
      }
    | undefined;
}

/** How often a sealing key has sealed. */
export interface SealingKeyUse {
  readonly version: number;
  /** At most 256 too many for each process that sealed, never too few. */
  readonly encryptions: number;
  /** What share of the encryptions that a key is good for, in percent. */
  readonly percentOfLimit: number;
}

/** How far a run over rows has come. All counts are of rows, by this run and by those that it carries on. */
interface Progress {
  /** Looked at, of all kinds. */
  readonly seen: number;
  /** Keys of rows that could not be opened or moved, the first that were met. */
  readonly broken: readonly string[];
  readonly brokenCount: number;
  readonly done: boolean;
}

/** How far a run of the re-encryption has come. */
export interface Reencryption extends Progress {
  /** Sealed anew. */
  readonly resealed: number;
}

/** One page of a look at every row before a key goes. */
export interface RetirementPage {
  readonly now: Instant;
  /** Whether it goes on where the page before has ended; else the look begins with the first row. */
  readonly goesOn: boolean;
}

/** How far a run has come that moves CPFs to the newer index key. */
export interface Reindexing extends Progress {
  /** CPFs that lie under the newer key now. */
  readonly moved: number;
  /** CPFs of persons who were erased, and such as lay under both keys: taken away. */
  readonly removed: number;
}

/** Rows that lie under the older of two index keys. */
export interface OlderRows {
  readonly seen: number;
  /** CPFs, which a run moves. */
  readonly cpfs: number;
  /** What Idempotency-Keys have left; it ends by itself. */
  readonly records: number;
  /** When the last of those ends; 0 where there is none. */
  readonly recordsEndAt: Instant;
}

/**
 * Encryptions by one key that keep within the bounds of its random nonces of 96 bits (NIST SP 800-38D, 8.3).
 */
const MOST_ENCRYPTIONS = 2 ** 32;

/** What share of a key's encryptions so many are, in percent. */
export const percentOfLimit = (encryptions: number): number => (100 * encryptions) / MOST_ENCRYPTIONS;

/** Why a sealing key cannot be retired at `now`, whatever rows there are; undefined where it can. */
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

/** Why rows of the older index key can be neither moved nor counted out at `now`; undefined where they can. */
export function unsettledRefusal({ next }: IndexKeys, now: Instant): string | undefined {
  if (!next) return 'There is one index key: keys rotate-index makes another.';
  if (now >= next.settledAt) return undefined;
  return `Functions may still write under the older index key until ${new Date(next.settledAt).toISOString()}: try again then.`;
}
