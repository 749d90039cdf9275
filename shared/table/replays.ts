import * as z from 'zod';
import type { AnalysisId, EventId, PartnerId, UnitId } from '../domain/values/ids.ts';
import { ENVIRONMENTS, type Environment, type Tenancy } from '../domain/values/tenancy.ts';
import {
  DELIVERY_STATES,
  type Delivery,
  type DeliveryState,
  type DueDelivery,
  EVENT_TYPES,
  type EventType,
  eventIdOf,
} from '../domain/webhooks/delivery.ts';
import type { Replay } from '../domain/webhooks/replay.ts';
import { getRows, type Item, queryRows } from './client.ts';
import { makeDue, readDelivery, releasePage } from './deliveries.ts';
import { expiryValues, UNEXPIRED, unexpired } from './expiry.ts';
import { deliveryKey, deliveryListPartition, dueFrom, suspendedPartition } from './keys.ts';

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
  /** Booked before that, in milliseconds since 1970. */
  readonly until?: number;
}

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

/** A partner's deliveries, newest first, read as far as they are taken; those of which the time has run out are left out. */
export async function* listDeliveries(
  partnerId: PartnerId,
  { states, unitId, environment, since = 0, until = Number.MAX_SAFE_INTEGER }: DeliveryFilter = {},
  now = Date.now(),
): AsyncGenerator<ListedDelivery> {
  const pages = pagesOf({
    IndexName: 'byList',
    KeyConditionExpression: 'listPk = :pk AND listSk BETWEEN :since AND :until',
    ExpressionAttributeValues: {
      ':pk': deliveryListPartition(partnerId),
      ':since': dueFrom(since),
      ':until': dueFrom(until),
      ...expiryValues(now),
    },
    FilterExpression: UNEXPIRED,
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

/** A delivery as lists show it, with why its last attempt failed where it did. */
export type ExplainedDelivery = ListedDelivery & { readonly cause: string | undefined };

/** The same deliveries with the cause of the last failure, which no index shows; in the order given. */
export async function explained(listed: readonly ListedDelivery[]): Promise<ExplainedDelivery[]> {
  const all: ExplainedDelivery[] = [];
  for (let start = 0; start < listed.length; start += LOT) {
    const lot = listed.slice(start, start + LOT);
    const rows = await getRows(lot.map(({ eventId }) => deliveryKey(eventId)));
    all.push(...lot.map((one, index) => ({ ...one, cause: rows[index] && causeOf(readDelivery(rows[index])) })));
  }
  return all;
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
