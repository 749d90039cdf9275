import type { PartnerId } from '../../shared/domain/values/ids.ts';
import type { DeliveryFilter, ListedDelivery } from '../../shared/domain/webhooks/delivery-list.ts';
import { pageOfDeliveries } from '../../shared/table/replays.ts';

/** All deliveries of a partner, newest first, read as far as they are taken; those of which the time has run out are left out. */
export async function* listDeliveries(
  partnerId: PartnerId,
  filter: DeliveryFilter = {},
  now = Date.now(),
): AsyncGenerator<ListedDelivery> {
  let after: string | undefined;
  do {
    const page = await pageOfDeliveries(partnerId, filter, 'newest', 100, after, now);
    yield* page.items;
    after = page.next;
  } while (after !== undefined);
}
