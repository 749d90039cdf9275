import * as z from 'zod/mini';
import { type EventId, idOf, type PartnerId } from '#shared/domain/values/ids.ts';
import { ENVIRONMENTS, type Environment, type Page } from '#shared/domain/values/tenancy.ts';
import type { Instant } from '#shared/domain/values/time.ts';
import { DELIVERY_KEPT } from '#shared/domain/webhooks/delivery.ts';
import type { EndpointOwner } from '#shared/domain/webhooks/endpoint.ts';
import type { DisabledEndpoint, SuspendedDeliveries } from '#shared/domain/webhooks/ports.ts';
import { type Item, queryPage, queryRows, type TransactItem, transact } from '../rows/client.ts';
import {
  DISABLED_PARTITION,
  deliveryKey,
  dueFrom,
  dueQuery,
  exhaustedPartition,
  suspendedPartition,
} from '../rows/keys.ts';
import { deliveryFormat } from '../rows/outbox.ts';
import { expiryAt } from '../rows/row-format.ts';
import { whileDisabled } from './deliveries.ts';

const oldFormat = z.pick(deliveryFormat, { eventId: true });
const environmentFormat = z.enum(ENVIRONMENTS);

const MOST_LOOKED_AT = 10_000;
const FILTERED_PAGE = 1_000;
const GIVEN_UP_AT_ONCE = 50;

/** Only the index is read to count, so that no endpoint's secrets are needed. */
export class TableSuspendedDeliveries implements SuspendedDeliveries {
  async disabledEndpoints(limit: number, after?: string): Promise<Page<DisabledEndpoint>> {
    const { items, next } = await queryPage(dueQuery(DISABLED_PARTITION, { limit }), after);
    return { items: items.map(disabledEndpoint), next };
  }

  async count(
    owner: EndpointOwner,
    { most, unitId, inTime = () => true }: Parameters<SuspendedDeliveries['count']>[1],
  ): Promise<{ readonly count: number; readonly isWhole: boolean }> {
    const { ExpressionAttributeValues, ...query } = dueQuery(suspendedPartition(owner));
    let [count, seen] = [0, 0];
    let from: Item | undefined;
    do {
      const {
        Count = 0,
        ScannedCount,
        LastEvaluatedKey,
      } = await queryRows({
        ...query,
        ExpressionAttributeValues: { ...ExpressionAttributeValues, ':unit': unitId },
        FilterExpression: unitId === undefined ? undefined : 'unitId = :unit',
        Select: 'COUNT',
        // A page ends after its limit, however few of its rows the filter lets through.
        Limit: unitId === undefined ? most - count : FILTERED_PAGE,
        ExclusiveStartKey: from,
      });
      count += Count;
      seen += ScannedCount ?? 0;
      from = LastEvaluatedKey;
    } while (from && count < most && seen < MOST_LOOKED_AT && inTime());
    return { count: Math.min(count, most), isWhole: from === undefined };
  }

  async giveUp(
    owner: EndpointOwner,
    before: Instant,
    now: Instant,
    after?: string,
  ): Promise<{ readonly givenUp: number; readonly failures: readonly unknown[]; readonly next: string | undefined }> {
    const query = dueQuery(suspendedPartition(owner), { before, limit: GIVEN_UP_AT_ONCE });
    const { items, next } = await queryPage(query, after);
    const written = await Promise.allSettled(
      items.map(async (item) => giveUp(owner, oldFormat.parse(item).eventId, before, now)),
    );
    return {
      givenUp: written.filter((outcome) => outcome.status === 'fulfilled' && outcome.value).length,
      failures: written.filter((outcome) => outcome.status === 'rejected').map(({ reason }) => reason),
      next,
    };
  }

  async exhausted(environment: Environment, since: Instant, most: number): Promise<readonly PartnerId[]> {
    let partners: PartnerId[] = [];
    let from: Item | undefined;
    do {
      const { Items = [], LastEvaluatedKey } = await queryRows({
        IndexName: 'byDue',
        KeyConditionExpression: 'duePk = :pk AND dueSk >= :since',
        ExpressionAttributeValues: { ':pk': exhaustedPartition(environment), ':since': dueFrom(since) },
        ScanIndexForward: false,
        Limit: most - partners.length,
        ExclusiveStartKey: from,
      });
      partners = partners.concat(Items.map(({ partnerId }) => idOf<PartnerId>(Number(partnerId))));
      from = LastEvaluatedKey;
    } while (from && partners.length < most);
    return partners;
  }
}

/** `cause#partner#environment` */
function disabledEndpoint({ dueSk }: Item): DisabledEndpoint {
  const [cause, partnerId, environment] = String(dueSk).split('#');
  return {
    partnerId: idOf<PartnerId>(Number(partnerId)),
    environment: environmentFormat.parse(environment),
    byManager: cause === 'manager',
  };
}

/**
 * False if the delivery is no longer suspended, if a person has asked since `before` to send it again, or if the
 * endpoint is enabled: then the delivery will be released.
 */
async function giveUp(owner: EndpointOwner, eventId: EventId, before: Instant, now: Instant): Promise<boolean> {
  const update: TransactItem = {
    Update: {
      Key: deliveryKey(eventId),
      // The delivery does not enter the index of exhausted deliveries, by which dead letters are counted, because
      // giving it up sends no dead letter.
      UpdateExpression: 'SET #state = :exhausted, expiresAt = :expiresAt REMOVE duePk, dueSk',
      // The index may be late: the delivery may have been released, replayed or given up meanwhile. The index also lacks
      // a request to send the delivery again (`wishedAt`) that came just now, or during the attempt that suspended it.
      // The row shows both.
      ConditionExpression: '#state = :suspended AND (attribute_not_exists(wishedAt) OR wishedAt < :before)',
      ExpressionAttributeNames: { '#state': 'state' },
      ExpressionAttributeValues: {
        ':exhausted': 'esgotada',
        ':suspended': 'suspensa',
        ':before': before,
        ':expiresAt': expiryAt(now + DELIVERY_KEPT),
      },
    },
  };
  // The index of the disabled endpoints may be late, too.
  return (await transact([whileDisabled(owner), update])) === 'written';
}
