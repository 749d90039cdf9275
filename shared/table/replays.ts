import * as z from 'zod/mini';
import type { AnalysisId, EventId, PartnerId } from '../domain/values/ids.ts';
import { ENVIRONMENTS, type Tenancy } from '../domain/values/tenancy.ts';
import { DELIVERY_STATES, type Delivery, EVENT_TYPES, eventIdOf } from '../domain/webhooks/delivery.ts';
import type { DeliveryFilter, ExplainedDelivery, ListedDelivery, Replay } from '../domain/webhooks/delivery-list.ts';
import type { DeliveryArchive } from '../domain/webhooks/ports.ts';
import { getRows, type Item, queryRows } from './client.ts';
import { makeDue } from './deliveries.ts';
import { readDelivery } from './delivery-row.ts';
import { expiryValues, UNEXPIRED, unexpired } from './expiry.ts';
import { deliveryKey, deliveryListPartition, dueFrom, suspendedPartition } from './keys.ts';

/** Rows read at once. */
const LOT = 100;
/** Events that an analysis may have of a type; in v1 a final situation is final. */
const SEQUENCES = [1, 2];

const listedFormat = z.object({
  eventId: z.string(),
  unitId: z.number(),
  environment: z.enum(ENVIRONMENTS),
  type: z.enum(EVENT_TYPES),
  state: z.enum(DELIVERY_STATES),
  attempts: z.number(),
  createdAt: z.number(),
}) as unknown as z.ZodMiniType<ListedDelivery>;

/** Rows of the index that one call looks at before it gives what it has. */
const MOST_LOOKED_AT = 5_000;

/** The row of the index that a page has ended with, by its sort key: a moment and an event's id. */
function indexKey(partnerId: PartnerId, listSk: string): Item {
  const eventId = listSk.slice(listSk.indexOf('#') + 1) as EventId;
  return { ...deliveryKey(eventId), listPk: deliveryListPartition(partnerId), listSk };
}

/** A partner's deliveries by the moment at which they were booked, a page at a time; a page may have fewer than `limit`. */
async function pageOfDeliveries(
  partnerId: PartnerId,
  { states, unitId, environment, since = 0, until = Number.MAX_SAFE_INTEGER }: DeliveryFilter,
  order: 'newest' | 'oldest',
  limit: number,
  after?: string,
  now = Date.now(),
): Promise<{ items: ListedDelivery[]; next: string | undefined }> {
  const isWanted = (row: ListedDelivery) =>
    (states?.includes(row.state) ?? true) &&
    (unitId ?? row.unitId) === row.unitId &&
    (environment ?? row.environment) === row.environment;
  const items: ListedDelivery[] = [];
  let from = after === undefined ? undefined : indexKey(partnerId, after);
  for (let seen = 0; seen < MOST_LOOKED_AT; ) {
    const { Items = [], LastEvaluatedKey } = await queryRows({
      IndexName: 'byList',
      KeyConditionExpression: 'listPk = :pk AND listSk BETWEEN :since AND :until',
      ExpressionAttributeValues: {
        ':pk': deliveryListPartition(partnerId),
        ':since': dueFrom(since),
        ':until': dueFrom(until),
        ...expiryValues(now),
      },
      FilterExpression: UNEXPIRED,
      ScanIndexForward: order === 'oldest',
      Limit: LOT,
      ExclusiveStartKey: from,
    });
    for (const [index, item] of Items.entries()) {
      const row = listedFormat.parse(item);
      if (isWanted(row)) items.push(row);
      if (items.length < limit) continue;
      const last = index === Items.length - 1 && !LastEvaluatedKey;
      return { items, next: last ? undefined : String(item['listSk']) };
    }
    from = LastEvaluatedKey;
    if (!from) return { items, next: undefined };
    seen += Items.length;
  }
  return { items, next: from && String(from['listSk']) };
}

/** A partner's deliveries, newest first, read as far as they are taken; those of which the time has run out are left out. */
export async function* listDeliveries(
  partnerId: PartnerId,
  filter: DeliveryFilter = {},
  now = Date.now(),
): AsyncGenerator<ListedDelivery> {
  let after: string | undefined;
  do {
    const page = await pageOfDeliveries(partnerId, filter, 'newest', LOT, after, now);
    yield* page.items;
    after = page.next;
  } while (after !== undefined);
}

/**
 * The same deliveries as their rows have them now, which an index shows later, and with the cause of the last failure,
 * which none shows; in the order given, without those whose rows are gone.
 */
export async function explained(listed: readonly ListedDelivery[]): Promise<ExplainedDelivery[]> {
  const rows = await getRows(listed.map(({ eventId }) => deliveryKey(eventId)));
  return rows.flatMap((row) => (row ? [readDelivery(row)] : [])).map((one) => ({ ...one, cause: causeOf(one) }));
}

function causeOf({ history }: Delivery): string | undefined {
  const last = history.at(-1)?.result;
  return last && !last.delivered ? `${last.failure} ${last.status ?? ''}`.trim() : undefined;
}

/** The deliveries of one analysis, newest first: its events' ids follow from it. */
export async function deliveriesOfAnalysis(tenancy: Tenancy, analysisId: AnalysisId): Promise<Delivery[]> {
  const eventIds = EVENT_TYPES.flatMap((type) =>
    SEQUENCES.map((sequence) => eventIdOf(tenancy, analysisId, type, sequence)),
  );
  const rows = await getRows(eventIds.map(deliveryKey));
  const now = Date.now();
  const kept = rows.map((row) => unexpired(row, now)).filter((row) => row !== undefined);
  return kept.map(readDelivery).sort((one, other) => other.createdAt - one.createdAt);
}

/**
 * Gives a delivery that is final or suspended one more attempt at `now`, with the same id and bytes, after a success
 * too. If it fails, what remains of the schedule follows; beyond the schedule nothing does.
 */
export async function replay(eventId: EventId, now: number): Promise<Replay> {
  const outcome = await makeDue(eventId, now, { condition: 'attribute_exists(pk) AND #state <> :pending' });
  if ('due' in outcome) return { kind: 'due', due: outcome.due };
  return { kind: unexpired(outcome.refused, now)?.['pk'] === undefined ? 'absent' : 'pending' };
}

/** How many deliveries are kept for a partner until its endpoint is enabled, as far as the index shows them. */
export async function countSuspended(partnerId: PartnerId): Promise<number> {
  let count = 0;
  let from: Item | undefined;
  do {
    const output = await queryRows({
      IndexName: 'byDue',
      KeyConditionExpression: 'duePk = :pk',
      ExpressionAttributeValues: { ':pk': suspendedPartition(partnerId) },
      Select: 'COUNT',
      ExclusiveStartKey: from,
    });
    count += output.Count ?? 0;
    from = output.LastEvaluatedKey;
  } while (from);
  return count;
}

export function tableDeliveryArchive(): DeliveryArchive {
  return {
    page: pageOfDeliveries,
    ofAnalysis: deliveriesOfAnalysis,
    explained,
    replay,
    countSuspended,
  };
}
