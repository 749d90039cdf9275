import type { PartnerId } from '../values/ids.ts';
import { ACCOUNT_EVENT } from './delivery.ts';
import type { DeliveryArchive } from './ports.ts';

/** Events that are counted before a change of the address: more need no exact number. */
const ENOUGH = 1_000;
/** Pages that are looked through for them. A page ends after 5,000 events, however few of them wait. */
const MOST_PAGES = 4;

/** Kept events that are counted: beyond, people need no exact number, and the count must not hold up what frees them. */
export const MOST_KEPT = 10_000;
/** Pages that are counted for it. A page ends after 1 MB of the index, in which there are about 3,000 events. */
const MOST_KEPT_PAGES = 10;

/**
 * How many events of a partner are on their way or kept, counted up to 1000: they go where its webhook points by then. Gives
 * 1000 too where its list ends beyond some pages, or no time is left: who cannot tell must ask for confirmation.
 */
export function waitingFor(
  partnerId: PartnerId,
  archive: Pick<DeliveryArchive, 'page'>,
  inTime: () => boolean,
): Promise<number> {
  return countUpTo(ENOUGH, MOST_PAGES, inTime, async (limit, after) => {
    const filter = { states: ['pendente', 'suspensa'] } as const;
    const { items, next } = await archive.page(partnerId, filter, 'newest', limit, after);
    // What tells of a change goes to the address before it, wherever the webhook points by then.
    return { count: items.filter(({ type }) => type !== ACCOUNT_EVENT).length, next };
  });
}

/**
 * How many events of a partner are kept until its webhook is enabled, counted up to MOST_KEPT. Gives MOST_KEPT too where it
 * cannot be counted in some pages, or no time is left: a partner may have millions.
 */
export function keptFor(
  partnerId: PartnerId,
  archive: Pick<DeliveryArchive, 'countSuspended'>,
  inTime: () => boolean,
): Promise<number> {
  return countUpTo(MOST_KEPT, MOST_KEPT_PAGES, inTime, (limit, after) =>
    archive.countSuspended(partnerId, limit, after),
  );
}

/** Counts page by page; `enough` where there are as many, where the end is further than so many pages, or no time is left. */
async function countUpTo(
  enough: number,
  mostPages: number,
  inTime: () => boolean,
  page: (limit: number, after: string | undefined) => ReturnType<DeliveryArchive['countSuspended']>,
): Promise<number> {
  let count = 0;
  let after: string | undefined;
  for (let pages = 0; pages < mostPages && inTime(); pages++) {
    const counted = await page(enough - count, after);
    count += counted.count;
    after = counted.next;
    if (after === undefined || count >= enough) return count;
  }
  return enough;
}
