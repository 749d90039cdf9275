import type { PartnerId } from '../values/ids.ts';
import type { DeliveryArchive } from './ports.ts';

/** Events that are counted before a change of the address: more need no exact number. */
const ENOUGH = 1_000;

/** How many events of a partner are on their way or kept, counted up to 1000: they go where its webhook points by then. */
export async function waitingFor(partnerId: PartnerId, archive: Pick<DeliveryArchive, 'page'>): Promise<number> {
  let count = 0;
  let after: string | undefined;
  do {
    const page = await archive.page(partnerId, { states: ['pendente', 'suspensa'] }, 'newest', ENOUGH - count, after);
    count += page.items.length;
    after = page.next;
  } while (after !== undefined && count < ENOUGH);
  return count;
}
