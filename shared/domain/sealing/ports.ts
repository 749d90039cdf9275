import type { Instant } from '../values/time.ts';
import type { CountPage, HeldKeys, Retirement, RetirementPage, Rewriting, SealingKeyUse } from './rotation.ts';

export type ChangedKeys = HeldKeys & { readonly indexChanged: boolean };

/** An impossible change throws a SafeError that says why. */
export interface ServiceKeys {
  initialised(): Promise<boolean>;
  /** Throws if there are keys already: new keys could not read the rows. */
  init(): Promise<void>;
  held(): Promise<HeldKeys>;
  /**
   * Also makes a new index key, unless MOST_INDEX_KEYS are held. Throws a ChangedMeanwhile if `current` is no longer
   * the current key.
   */
  change(current: number, now: Instant): Promise<ChangedKeys>;
  retired(): Promise<readonly { readonly version: number; readonly until: Instant }[]>;
}

/** A call reads at least one page, and continues for as long as `inTime` returns true. */
export interface KeyedTable {
  rows(): Promise<number>;
  /**
   * Encrypts the rows of other sealing keys with the current key. If the keys have settled at `now`, also moves the
   * rows of CPFs to the newest index key. The place is stored, and the next run continues there while the keys are the
   * same. With `restart`, a run begins with the first row. Throws a ChangedMeanwhile if the keys are no longer those that the caller has seen.
   */
  rewrite(
    keys: HeldKeys,
    now: Instant,
    options: { readonly restart: boolean; readonly unitsPerSecond: number },
    inTime: () => boolean,
  ): Promise<Rewriting>;
  /** A record that has ended at `now` is counted everywhere except under its index key. */
  count(after: string | undefined, now: Instant, inTime: () => boolean): Promise<CountPage>;
  use(versions: readonly number[]): Promise<readonly SealingKeyUse[]>;
  /**
   * Retires, once every row was looked at, each old key that no row needs. Throws a SafeError if rows need all old
   * keys, and a ChangedMeanwhile if the keys are no longer those that the caller has seen.
   */
  retire(keys: HeldKeys, page: RetirementPage, inTime: () => boolean): Promise<Retirement>;
}
