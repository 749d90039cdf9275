import * as z from 'zod';
import type { ErasureSubject } from '../domain/leads/erasure.ts';
import type { ErasureLedger } from '../domain/leads/ports.ts';
import { ENVIRONMENTS } from '../domain/values/tenancy.ts';
import { erasureLedgerName } from '../runtime/env.ts';
import { type Item, putRow, scanRows } from './client.ts';

const rowFormat = z.object({
  partnerId: z.number(),
  unitId: z.number(),
  environment: z.enum(ENVIRONMENTS),
  leadId: z.number(),
}) as unknown as z.ZodType<ErasureSubject>;

/**
 * The ledger as a table of its own, which no restore of the one table touches. It holds numbers alone: whom they stand
 * for is known nowhere once the person is erased.
 */
export function tableErasureLedger(): ErasureLedger {
  return {
    async add({ partnerId, unitId, environment, leadId }, now) {
      await putRow(
        {
          Item: { pk: `${unitId}#${environment}#${leadId}`, partnerId, unitId, environment, leadId, requestedAt: now },
          // The first request is the one that counts.
          ConditionExpression: 'attribute_not_exists(pk)',
        },
        erasureLedgerName(),
      );
    },

    async *all() {
      let after: Item | undefined;
      do {
        const page = await scanRows({ ConsistentRead: true, ExclusiveStartKey: after }, erasureLedgerName());
        for (const item of page.Items ?? []) yield rowFormat.parse(item);
        after = page.LastEvaluatedKey;
      } while (after);
    },
  };
}
