import type { Instant } from '../values/time.ts';
import type {
  IndexKeys,
  OlderRows,
  Reencryption,
  Reindexing,
  RetirementPage,
  SealedPage,
  SealingKeys,
  SealingKeyUse,
} from './rotation.ts';

/** The service's own keys, as the manager handles them. An impossible change throws a SafeError that says why. */
export interface ServiceKeys {
  /** Whether the service's keys have been written. */
  initialised(): Promise<boolean>;
  /** Writes the first keys. Throws if there are keys, since rows could not be read with other keys. */
  init(): Promise<void>;
  /** Returns the versions of the sealing key. */
  sealing(): Promise<SealingKeys>;
  /**
   * Makes a new sealing key the current one, and returns its version. Throws if `current` is given and is no longer the
   * current version.
   */
  rotate(current?: number): Promise<number>;
  /** Returns the sealing keys that are kept only for copies of the table, and until when each is kept. */
  retired(): Promise<readonly { readonly version: number; readonly until: Instant }[]>;
  /** Returns the names of the index keys. */
  indexing(): Promise<IndexKeys>;
  /** Makes a newer index key: rows are written under it from `next.from` on. Throws if `name` is not the only key. */
  rotateIndex(name: string, now: Instant): Promise<IndexKeys>;
}

/**
 * The rows that the sealing keys have sealed. `reencrypt`, `count` and `retire` read the table page by page. A call
 * reads at least one page, and continues for as long as `inTime` returns true.
 */
export interface SealedTable {
  /** Returns the approximate number of rows of the table. */
  rows(): Promise<number>;
  /**
   * Encrypts the rows of other sealing keys with the current key. The place is stored, and the next run continues
   * there. With `restart`, a run begins with the first row. Throws a ChangedMeanwhile if another key is the current one
   * by now.
   */
  reencrypt(
    current: number,
    options: { readonly restart: boolean; readonly unitsPerSecond: number },
    inTime: () => boolean,
  ): Promise<Reencryption>;
  /** Counts rows by sealing key and kind, from the first row or from the place `after` on. */
  count(after: string | undefined, inTime: () => boolean): Promise<SealedPage>;
  /** Returns how often each of these versions has encrypted. */
  use(versions: readonly number[]): Promise<readonly SealingKeyUse[]>;
  /**
   * Retires a sealing key once every row was looked at and no row needs the key. Throws a SafeError if a row does.
   * `keptUntil`: until when the key is kept for copies of the table. Undefined before the last page.
   */
  retire(
    version: number,
    keys: SealingKeys,
    page: RetirementPage,
    inTime: () => boolean,
  ): Promise<{ readonly seen: number; readonly keptUntil: Instant | undefined }>;
}

/**
 * The rows that are found by hashes under the index keys. `reindex`, `count` and `retire` read the table page by page.
 * A call reads at least one page, and continues for as long as `inTime` returns true.
 */
export interface IndexedTable {
  /** Returns the approximate number of rows of the table. */
  rows(): Promise<number>;
  /**
   * Moves the rows of CPFs to the newer of two index keys. The place is stored, and the next run continues there. Throws
   * a ChangedMeanwhile if `newer` is no longer the name of that key.
   */
  reindex(newer: string, options: { readonly unitsPerSecond: number }, inTime: () => boolean): Promise<Reindexing>;
  /** Counts the rows under the older of two index keys at `now`, from the first row or from the place `after` on. */
  count(
    after: string | undefined,
    now: Instant,
    inTime: () => boolean,
  ): Promise<OlderRows & { readonly next: string | undefined }>;
  /**
   * Retires the older index key once every row was looked at. Throws a SafeError if a row is still under it, and a
   * ChangedMeanwhile if the keys are no longer those that the caller has seen.
   */
  retire(
    keys: IndexKeys,
    page: RetirementPage,
    inTime: () => boolean,
  ): Promise<{ readonly seen: number; readonly retired: boolean }>;
}
