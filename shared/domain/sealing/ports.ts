/** The sealing keys by version: no key itself. */
export interface SealingKeys {
  readonly current: number;
  /** All versions that open rows, the current one among them, ascending. */
  readonly versions: readonly number[];
  /**
   * Milliseconds since 1970 from which on every function seals by the current key: those that fetched the keys before
   * they were last changed have let go of them by then.
   */
  readonly settledAt: number;
}

/** The index keys by name, which rows bear: no key itself. CPFs and Idempotency-Keys are found by hashes under them. */
export interface IndexKeys {
  /** The only one, or the older of two. */
  readonly name: string;
  /** The newer of two; undefined while there is one. */
  readonly next:
    | {
        readonly name: string;
        /** Milliseconds since 1970 from which on rows are written under it. */
        readonly from: number;
        /** From when no run that began before `from` goes on: no row is written under the older any more. */
        readonly settledAt: number;
      }
    | undefined;
}

/** The service's own keys. Whatever cannot be is refused in a sentence (SafeError). */
export interface ServiceKeys {
  initialised(): Promise<boolean>;
  /** Writes the first keys, once. */
  init(): Promise<void>;
  sealing(): Promise<SealingKeys>;
  /** Makes a new sealing key in the place of the current one, which goes on opening its rows; gives its version. */
  rotate(current: number): Promise<number>;
  indexing(): Promise<IndexKeys>;
  /** Makes a new index key beside the one of this name, which takes over minutes later; `now` in milliseconds. */
  rotateIndex(name: string, now: number): Promise<IndexKeys>;
}

/** How often a sealing key has sealed. */
export interface SealingKeyUse {
  readonly version: number;
  /** At most 256 too many for each process that sealed, never too few. */
  readonly encryptions: number;
  /** What share of the encryptions that a key is good for, in percent. */
  readonly percentOfLimit: number;
}

/** How far a run of the re-encryption has come. All counts are of rows. */
export interface Reencryption {
  /** Looked at, by this run and by those that it carries on. */
  readonly seen: number;
  /** Sealed anew, by this run and by those that it carries on. */
  readonly resealed: number;
  /** Keys of rows that do not open, the first that this run and those that it carries on have met. */
  readonly broken: readonly string[];
  readonly brokenCount: number;
  readonly done: boolean;
}

/** Number of rows that a key seals, of a kind. */
export interface SealedCount {
  readonly version: number;
  readonly kind: string;
  readonly rows: number;
}

/** One page of a look at every row before a key goes. */
export interface RetirementPage {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Whether it goes on where the page before has ended; else the look begins with the first row. */
  readonly goesOn: boolean;
}

/** The rows that the sealing keys have sealed. Each method goes on while `inTime` says so, one page of rows at least. */
export interface SealedTable {
  /** About how many rows the table has. */
  rows(): Promise<number>;
  /** Seals rows of other keys by the current one; the place is kept, and the next run goes on there. */
  reencrypt(
    current: number,
    options: { readonly restart: boolean; readonly unitsPerSecond: number },
    inTime: () => boolean,
  ): Promise<Reencryption>;
  /** Rows by key and kind, from a place on. */
  count(
    after: string | undefined,
    inTime: () => boolean,
  ): Promise<{ readonly seen: number; readonly rows: readonly SealedCount[]; readonly next: string | undefined }>;
  /** How often each version has sealed, in their order. */
  use(versions: readonly number[]): Promise<readonly SealingKeyUse[]>;
  /**
   * Takes a key away once every row was looked at and none needs it; place and count are kept in the table. Refused
   * (SafeError) while it is the current one, while functions may still seal by it, and at the end where rows need it.
   */
  retire(
    version: number,
    keys: SealingKeys,
    page: RetirementPage,
    inTime: () => boolean,
  ): Promise<{ readonly seen: number; readonly retired: boolean }>;
}

/** How far a run has come that moves CPFs to the newer index key. All counts are of rows. */
export interface Reindexing {
  /** Looked at, of all kinds, by this run and by those that it carries on. */
  readonly seen: number;
  /** CPFs that lie under the newer key now, by this run and by those that it carries on. */
  readonly moved: number;
  /** CPFs of persons who were erased, and such as lay under both keys: taken away, by this run and by those before. */
  readonly removed: number;
  /** Keys of CPFs that could not be moved, the first that this run and those that it carries on have met. */
  readonly broken: readonly string[];
  readonly brokenCount: number;
  readonly done: boolean;
}

/** Rows that lie under the older of two index keys. */
export interface OlderRows {
  readonly seen: number;
  /** CPFs, which a run moves. */
  readonly cpfs: number;
  /** What Idempotency-Keys have left; it ends by itself. */
  readonly records: number;
  /** When the last of those ends, in milliseconds since 1970; 0 where there is none. */
  readonly recordsEndAt: number;
}

/** The rows that are found by hashes under the index keys. Each method goes on while `inTime` says so, one page of rows at least. */
export interface IndexedTable {
  /** About how many rows the table has. */
  rows(): Promise<number>;
  /** Moves CPFs to the newer of two keys; the place is kept, and the next run goes on there. */
  reindex(options: { readonly unitsPerSecond: number }, inTime: () => boolean): Promise<Reindexing>;
  /** What lies under the older of two keys at `now` (milliseconds), from a place on. */
  count(
    after: string | undefined,
    now: number,
    inTime: () => boolean,
  ): Promise<OlderRows & { readonly next: string | undefined }>;
  /**
   * Takes the older of two keys away once every row was looked at and none lies under it; place and counts are kept in
   * the table. Refused (SafeError) while rows may still be written under it, and at the end where
   * rows lie under it.
   */
  retire(
    keys: IndexKeys,
    page: RetirementPage,
    inTime: () => boolean,
  ): Promise<{ readonly seen: number; readonly retired: boolean }>;
}
