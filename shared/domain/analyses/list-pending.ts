import type { Bank } from '../values/bank.ts';
import type { PartnerId } from '../values/ids.ts';
import type { Analysis } from './analysis.ts';
import { POLL_PARTITIONS, type PollPartition } from './poll-schedule.ts';
import type { Analyses } from './ports.ts';

/** Which pending analyses are asked for; what is left out excludes none. */
export interface PendingFilter {
  readonly partnerId?: PartnerId | undefined;
  readonly bank?: Bank | undefined;
  /** Those alone for which the operator has no usable answer, while it answers for others. */
  readonly unanswerable?: boolean | undefined;
}

/** Where the next page goes on: a partition of the pending index, and the row of it that was last. */
export interface PendingPlace {
  readonly partition: number;
  readonly after?: string | undefined;
}

/** Analyses after which a page ends. */
const ENOUGH = 500;
/** Partitions read side by side on the first page: half of all 120. */
const AT_ONCE = 60;

/** The partitions of the pending index that a filter leaves to look at. */
export const partitionsToList = ({ bank }: PendingFilter): readonly PollPartition[] =>
  POLL_PARTITIONS.filter((one) => (bank ?? one.bank) === one.bank);

/**
 * A page of the pending analyses of a filter, oldest first within the page. Reading side by side stops at the first
 * partition that has more than one page: those read behind it would have to be read again. From there on, and on later
 * pages, partitions are read one by one.
 */
export async function listPending(
  filter: PendingFilter,
  place: PendingPlace | undefined,
  { analyses, inTime }: { readonly analyses: Pick<Analyses, 'pending'>; readonly inTime: () => boolean },
): Promise<{ items: readonly Analysis[]; next: PendingPlace | undefined }> {
  const partitions = partitionsToList(filter);
  const items: Analysis[] = [];
  let at: PendingPlace = place ?? { partition: 0 };
  let atOnce = place ? 1 : AT_ONCE;
  do {
    const { partition: first, after } = at;
    const lot = partitions.slice(first, first + atOnce);
    // `after` is a row of the first partition: where it is set, no other is read beside it.
    const pages = await Promise.all(lot.map((partition) => analyses.pending(partition, EVER, after)));
    for (const [index, { items: found, next }] of pages.entries()) {
      items.push(...found.filter((one) => isWanted(one, filter)));
      at = next === undefined ? { partition: first + index + 1 } : { partition: first + index, after: next };
      if (next !== undefined) atOnce = 1;
      if (next !== undefined || items.length >= ENOUGH) break;
    }
  } while (at.partition < partitions.length && items.length < ENOUGH && inTime());
  return { items: oldestFirst(items), next: at.partition < partitions.length ? at : undefined };
}

const EVER = { from: 0, to: Number.MAX_SAFE_INTEGER };

const isWanted = (analysis: Analysis, { partnerId, unanswerable = false }: PendingFilter) =>
  (partnerId ?? analysis.partnerId) === analysis.partnerId &&
  (!unanswerable || analysis.unanswerableSince !== undefined);

const oldestFirst = (items: readonly Analysis[]) => items.toSorted((a, b) => a.createdAt - b.createdAt);
