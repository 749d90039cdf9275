import type { Bank } from '../values/bank.ts';
import type { PartnerId } from '../values/ids.ts';
import type { Analysis } from './analysis.ts';
import { POLL_PARTITIONS, type PollPartition } from './poll-schedule.ts';
import type { Analyses } from './ports.ts';

export interface PendingFilter {
  readonly partnerId?: PartnerId | undefined;
  readonly bank?: Bank | undefined;
  readonly unanswerable?: boolean | undefined;
}

export interface PendingPlace {
  readonly partition: number;
  readonly after?: string | undefined;
}

const PAGE_SIZE = 500;
const AT_ONCE = 60;

export const partitionsToList = ({ bank }: PendingFilter): readonly PollPartition[] =>
  POLL_PARTITIONS.filter((partition) => (bank ?? partition.bank) === partition.bank);

/**
 * The first page reads partitions in parallel until one of them has more than one page of the table. The list continues
 * at this partition, so the partitions behind it are read again.
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
    // If `after` is set, `atOnce` is 1: `after` belongs to one partition.
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
