import type { Bank } from '../values/bank.ts';
import type { PartnerId } from '../values/ids.ts';
import type { Analysis } from './analysis.ts';
import { POLL_PARTITIONS, type PollPartition } from './poll-schedule.ts';
import type { Analyses } from './ports.ts';

/** Which pending analyses are wanted. A field that is undefined excludes none. */
export interface PendingFilter {
  readonly partnerId?: PartnerId | undefined;
  readonly bank?: Bank | undefined;
  /**
   * If true, the list has only unanswerable analyses: the operator answers about others, but not usably about these.
   */
  readonly unanswerable?: boolean | undefined;
}

/** Where the next page continues: an index in the list of partitions, and the table's cursor within that partition. */
export interface PendingPlace {
  readonly partition: number;
  readonly after?: string | undefined;
}

/** Number of analyses after which a page ends. */
const PAGE_SIZE = 500;
/** Partitions that the first page reads in parallel: half of all 120. */
const AT_ONCE = 60;

/** Returns the partitions of the pending index that can contain analyses of a filter. */
export const partitionsToList = ({ bank }: PendingFilter): readonly PollPartition[] =>
  POLL_PARTITIONS.filter((partition) => (bank ?? partition.bank) === partition.bank);

/**
 * Returns a page of the pending analyses of a filter, oldest first within the page. `next` is undefined at the end.
 *
 * The first page reads partitions in parallel until one of them has more than one page of the table. The list must
 * continue there, so everything that was read behind it is read again. Therefore the partitions from there on, and on
 * later pages, are read one after the other.
 */
export async function listPending(
  filter: PendingFilter,
  place: PendingPlace | undefined,
  { analyses, inTime }: { readonly analyses: Pick<Analyses, 'pending'>; readonly inTime: () => boolean },
): Promise<{ items: readonly Analysis[]; next: PendingPlace | undefined }> {
  const partitions = partitionsToList(filter);
  const items: Analysis[] = [];
  let current: PendingPlace = place ?? { partition: 0 };
  let atOnce = place ? 1 : AT_ONCE;
  do {
    const { partition: first, after } = current;
    const group = partitions.slice(first, first + atOnce);
    // `after` belongs to the first partition. If it is set, `atOnce` is 1, so that no other partition is read with it.
    const pages = await Promise.all(group.map((partition) => analyses.pending(partition, ALL_TIMES, after)));
    for (const [index, { items: found, next }] of pages.entries()) {
      items.push(...found.filter((analysis) => isWanted(analysis, filter)));
      current = next === undefined ? { partition: first + index + 1 } : { partition: first + index, after: next };
      if (next !== undefined) atOnce = 1;
      if (next !== undefined || items.length >= PAGE_SIZE) break;
    }
  } while (current.partition < partitions.length && items.length < PAGE_SIZE && inTime());
  return { items: oldestFirst(items), next: current.partition < partitions.length ? current : undefined };
}

const ALL_TIMES = { from: 0, to: Number.MAX_SAFE_INTEGER };

const isWanted = (analysis: Analysis, { partnerId, unanswerable = false }: PendingFilter) =>
  (partnerId ?? analysis.partnerId) === analysis.partnerId &&
  (!unanswerable || analysis.unanswerableSince !== undefined);

const oldestFirst = (items: readonly Analysis[]) => items.toSorted((a, b) => a.createdAt - b.createdAt);
