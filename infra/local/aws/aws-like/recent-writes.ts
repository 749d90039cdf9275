import type { Milliseconds } from '#shared/domain/values/time.ts';
import type { Image } from './request.ts';
import type { Row } from './rows.ts';
import { type AwsLikeSettings, draw } from './settings.ts';

/** A write that an index or a read from a moment ago may not show yet. */
interface RecentWrite {
  readonly row: Row;
  /** The row as it was; undefined where there was none. */
  readonly before: Image | undefined;
  /** When it took effect; endless while it is under way. */
  at: Milliseconds;
  /** From when the indexes show it; endless while it is under way. */
  indexedAt: Milliseconds;
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
 * list is as the engine has it. `now` is the time since any moment.
 */
export function recentWrites(settings: () => AwsLikeSettings, random: () => number, now: () => Milliseconds) {
  /** By row, oldest first. */
  const byRow = new Map<string, RecentWrite[]>();
  const last = new Map<string, Promise<unknown>>();
  const all: RecentWrite[] = [];

  const writesOf = ({ id }: Row): RecentWrite[] => byRow.get(id) ?? [];

  function longest(): Milliseconds {
    const { indexLag, readLag } = settings();
    return Math.max(indexLag[1], readLag[1]);
  }

  /** Runs a write. `read` gives the rows as they stand, `took` says whether the answer means that they were changed. */
  async function record<T>(
    rows: readonly Row[],
    read: () => Promise<readonly (Image | undefined)[]>,
    write: () => Promise<T>,
    took: (answer: T) => boolean,
  ): Promise<T> {
    if (longest() === 0 || rows.length === 0) return write();
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
      for (const one of writes) byRow.set(one.row.id, writesOf(one.row).concat(one));
      let changed = false;
      try {
        const answer = await write();
        changed = took(answer);
        return answer;
      } finally {
        if (changed) tookEffect(writes);
        else remove(writes);
      }
    } finally {
      leave();
    }
  }

  /** Waits until earlier writes of the rows are over; all are entered at once, so that no two wait for each other. */
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

  function tookEffect(writes: readonly RecentWrite[]): void {
    const at = now();
    for (const write of writes) {
      write.at = at;
      // An index takes a row's writes in their order.
      const earlier = writesOf(write.row).filter((other) => other !== write);
      const lag = draw(settings().indexLag, random);
      write.indexedAt = Math.max(at + lag, ...earlier.map(({ indexedAt }) => indexedAt));
    }
    all.push(...writes);
    const shown = all.findIndex((write) => Math.max(write.at + longest(), write.indexedAt) > at);
    remove(all.splice(0, shown));
  }

  function remove(writes: readonly RecentWrite[]): void {
    for (const write of writes) {
      const left = writesOf(write.row).filter((other) => other !== write);
      if (left.length > 0) byRow.set(write.row.id, left);
      else byRow.delete(write.row.id);
    }
  }

  /** What a read of an index that begins now does not see. */
  function unindexed(): Unseen {
    const from = now();
    return ({ indexedAt }) => indexedAt > from;
  }

  /** What a read without ConsistentRead that begins now does not see. */
  function unreplicated(): Unseen {
    const from = now() - draw(settings().readLag, random);
    return ({ at }) => at > from;
  }

  /** The row as a read shows it, where that is not what the engine has. */
  function old(id: string, unseen: Unseen): OldRow | undefined {
    const first = byRow.get(id)?.find(unseen);
    return first && { row: first.row, image: first.before };
  }

  /** All rows of a table that a read shows otherwise than the engine has them. */
  function allOld(table: string, unseen: Unseen): OldRow[] {
    return [...byRow].flatMap(([id, [first]]) => {
      const row = first?.row.table === table ? old(id, unseen) : undefined;
      return row ? [row] : [];
    });
  }

  return { record, unindexed, unreplicated, old, allOld };
}
export type RecentWrites = ReturnType<typeof recentWrites>;
