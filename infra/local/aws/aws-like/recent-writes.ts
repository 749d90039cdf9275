import type { Image } from './request.ts';
import type { Row } from './rows.ts';
import { type AwsLikeSettings, draw } from './settings.ts';

/** A write that an index or a read from a moment ago may not show yet. */
interface RecentWrite {
  readonly row: Row;
  /** The row as it was; undefined where there was none. */
  readonly before: Image | undefined;
  /** When it took effect; endless while it is under way. */
  at: number;
  /** From when the indexes show it; endless while it is under way. */
  indexedAt: number;
}

/** A row as a read from a moment ago shows it. */
export interface OldRow {
  readonly row: Row;
  readonly image: Image | undefined;
}

/** Which writes a read does not see yet. */
type Unseen = (write: Readonly<RecentWrite>) => boolean;

/**
 * The writes of the last moments with the rows as they were before, so that a read can be given the past. Writes of one
 * row go one after another, each reading the row first: the list of a row is its true history. A row that is not in the
 * list is as the engine has it.
 */
export class RecentWrites {
  readonly #settings: () => AwsLikeSettings;
  readonly #random: () => number;
  readonly #now: () => number;
  /** By row, oldest first. */
  readonly #writes = new Map<string, RecentWrite[]>();
  readonly #last = new Map<string, Promise<unknown>>();
  #all: RecentWrite[] = [];

  /** `now` in milliseconds, from any moment on. */
  constructor(settings: () => AwsLikeSettings, random: () => number, now: () => number) {
    this.#settings = settings;
    this.#random = random;
    this.#now = now;
  }

  get #longest(): number {
    const { indexLag, readLag } = this.#settings();
    return Math.max(indexLag[1], readLag[1]);
  }

  /** Runs a write. `read` gives the rows as they stand, `took` says whether the answer means that they were changed. */
  async record<T>(
    rows: readonly Row[],
    read: () => Promise<readonly (Image | undefined)[]>,
    write: () => Promise<T>,
    took: (answer: T) => boolean,
  ): Promise<T> {
    if (this.#longest === 0 || rows.length === 0) return write();
    const leave = await this.#enter(rows);
    try {
      const before = await read();
      const writes = rows.map(
        (row, index): RecentWrite => ({
          row,
          before: before[index],
          at: Number.POSITIVE_INFINITY,
          indexedAt: Number.POSITIVE_INFINITY,
        }),
      );
      for (const one of writes) this.#writes.set(one.row.id, [...(this.#writes.get(one.row.id) ?? []), one]);
      let changed = false;
      try {
        const answer = await write();
        changed = took(answer);
        return answer;
      } finally {
        if (changed) this.#tookEffect(writes);
        else this.#remove(writes);
      }
    } finally {
      leave();
    }
  }

  /** Waits until earlier writes of the rows are over; all are entered at once, so that no two wait for each other. */
  async #enter(rows: readonly Row[]): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const earlier = rows.map(({ id }) => this.#last.get(id));
    for (const { id } of rows) this.#last.set(id, promise);
    await Promise.all(earlier);
    return () => {
      for (const { id } of rows) if (this.#last.get(id) === promise) this.#last.delete(id);
      resolve();
    };
  }

  #tookEffect(writes: readonly RecentWrite[]): void {
    const at = this.#now();
    for (const write of writes) {
      write.at = at;
      // An index takes a row's writes in their order.
      const earlier = this.#writes.get(write.row.id)!.filter((other) => other !== write);
      const lag = draw(this.#settings().indexLag, this.#random);
      write.indexedAt = Math.max(at + lag, ...earlier.map(({ indexedAt }) => indexedAt));
    }
    this.#all.push(...writes);
    const shown = this.#all.findIndex((write) => Math.max(write.at + this.#longest, write.indexedAt) > at);
    this.#remove(this.#all.splice(0, shown));
  }

  #remove(writes: readonly RecentWrite[]): void {
    for (const write of writes) {
      const left = this.#writes.get(write.row.id)!.filter((other) => other !== write);
      if (left.length > 0) this.#writes.set(write.row.id, left);
      else this.#writes.delete(write.row.id);
    }
  }

  /** What a read of an index that begins now does not see. */
  unindexed(): Unseen {
    const from = this.#now();
    return ({ indexedAt }) => indexedAt > from;
  }

  /** What a read without ConsistentRead that begins now does not see. */
  unreplicated(): Unseen {
    const from = this.#now() - draw(this.#settings().readLag, this.#random);
    return ({ at }) => at > from;
  }

  /** The row as a read shows it, where that is not what the engine has. */
  old(id: string, unseen: Unseen): OldRow | undefined {
    const first = this.#writes.get(id)?.find(unseen);
    return first && { row: first.row, image: first.before };
  }

  /** All rows of a table that a read shows otherwise than the engine has them. */
  allOld(table: string, unseen: Unseen): OldRow[] {
    return [...this.#writes].flatMap(([id, [first]]) => {
      const old = first!.row.table === table ? this.old(id, unseen) : undefined;
      return old ? [old] : [];
    });
  }
}
