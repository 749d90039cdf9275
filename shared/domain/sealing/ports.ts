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

/** The service's own keys as the manager handles them. Whatever cannot be is refused in a sentence (SafeError). */
export interface ServiceKeys {
  /** Whether the keys were ever written. */
  initialised(): Promise<boolean>;
  /** Writes the first keys. */
  init(): Promise<void>;
  sealing(): Promise<SealingKeys>;
  /** Makes a new sealing key the current one and returns its version. Refused if `current` is not current any more. */
  rotate(current?: number): Promise<number>;
  /** The sealing keys that are kept only for copies of the table, and until when. */
  retired(): Promise<readonly { readonly version: number; readonly until: Instant }[]>;
  indexing(): Promise<IndexKeys>;
  /** Makes a newer index key, which rows are written under later. Refused if `name` is not the only key. */
  rotateIndex(name: string, now: Instant): Promise<IndexKeys>;
}

/** The rows that the sealing keys have sealed. Each long work continues while `inTime` says so, one page of rows at least. */
export interface SealedTable {
  /** How many rows the table has, about. */
  rows(): Promise<number>;
  /** Seals rows of other keys by the current one. The place is kept, and the next run continues there. */
  reencrypt(
    current: number,
    options: { readonly restart: boolean; readonly unitsPerSecond: number },
    inTime: () => boolean,
  ): Promise<Reencryption>;
  /** Counts rows by key and kind, from a place on. */
  count(after: string | undefined, inTime: () => boolean): Promise<SealedPage>;
  use(versions: readonly number[]): Promise<readonly SealingKeyUse[]>;
  /**
   * Takes a sealing key away once every row was looked at and none needs it. `keptUntil`: until when the key is kept for
   * copies of the table; undefined until the last page.
   */
  retire(
    version: number,
    keys: SealingKeys,
    page: RetirementPage,
    inTime: () => boolean,
  ): Promise<{ readonly seen: number; readonly keptUntil: Instant | undefined }>;
}

/** The rows that are found by hashes under the index keys. Each long work continues while `inTime` says so, one page at least. */
export interface IndexedTable {
  /** How many rows the table has, about. */
  rows(): Promise<number>;
  /** Moves CPFs to the newer of two keys. The place is kept, and the next run continues there. */
  reindex(options: { readonly unitsPerSecond: number }, inTime: () => boolean): Promise<Reindexing>;
  /** Counts the rows that lie under the older of two keys at `now`, from a place on. */
  count(
    after: string | undefined,
    now: Instant,
    inTime: () => boolean,
  ): Promise<OlderRows & { readonly next: string | undefined }>;
  /** Takes the older key away once every row was looked at and none lies under it. */
  retire(
    keys: IndexKeys,
    page: RetirementPage,
    inTime: () => boolean,
  ): Promise<{ readonly seen: number; readonly retired: boolean }>;
}
