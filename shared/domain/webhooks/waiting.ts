import { ACCOUNT_EVENT } from './delivery.ts';
import type { EndpointOwner } from './endpoint.ts';
import type { DeliveryArchive, SuspendedDeliveries } from './ports.ts';

const MOST_WAITING = 1_000;
/** A page ends after 5,000 events, however few of them wait. */
const MOST_WAITING_PAGES = 4;

/** Nobody needs a larger number exactly, and the count must not delay the call that enables the endpoint. */
export const MOST_SUSPENDED = 10_000;

/**
 * Counts events that go to the webhook's address at the time of sending. Also returns 1,000 if the list has too many
 * pages or the time is out: without a number, the caller must ask for confirmation.
 */
export async function waitingFor(
  { partnerId, environment }: EndpointOwner,
  archive: Pick<DeliveryArchive, 'page'>,
  inTime: () => boolean,
): Promise<number> {
  const filter = { environment, states: ['pendente', 'suspensa'] } as const;
  let count = 0;
  let after: string | undefined;
  for (let pages = 0; pages < MOST_WAITING_PAGES && inTime(); pages++) {
    const { items, next } = await archive.page(partnerId, filter, 'newest', MOST_WAITING - count, after);
    // An account's event goes to the address before the change, wherever the webhook points by then.
    count += items.filter(({ type }) => type !== ACCOUNT_EVENT).length;
    after = next;
    if (after === undefined || count >= MOST_WAITING) return count;
  }
  return MOST_WAITING;
}

/** Returns MOST_SUSPENDED if not all could be counted. */
export async function suspendedFor(
  owner: EndpointOwner,
  suspended: Pick<SuspendedDeliveries, 'count'>,
  inTime: () => boolean,
): Promise<number> {
  const { count, isWhole } = await suspended.count(owner, { most: MOST_SUSPENDED, inTime });
  return isWhole ? count : MOST_SUSPENDED;
}
