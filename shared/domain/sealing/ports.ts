import type { Instant } from '../values/time.ts';
import type { CountPage, HeldKeys, Retirement, RetirementPage, Rewriting, SealingKeyUse } from './rotation.ts';

/** The service's own keys, as the manager handles them. An impossible change throws a SafeError that says why. */
export interface ServiceKeys {
  /** Whether the service's keys have been written. */
  initialised(): Promise<boolean>;
  /** Writes the first keys. Throws if there are keys, since rows could not be read with other keys. */
  init(): Promise<void>;
  held(): Promise<HeldKeys>;
  /**
   * Makes a new sealing key the current one, and a new index key unless MOST_INDEX_KEYS are held. Throws a
   * ChangedMeanwhile if `current` is no longer the current version.
   */
  change(current: number, now: Instant): Promise<void>;
  /** Returns the sealing keys that are kept only for copies of the table, and until when each is kept. */
  retired(): Promise<readonly { readonly version: number; readonly until: Instant }[]>;
}

/**
 * The rows that need the service's keys. `rewrite`, `count` and `retire` read the table page by page. A call reads at
 * least one page, and continues for as long as `inTime` returns true.
 */
export interface KeyedTable {
  /** Returns the approximate number of rows of the table. */
  rows(): Promise<number>;
  /**
   * Encrypts the rows of other sealing keys with the current key. If the keys have settled at `now`, also moves the rows of
   * CPFs to the newest index key. The place is stored, and the next run continues there. With `restart`, a run begins with
   * the first row. Throws a ChangedMeanwhile if the keys are no longer those that the caller has seen.
   */
  rewrite(
    keys: HeldKeys,
    now: Instant,
    options: { readonly restart: boolean; readonly unitsPerSecond: number },
    inTime: () => boolean,
  ): Promise<Rewriting>;
  /** Counts the rows by key, from the first row or from the place `after` on. Rows that have ended at `now` are left out. */
  count(after: string | undefined, now: Instant, inTime: () => boolean): Promise<CountPage>;
  /** Returns how often each of these versions has encrypted. */
  use(versions: readonly number[]): Promise<readonly SealingKeyUse[]>;
  /**
   * Retires, once every row was looked at, each old key that no row needs. Throws a SafeError if rows need all of them, and
   * a ChangedMeanwhile if the keys are no longer those that the caller has seen.
   */
  retire(keys: HeldKeys, page: RetirementPage, inTime: () => boolean): Promise<Retirement>;
}
