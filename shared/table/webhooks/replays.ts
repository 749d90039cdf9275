import type { QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import type { AnalysisId, EventId, PartnerId } from '#shared/domain/values/ids.ts';
import type { Environment, Page, Tenancy } from '#shared/domain/values/tenancy.ts';
import type { Instant } from '#shared/domain/values/time.ts';
import {
  type Delivery,
  type DeliveryFilter,
  type DeliveryState,
  EVENT_TYPES,
  type ExplainedDelivery,
  eventIdOf,
  type ListedDelivery,
  REPLAYABLE,
  type Replay,
} from '#shared/domain/webhooks/delivery.ts';
import type { DeliveryArchive } from '#shared/domain/webhooks/ports.ts';
import { getRows, type Item, queryPage, queryRows, winRow } from '../rows/client.ts';
import { deliveryKey, deliveryListPartition, dueFrom, dueQuery, exhaustedPartition } from '../rows/keys.ts';
import { deliveryFormat, readDelivery } from '../rows/outbox.ts';
import { lastOver, textOf, UNEXPIRED, unexpired } from '../rows/row-format.ts';
import { makeDue } from './deliveries.ts';

/** Most pages are full after this many rows. */
const FIRST_QUERY = 100;
/** 1,000 rows of about 350 bytes are a third of what one query may read. */
const FURTHER_QUERY = 1_000;
/** In v1 an analysis has only sequence 1, because a final situation never changes. */
const SEQUENCES = [1, 2];

const LISTED = { eventId: true, unitId: true, environment: true, type: true, state: true, attempts: true } as const;
const listedFormat = z.pick(deliveryFormat, { ...LISTED, createdAt: true });
const eventFormat = z.pick(deliveryFormat, { eventId: true });
const eventIdFormat = textOf<EventId>();

const MOST_LOOKED_AT = 5_000;

/** The sort key is a moment and an event's id. */
function indexKey(partnerId: PartnerId, listSk: string): Item {
  const eventId = eventIdFormat.parse(listSk.slice(listSk.indexOf('#') + 1));
  return { ...deliveryKey(eventId), listPk: deliveryListPartition(partnerId), listSk };
}

const isWanted = ({ states, unitId, environment }: DeliveryFilter, row: ListedDelivery): boolean =>
  (states?.includes(row.state) ?? true) &&
  (unitId ?? row.unitId) === row.unitId &&
  (environment ?? row.environment) === row.environment;

function queryList(
  partnerId: PartnerId,
  { since = 0, until = Number.MAX_SAFE_INTEGER }: DeliveryFilter,
  now: Instant,
  query: Pick<QueryCommandInput, 'ScanIndexForward' | 'Limit' | 'ExclusiveStartKey'>,
) {
  return queryRows({
    ...query,
    IndexName: 'byList',
    KeyConditionExpression: 'listPk = :pk AND listSk BETWEEN :since AND :until',
    ExpressionAttributeValues: {
      ':pk': deliveryListPartition(partnerId),
      ':since': dueFrom(since),
      ':until': dueFrom(until),
      ':at': lastOver(now),
    },
    FilterExpression: UNEXPIRED,
  });
}

/** A page may have fewer than `limit` and still have a next page. */
export async function pageOfDeliveries(
  partnerId: PartnerId,
  filter: DeliveryFilter,
  order: 'newest' | 'oldest',
  limit: number,
  after?: string,
  now: Instant = Date.now(),
): Promise<Page<ListedDelivery>> {
  const items: ListedDelivery[] = [];
  let from = after === undefined ? undefined : indexKey(partnerId, after);
  for (let seen = 0; ; ) {
    const {
      Items = [],
      ScannedCount = 0,
      LastEvaluatedKey,
    } = await queryList(partnerId, filter, now, {
      ScanIndexForward: order === 'oldest',
      Limit: seen > 0 ? FURTHER_QUERY : Math.min(Math.max(limit, FIRST_QUERY), FURTHER_QUERY),
      ExclusiveStartKey: from,
    });
    for (const [index, item] of Items.entries()) {
      const row = listedFormat.parse(item);
      if (isWanted(filter, row)) items.push(row);
      if (items.length < limit) continue;
      const last = index === Items.length - 1 && !LastEvaluatedKey;
      return { items, next: last ? undefined : String(item['listSk']) };
    }
    from = LastEvaluatedKey;
    if (!from) return { items, next: undefined };
    // Also counts expired rows, which the query's filter leaves out.
    seen += ScannedCount;
    if (seen >= MOST_LOOKED_AT) return { items, next: String(from['listSk']) };
  }
}

/**
 * The query ends after `most` rows, however few of them pass. `more`: whether the partner may have older deliveries.
 */
export async function lookAtNewest(
  partnerId: PartnerId,
  filter: DeliveryFilter,
  most: number,
): Promise<{ items: ListedDelivery[]; more: boolean }> {
  const { Items = [], LastEvaluatedKey } = await queryList(partnerId, filter, Date.now(), {
    ScanIndexForward: false,
    // A query that reaches its limit does not say whether more rows follow.
    Limit: most + 1,
  });
  const rows = Items.slice(0, most).map((item) => listedFormat.parse(item));
  return { items: rows.filter((row) => isWanted(filter, row)), more: LastEvaluatedKey !== undefined };
}

function causeOf({ history }: Delivery): string | undefined {
  const last = history.at(-1)?.result;
  return last && !last.delivered ? `${last.failure} ${last.status ?? ''}`.trim() : undefined;
}

/** The ids of the events follow from the analysis, so that no index is needed. */
export async function deliveriesOfAnalysis(
  tenancy: Tenancy,
  analysisId: AnalysisId,
  now: Instant = Date.now(),
): Promise<Delivery[]> {
  const eventIds = EVENT_TYPES.flatMap((type) =>
    SEQUENCES.map((sequence) => eventIdOf(tenancy, analysisId, type, sequence)),
  );
  const deliveries = unexpiredDeliveries(await getRows(eventIds.map(deliveryKey)), now);
  return deliveries.sort((a, b) => b.createdAt - a.createdAt);
}

export function unexpiredDeliveries(rows: readonly (Item | undefined)[], now: Instant): Delivery[] {
  const kept = rows.map((row) => unexpired(row, now)).filter((row) => row !== undefined);
  return kept.map(readDelivery);
}

/** If this attempt fails, the rest of the schedule follows. If the schedule is used up, no further attempt follows. */
export async function replay(eventId: EventId, now: Instant, states = REPLAYABLE): Promise<Replay> {
  const placeholders = states.map((_, index) => `:state${index}`).join(', ');
  const outcome = await makeDue(eventId, now, {
    condition: `attribute_exists(pk) AND #state <> :pending AND #state IN (${placeholders})`,
    values: { ':pending': 'pendente', ...Object.fromEntries(states.map((state, index) => [`:state${index}`, state])) },
    also: { wishedAt: now },
  });
  if ('due' in outcome) return { kind: 'due', due: outcome.due };
  const row = unexpired(outcome.refused, now);
  if (row?.['pk'] === undefined) return { kind: 'absent' };
  return { kind: row['state'] === 'pendente' ? 'pending' : 'moved_on' };
}

export class TableDeliveryArchive implements DeliveryArchive {
  page(
    partnerId: PartnerId,
    filter: DeliveryFilter,
    order: 'newest' | 'oldest',
    limit: number,
    after?: string,
  ): Promise<Page<ListedDelivery>> {
    return pageOfDeliveries(partnerId, filter, order, limit, after);
  }

  ofAnalysis(tenancy: Tenancy, analysisId: AnalysisId): Promise<readonly Delivery[]> {
    return deliveriesOfAnalysis(tenancy, analysisId);
  }

  async exhausted(environment: Environment, limit: number, after?: string): Promise<Page<Pick<Delivery, 'eventId'>>> {
    const query = { ...dueQuery(exhaustedPartition(environment), { limit }), ScanIndexForward: false };
    const { items, next } = await queryPage(query, after);
    return { items: items.map((item) => eventFormat.parse(item)), next };
  }

  /** Reads the rows, since an index is late, and the index of the exhausted lacks the cause and the expiry. */
  async explained(listed: readonly Pick<Delivery, 'eventId'>[]): Promise<readonly ExplainedDelivery[]> {
    const rows = await getRows(listed.map(({ eventId }) => deliveryKey(eventId)));
    return unexpiredDeliveries(rows, Date.now()).map((delivery) => ({ ...delivery, cause: causeOf(delivery) }));
  }

  async discard(eventId: EventId, now: Instant): Promise<boolean> {
    const outcome = await winRow({
      Key: deliveryKey(eventId),
      // Nobody has to act any more, so the delivery leaves the index of the exhausted.
      UpdateExpression: 'SET discardedAt = :now REMOVE duePk, dueSk',
      ConditionExpression: `#state = :exhausted AND ${UNEXPIRED}`,
      ExpressionAttributeNames: { '#state': 'state' },
      ExpressionAttributeValues: { ':at': lastOver(now), ':exhausted': 'esgotada', ':now': now },
    });
    return 'written' in outcome;
  }

  replay(eventId: EventId, now: Instant, states: readonly DeliveryState[]): Promise<Replay> {
    return replay(eventId, now, states);
  }
}
