import * as z from 'zod';
import type { EventId, PartnerId, UnitId } from '../domain/values/ids.ts';
import { ENVIRONMENTS, type Environment } from '../domain/values/tenancy.ts';
import type { DueDelivery } from '../domain/webhooks/delivery.ts';
import { DELIVERY_STATES, type DeliveryState, EVENT_TYPES, type EventType } from '../domain/webhooks/delivery.ts';
import { type Item, queryRows } from './client.ts';
import { makeDue, releasePage } from './deliveries.ts';
import { deliveryListPartition, dueFrom, suspendedPartition } from './keys.ts';

/** A delivery as lists show it. */
export interface ListedDelivery {
  readonly eventId: EventId;
  readonly unitId: UnitId;
  readonly environment: Environment;
  readonly type: EventType;
  readonly state: DeliveryState;
  readonly attempts: number;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** Which deliveries are asked for; what is left out excludes none. */
export interface DeliveryFilter {
  readonly states?: readonly DeliveryState[];
  readonly unitId?: UnitId;
  readonly environment?: Environment;
  /** Booked then or later, in milliseconds since 1970. */
  readonly since?: number;
}

const listedFormat = z.object({
  eventId: z.string(),
  unitId: z.number(),
  environment: z.enum(ENVIRONMENTS),
  type: z.enum(EVENT_TYPES),
  state: z.enum(DELIVERY_STATES),
  attempts: z.number(),
  createdAt: z.number(),
}) as unknown as z.ZodType<ListedDelivery>;

/** States from which a delivery can be sent again: all but the one that has an attempt coming anyway. */
export const REPLAYABLE: readonly DeliveryState[] = DELIVERY_STATES.filter((state) => state !== 'pendente');

async function* pagesOf(input: Parameters<typeof queryRows>[0]): AsyncGenerator<Item[]> {
  let from: Item | undefined;
  do {
    const output = await queryRows({ ...input, ExclusiveStartKey: from });
    yield output.Items ?? [];
    from = output.LastEvaluatedKey;
  } while (from);
}

/** A partner's deliveries, newest first, read as far as they are taken. */
export async function* listDeliveries(
  partnerId: PartnerId,
  { states, unitId, environment, since = 0 }: DeliveryFilter = {},
): AsyncGenerator<ListedDelivery> {
  const pages = pagesOf({
    IndexName: 'byList',
    KeyConditionExpression: 'listPk = :pk AND listSk >= :since',
    ExpressionAttributeValues: { ':pk': deliveryListPartition(partnerId), ':since': dueFrom(since) },
    ScanIndexForward: false,
  });
  for await (const page of pages) {
    for (const item of page) {
      const row = listedFormat.parse(item);
      const wanted =
        (states?.includes(row.state) ?? true) &&
        (unitId ?? row.unitId) === row.unitId &&
        (environment ?? row.environment) === row.environment;
      if (wanted) yield row;
    }
  }
}

/** What `replay` would send again of a unit's events booked since a moment (milliseconds since 1970), newest first. */
export function replaySince(
  partnerId: PartnerId,
  unitId: UnitId,
  environment: Environment,
  since: number,
): AsyncGenerator<ListedDelivery> {
  return listDeliveries(partnerId, { states: REPLAYABLE, unitId, environment, since });
}

export type Replay =
  /** Due now: to be sent to the queue. */
  | { readonly kind: 'due'; readonly due: DueDelivery }
  /** An attempt is coming anyway. */
  | { readonly kind: 'pending' }
  | { readonly kind: 'absent' };

/**
 * Gives a delivery that is final or suspended one more attempt at `now`, with the same id and bytes, after a success
 * too. If it fails, what remains of the schedule follows; beyond the schedule nothing does.
 */
export async function replay(eventId: EventId, now: number): Promise<Replay> {
  const outcome = await makeDue(eventId, now, { condition: 'attribute_exists(pk) AND #state <> :pending' });
  if ('due' in outcome) return { kind: 'due', due: outcome.due };
  return { kind: 'pk' in outcome.refused ? 'pending' : 'absent' };
}

/**
 * Makes a partner's suspended deliveries due at `now`, oldest first, and gives them a page at a time: each page is to
 * be sent to the queue before the next is asked for. Called after the endpoint was enabled; running it again does no
 * harm, and takes what the index did not show yet.
 */
export async function* release(partnerId: PartnerId, now: number): AsyncGenerator<readonly DueDelivery[]> {
  let after: string | undefined;
  do {
    const page = await releasePage(partnerId, now, after);
    if (page.items.length > 0) yield page.items;
    after = page.next;
  } while (after);
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
