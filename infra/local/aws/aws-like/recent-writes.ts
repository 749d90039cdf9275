import type { Milliseconds } from '#shared/domain/values/time.ts';
import type { Image } from './request.ts';
import type { Row } from './rows.ts';
import { type AwsLikeSettings, draw } from './settings.ts';

interface RecentWrite {
  readonly row: Row;
  readonly before: Image | undefined;
  /** Infinite while the write is in progress. */
  at: Milliseconds;
  /** Infinite while the write is in progress. */
  indexedAt: Milliseconds;
}

/** `image`: the row's state a moment ago. Undefined if the row did not exist then. */
export interface OldRow {
  readonly row: Row;
  readonly image: Image | undefined;
}

type Unseen = (write: Readonly<RecentWrite>) => boolean;

/**
 * Recent writes, each with the former state of its row, so that reads can show the past. Writes of one row run one
 * after another, and each reads the row first: the list of a row is its true history. `now`: time since an arbitrary
 * moment.
 */
export function recentWrites(settings: () => AwsLikeSettings, random: () => number, now: () => Milliseconds) {
  /** By row, oldest first. */
  const byRow = new Map<string, RecentWrite[]>();
  const last = new Map<string, Promise<unknown>>();
  const all: RecentWrite[] = [];

  const writesOf = ({ id }: Row): RecentWrite[] => byRow.get(id) ?? [];

  function longestLag(): Milliseconds {
    const { indexLag, readLag } = settings();
    return Math.max(indexLag[1], readLag[1]);
  }

  /** `took`: whether the answer means that the rows were changed. */
  async function record<T>(
    rows: readonly Row[],
    read: () => Promise<readonly (Image | undefined)[]>,
    write: () => Promise<T>,
    took: (answer: T) => boolean,
  ): Promise<T> {
    if (longestLag() === 0 || rows.length === 0) return write();
    const leave = await enter(rows);
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
      for (const added of writes) byRow.set(added.row.id, writesOf(added.row).concat(added));
      let changed = false;
      try {
        const answer = await write();
        changed = took(answer);
        return answer;
      } finally {
        if (changed) markEffective(writes);
        else remove(writes);
      }
    } finally {
      leave();
    }
  }

  /**
   * Waits until earlier writes of the rows have ended. Enters all rows at once, so that no two writes wait mutually.
   */
  async function enter(rows: readonly Row[]): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const earlier = rows.map(({ id }) => last.get(id));
    for (const { id } of rows) last.set(id, promise);
    await Promise.all(earlier);
    return () => {
      for (const { id } of rows) if (last.get(id) === promise) last.delete(id);
      resolve();
    };
  }

  function markEffective(writes: readonly RecentWrite[]): void {
    const at = now();
    for (const write of writes) {
      write.at = at;
      // An index applies the writes of a row in their order.
      const earlier = writesOf(write.row).filter((other) => other !== write);
      const lag = draw(settings().indexLag, random);
      write.indexedAt = Math.max(at + lag, ...earlier.map(({ indexedAt }) => indexedAt));
    }
    all.push(...writes);
    const shown = all.findIndex((write) => Math.max(write.at + longestLag(), write.indexedAt) > at);
    remove(all.splice(0, shown));
  }

  function remove(writes: readonly RecentWrite[]): void {
    for (const write of writes) {
      const remaining = writesOf(write.row).filter((other) => other !== write);
      if (remaining.length > 0) byRow.set(write.row.id, remaining);
      else byRow.delete(write.row.id);
    }
  }

  function unindexed(): Unseen {
    const from = now();
    return ({ indexedAt }) => indexedAt > from;
  }

  function unreplicated(): Unseen {
    const from = now() - draw(settings().readLag, random);
    return ({ at }) => at > from;
  }

  /** Undefined if the read sees all writes of the row. */
  function old(id: string, unseen: Unseen): OldRow | undefined {
    const first = byRow.get(id)?.find(unseen);
    return first && { row: first.row, image: first.before };
  }

  function allOld(table: string, unseen: Unseen): OldRow[] {
    return [...byRow].flatMap(([id, [first]]) => {
      const row = first?.row.table === table ? old(id, unseen) : undefined;
      return row ? [row] : [];
    });
  }

  return { record, unindexed, unreplicated, old, allOld };
}
export type RecentWrites = ReturnType<typeof recentWrites>;
