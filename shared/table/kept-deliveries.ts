import * as z from 'zod';
import type { PartnerId } from '../domain/values/ids.ts';
import { ENVIRONMENTS, type Environment } from '../domain/values/tenancy.ts';
import type { KeptDeliveries } from '../domain/webhooks/ports.ts';
import { queryRows } from './client.ts';
import { DISABLED_PARTITION, dueFrom, exhaustedPartition, suspendedPartition } from './keys.ts';

const disabledFormat = z.string().transform((dueSk) => {
  const [cause, partnerId] = dueSk.split('#');
  return { partnerId: Number(partnerId) as PartnerId, byManager: cause === 'manager' };
});
const keptFormat = z.object({ environment: z.enum(ENVIRONMENTS) });

/** Read from the index alone: nothing of an address or its secrets is needed to count. */
export function tableKeptDeliveries(): KeptDeliveries {
  const page = async (partition: string, limit: number, from = '') => {
    const { Items = [] } = await queryRows({
      IndexName: 'byDue',
      KeyConditionExpression: 'duePk = :pk AND dueSk >= :from',
      // No sort key is empty: the first of them is above the blank.
      ExpressionAttributeValues: { ':pk': partition, ':from': from || ' ' },
      Limit: limit,
    });
    return Items;
  };
  return {
    disabledEndpoints: async (limit) =>
      (await page(DISABLED_PARTITION, limit)).map(({ dueSk }) => disabledFormat.parse(dueSk)),

    kept: async (partnerId, limit) => {
      const counted: Record<Environment, number> = { sandbox: 0, producao: 0 };
      for (const item of await page(suspendedPartition(partnerId), limit))
        counted[keptFormat.parse(item).environment] += 1;
      return counted;
    },

    exhausted: async (environment, since, limit) =>
      (await page(exhaustedPartition(environment), limit, dueFrom(since))).length,
  };
}
