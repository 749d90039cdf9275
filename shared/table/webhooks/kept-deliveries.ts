import * as z from 'zod/mini';
import type { PartnerId } from '#shared/domain/values/ids.ts';
import type { Environment } from '#shared/domain/values/tenancy.ts';
import { DELIVERY_KEPT } from '#shared/domain/webhooks/delivery.ts';
import type { KeptDeliveries } from '#shared/domain/webhooks/ports.ts';
import { queryPage, queryRows, winRow } from '../rows/client.ts';
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

const disabledFormat = z.pipe(
  z.string(),
  z.transform((dueSk) => {
    const [cause, partnerId] = dueSk.split('#');
    return { partnerId: Number(partnerId) as PartnerId, byManager: cause === 'manager' };
  }),
);
const keptFormat = z.pick(deliveryFormat, { environment: true });
const oldFormat = z.pick(deliveryFormat, { environment: true, eventId: true });

/** Old deliveries that are given up side by side. */
const GIVEN_UP_AT_ONCE = 50;

/** Read from the index alone: nothing of an address or its secrets is needed to count. */
export function tableKeptDeliveries(): KeptDeliveries {
  return {
    async disabledEndpoints(limit, after) {
      const { items, next } = await queryPage({ ...dueQuery(DISABLED_PARTITION), Limit: limit }, after);
      return { items: items.map(({ dueSk }) => disabledFormat.parse(dueSk)), next };
    },

    async kept(partnerId, limit, after) {
      const query = { ...dueQuery(suspendedPartition(partnerId)), Limit: limit };
      const { items, next } = await queryPage(query, after);
      return { items: items.map((item) => keptFormat.parse(item).environment), next };
    },

    async giveUp(partnerId, before, now, after) {
      const query = { ...dueQuery(suspendedPartition(partnerId), before), Limit: GIVEN_UP_AT_ONCE };
      const { items, next } = await queryPage(query, after);
      const written = await Promise.allSettled(items.map(async (item) => giveUp(oldFormat.parse(item), before, now)));
      return {
        items: written.flatMap((one) => (one.status === 'fulfilled' ? one.value : [])),
        failures: written.flatMap((one) => (one.status === 'rejected' ? [one.reason] : [])),
        next,
      };
    },

    async exhausted(environment, since, limit) {
      const { Items = [] } = await queryRows({
        IndexName: 'byDue',
        KeyConditionExpression: 'duePk = :pk AND dueSk >= :since',
        ExpressionAttributeValues: { ':pk': exhaustedPartition(environment), ':since': dueFrom(since) },
        Limit: limit,
      });
      return Items.length;
    },
  };
}

async function giveUp(
  { eventId, environment }: z.infer<typeof oldFormat>,
  before: number,
  now: number,
): Promise<Environment[]> {
  const outcome = await winRow({
    Key: deliveryKey(eventId),
    // Not among the exhausted of the index: no attempt has failed and no letter is dead, which is what is counted there.
    UpdateExpression: 'SET #state = :exhausted, expiresAt = :expiresAt REMOVE duePk, dueSk',
    // Released, replayed or given up by another run meanwhile: the index was late. It shows no wish either that was made
    // just now, or during the attempt that has suspended it; the row does.
    ConditionExpression: '#state = :suspended AND (attribute_not_exists(wishedAt) OR wishedAt < :before)',
    ExpressionAttributeNames: { '#state': 'state' },
    ExpressionAttributeValues: {
      ':exhausted': 'esgotada',
      ':suspended': 'suspensa',
      ':before': before,
      ':expiresAt': expiryAt(now + DELIVERY_KEPT),
    },
  });
  return 'written' in outcome ? [environment] : [];
}
