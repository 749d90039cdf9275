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

/** The service's own keys. Whatever cannot be is refused in a sentence (SafeError). */
export interface ServiceKeys {
  initialised(): Promise<boolean>;
  /** Writes the first keys, once. */
  init(): Promise<void>;
  sealing(): Promise<SealingKeys>;
  /** Makes a new sealing key in the place of the current one, which goes on opening its rows; gives its version. */
  rotate(current: number): Promise<number>;
}

/** How far a run of the re-encryption has come. All counts are of rows. */
export interface Reencryption {
  /** Looked at, by this run and by those that it carries on. */
  readonly seen: number;
  /** Sealed anew, by this run and by those that it carries on. */
  readonly resealed: number;
  /** Keys of rows that do not open, the first of them. */
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
  /**
   * Takes a key away once every row was looked at and none needs it; the place is kept in the table. Refused (SafeError)
   * while it is the current one, while functions may still seal by it, and as soon as a row is found that it seals.
   */
  retire(
    version: number,
    keys: SealingKeys,
    now: number,
    inTime: () => boolean,
  ): Promise<{ readonly seen: number; readonly retired: boolean }>;
}
