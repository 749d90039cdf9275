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

/** The partitions of the pending index that a filter leaves to look at. */
export const partitionsOf = ({ bank }: PendingFilter): readonly PollPartition[] =>
  POLL_PARTITIONS.filter((one) => (bank ?? one.bank) === one.bank);

/** A page of the pending analyses of a filter, oldest first within the page. */
export async function listPending(
  filter: PendingFilter,
  place: PendingPlace | undefined,
  { analyses, inTime }: { readonly analyses: Pick<Analyses, 'pending'>; readonly inTime: () => boolean },
): Promise<{ items: readonly Analysis[]; next: PendingPlace | undefined }> {
  const partitions = partitionsOf(filter);
  const items: Analysis[] = [];
  let at: PendingPlace = place ?? { partition: 0 };
  do {
    const partition = partitions[at.partition];
    if (!partition) return { items: oldestFirst(items), next: undefined };
    const page = await analyses.pending(partition, { from: 0, to: Number.MAX_SAFE_INTEGER }, at.after);
    items.push(...page.items.filter((one) => isWanted(one, filter)));
    at = page.next === undefined ? { partition: at.partition + 1 } : { ...at, after: page.next };
  } while (items.length < ENOUGH && inTime());
  return { items: oldestFirst(items), next: at.partition < partitions.length ? at : undefined };
}

const isWanted = (analysis: Analysis, { partnerId, unanswerable = false }: PendingFilter) =>
  (partnerId ?? analysis.partnerId) === analysis.partnerId &&
  (!unanswerable || analysis.unanswerableSince !== undefined);

const oldestFirst = (items: readonly Analysis[]) => [...items].sort((a, b) => a.createdAt - b.createdAt);
