import * as z from 'zod/mini';
import type { Clock } from '#shared/domain/values/clock.ts';
import type { EventId } from '#shared/domain/values/ids.ts';
import type { Instant } from '#shared/domain/values/time.ts';
import {
  ACCOUNT_EVENT,
  agesSince,
  DELIVERIES_SEARCHED,
  type Delivery,
  type DeliveryState,
  type DueDelivery,
} from '#shared/domain/webhooks/delivery.ts';
import type { EndpointView } from '#shared/domain/webhooks/endpoint.ts';
import type {
  DeliveryOwner,
  DeliveryPage,
  NotResent,
  Resender,
  UnitDeliveries,
  UnitDeliveryFilter,
} from '#shared/domain/webhooks/ports.ts';
import { RESEND_PAUSE } from '#shared/domain/webhooks/replay.ts';
import { getRows, type Item, queryRows, transactNamed } from '../rows/client.ts';
import { deliveryKey, deliveryListPartition, deliverySuspended, webhookKey } from '../rows/keys.ts';
import { deliveryFormat, readDelivery } from '../rows/outbox.ts';
import { lastOver, UNEXPIRED, unexpired } from '../rows/row-format.ts';
import { updateOf } from '../rows/update.ts';
import { makeDue, whileDisabled } from './deliveries.ts';
import { deliveriesOfAnalysis, unexpiredDeliveries } from './replays.ts';
import { viewOf } from './webhook-endpoints.ts';

const listedFormat = z.pick(deliveryFormat, { eventId: true });
const resentFormat = z.object({ resentAt: z._default(z.number(), 0) });

/** `isCut`: fewer than `wanted` were found, and older deliveries of the partner were not looked at. */
async function newestOf(
  { partnerId, unitId, environment }: DeliveryOwner,
  state: DeliveryState | undefined,
  { wanted, searched }: { readonly wanted: number; readonly searched: number },
  now: Instant,
): Promise<{ readonly eventIds: readonly EventId[]; readonly isCut: boolean }> {
  let found: EventId[] = [];
  let from: Item | undefined;
  let seen = 0;
  do {
    const output = await queryRows({
      IndexName: 'byList',
      KeyConditionExpression: 'listPk = :pk',
      FilterExpression: `unitId = :unit AND environment = :environment AND #type <> :account AND ${UNEXPIRED}${state ? ' AND #state = :state' : ''}`,
      ExpressionAttributeValues: {
        ':pk': deliveryListPartition(partnerId),
        ':unit': unitId,
        ':environment': environment,
        ':account': ACCOUNT_EVENT,
        ':state': state,
        ':at': lastOver(now),
      },
      ExpressionAttributeNames: state ? { '#type': 'type', '#state': 'state' } : { '#type': 'type' },
      ScanIndexForward: false,
      Limit: searched - seen,
      ExclusiveStartKey: from,
    });
    found = found.concat((output.Items ?? []).map((item) => listedFormat.parse(item).eventId));
    seen += output.ScannedCount ?? 0;
    from = output.LastEvaluatedKey;
  } while (from && found.length < wanted && seen < searched);
  return { eventIds: found, isCut: from !== undefined && found.length < wanted };
}

/**
 * A partner's key reaches only events of its unit's analyses: an account event concerns the whole partner, even if it
 * names a unit.
 */
function isAllowed(resender: Resender, delivery: Delivery): boolean {
  if ('isManager' in resender)
    return delivery.partnerId === resender.partnerId && delivery.environment === resender.environment;
  const isOwn = delivery.unitId === resender.unitId && delivery.environment === resender.environment;
  return isOwn && delivery.type !== ACCOUNT_EVENT;
}

/** The same rule as `isAllowed`. Also allows only one resend of an event in RESEND_PAUSE. */
function allowed(resender: Resender, now: Instant) {
  const PAUSED = '(attribute_not_exists(resentAt) OR resentAt <= :earliest)';
  const earliest = now - RESEND_PAUSE;
  if ('isManager' in resender) {
    return {
      condition: `partnerId = :partner AND environment = :environment AND ${PAUSED}`,
      values: { ':earliest': earliest, ':partner': resender.partnerId, ':environment': resender.environment },
    };
  }
  // An account event has no `analysisId`.
  return {
    condition: `unitId = :unit AND environment = :environment AND attribute_exists(analysisId) AND ${PAUSED}`,
    values: { ':earliest': earliest, ':unit': resender.unitId, ':environment': resender.environment },
  };
}

function refusedBy(row: Item | undefined, resender: Resender, now: Instant): NotResent {
  const living = unexpired(row, now);
  if (!living || !('pk' in living) || !isAllowed(resender, readDelivery(living))) return { kind: 'absent' };
  return { kind: 'too_soon', resentAt: resentFormat.parse(living).resentAt };
}

export class TableUnitDeliveries implements UnitDeliveries {
  readonly #clock: Clock;
  readonly #searched: number;

  constructor(clock: Clock, searched = DELIVERIES_SEARCHED) {
    this.#clock = clock;
    this.#searched = searched;
  }

  async list(
    owner: DeliveryOwner,
    { state, analysisId }: UnitDeliveryFilter,
    { limit, offset }: { readonly limit: number; readonly offset: number },
  ): Promise<DeliveryPage> {
    const end = offset + limit;
    if (analysisId !== undefined) {
      const all = (await deliveriesOfAnalysis(owner, analysisId)).filter(
        (delivery) => (state ?? delivery.state) === delivery.state,
      );
      return { items: all.slice(offset, end), more: all.length > end, isCut: false };
    }
    const now = this.#clock();
    const { eventIds, isCut } = await newestOf(owner, state, { wanted: end + 1, searched: this.#searched }, now);
    // The rows decide. The index shows no attempts, and is late with changes of this moment, even of the state.
    const rows = await getRows(eventIds.slice(offset, end).map(deliveryKey));
    const isWanted = (delivery: Delivery) => isAllowed(owner, delivery) && (state ?? delivery.state) === delivery.state;
    return { items: unexpiredDeliveries(rows, now).filter(isWanted), more: eventIds.length > end, isCut };
  }

  async look(
    resender: Resender,
    eventId: EventId,
  ): Promise<{ readonly delivery: Delivery; readonly endpoint: EndpointView | undefined } | undefined> {
    const [row, endpoint] = await getRows([deliveryKey(eventId), webhookKey(resender)]);
    const living = unexpired(row, this.#clock());
    const delivery = living && readDelivery(living);
    if (!delivery || !isAllowed(resender, delivery)) return undefined;
    return { delivery, endpoint: endpoint && viewOf(endpoint) };
  }

  async makeDue(
    resender: Resender,
    eventId: EventId,
    now: Instant,
  ): Promise<{ readonly kind: 'due'; readonly delivery: Delivery; readonly due: DueDelivery } | NotResent> {
    const { condition, values } = allowed(resender, now);
    const also = { resentAt: now, wishedAt: now };
    const outcome = await makeDue(eventId, now, { condition, values, also });
    if ('refused' in outcome) return refusedBy(outcome.refused, resender, now);
    return { kind: 'due', due: outcome.due, delivery: readDelivery(outcome.row) };
  }

  async suspend(
    resender: Resender,
    delivery: Delivery,
    now: Instant,
  ): Promise<{ readonly kind: 'suspended'; readonly delivery: Delivery } | NotResent | 'enabled'> {
    const { condition, values } = allowed(resender, now);
    const suspended: Delivery = { ...delivery, state: 'suspensa', wishedAt: now };
    const { duePk, dueSk } = deliverySuspended(resender, agesSince(suspended), delivery.eventId);
    const update = updateOf(deliveryKey(delivery.eventId), {
      set: { state: 'suspensa', resentAt: now, wishedAt: now, duePk, dueSk },
      remove: ['leasedUntil', 'expiresAt'],
      condition: `(${condition}) AND ${UNEXPIRED}`,
      values: { ...values, ':at': lastOver(now) },
    });
    const outcome = await transactNamed({ endpoint: whileDisabled(resender), delivery: { Update: update } });
    if (outcome === 'written') return { kind: 'suspended', delivery: suspended };
    return outcome.endpoint ? 'enabled' : refusedBy(outcome.delivery?.row, resender, now);
  }
}
