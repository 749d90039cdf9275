import type { Delivery } from '../../shared/domain/delivery.ts';
import { eventId } from '../../shared/domain/delivery.ts';
import type { AnalysisId, PartnerId } from '../../shared/domain/ids.ts';
import type { DueDelivery } from '../../shared/domain/ports.ts';
import { transact } from '../../shared/table/client.ts';
import { bookDelivery } from '../../shared/table/deliveries.ts';
import { makeDelivery } from './delivery.ts';

let analyses = 0;

/** A delivery like those of the poller, with an event of its own; nothing is written. */
export function newDelivery(partner: PartnerId, overrides: Partial<Delivery> = {}): Delivery {
  const analysis = ++analyses as AnalysisId;
  const delivery = makeDelivery({ partner, ...overrides, analysis });
  const event = eventId(delivery, analysis, delivery.type, 1);
  return { ...delivery, event, body: delivery.body.replace(makeDelivery().event, event) };
}

/** The same, booked in the table as the poller does. */
export async function bookOne(partner: PartnerId, overrides: Partial<Delivery> = {}): Promise<Delivery> {
  const delivery = newDelivery(partner, overrides);
  await bookMany([delivery]);
  return delivery;
}

/** Books many, as many in a transaction as it takes. */
export async function bookMany(all: readonly Delivery[]): Promise<Delivery[]> {
  for (let from = 0; from < all.length; from += 100) await transact(all.slice(from, from + 100).map(bookDelivery));
  return [...all];
}

/** The message that says a delivery's first attempt is due. */
export function firstMessage({ event, partner, dueAt }: Delivery): DueDelivery {
  return { event, partner, attempt: 1, dueAt };
}
