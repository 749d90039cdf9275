import { ACCOUNT_EVENT } from './delivery.ts';
import type { EndpointOwner } from './endpoint.ts';
import type { DeliveryArchive } from './ports.ts';

/** Most events that are counted before a change of the address. Nobody needs the exact number of more. */
const MOST_WAITING = 1_000;
/** Most pages that are read for that count. A page ends after 5,000 events, however few of them wait. */
const MOST_WAITING_PAGES = 4;

/**
 * Most kept events that are counted. Nobody needs the exact number of more, and the count must not delay the call that
 * enables the endpoint.
 */
export const MOST_KEPT = 10_000;
/** Most pages that are read for that count. A page ends after 1 MB of the index, which is about 3,000 events. */
const MOST_KEPT_PAGES = 10;

/**
 * Returns how many events of a partner's environment are on their way or kept, up to 1,000. These events go to the
 * address that the webhook has when they are sent. Also returns 1,000 if the list has too many pages or the time is
 * out: without a number, the caller must ask for confirmation.
 */
export function waitingFor(
  { partnerId, environment }: EndpointOwner,
  archive: Pick<DeliveryArchive, 'page'>,
  inTime: () => boolean,
): Promise<number> {
  return countUpTo(MOST_WAITING, MOST_WAITING_PAGES, inTime, async (limit, after) => {
    const filter = { environment, states: ['pendente', 'suspensa'] } as const;
    const { items, next } = await archive.page(partnerId, filter, 'newest', limit, after);
    // An account's event goes to the address before the change, wherever the webhook points by then.
    return { count: items.filter(({ type }) => type !== ACCOUNT_EVENT).length, next };
  });
}

/**
 * Returns how many events are kept until an endpoint is enabled, up to MOST_KEPT. Also returns MOST_KEPT
 * if the index has too many pages or the time is out: a partner may have millions of events.
 */
export function keptFor(
  owner: EndpointOwner,
  archive: Pick<DeliveryArchive, 'countSuspended'>,
  inTime: () => boolean,
): Promise<number> {
  return countUpTo(MOST_KEPT, MOST_KEPT_PAGES, inTime, (limit, after) => archive.countSuspended(owner, limit, after));
}

/**
 * Returns the sum of the counts of all pages, up to `enough`. Also returns `enough` if there are more than `mostPages`
 * pages or the time is out before the last page.
 */
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
