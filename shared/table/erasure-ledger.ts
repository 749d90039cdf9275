import * as z from 'zod/mini';
import type { ErasedSubject } from '../domain/leads/erasure.ts';
import type { ErasureLedger } from '../domain/leads/ports.ts';
import type { LeadId, PartnerId, SubmissionId, UnitId } from '../domain/values/ids.ts';
import { ENVIRONMENTS } from '../domain/values/tenancy.ts';
import { erasureLedgerName } from '../runtime/env.ts';
import { putRow, scanRows } from './client.ts';
import { type FieldsOf, numberOf } from './row-format.ts';

const rowFormat = z.object({
  partnerId: numberOf<PartnerId>(),
  unitId: numberOf<UnitId>(),
  environment: z.enum(ENVIRONMENTS),
  leadId: numberOf<LeadId>(),
  submissionId: z.optional(numberOf<SubmissionId>()),
} satisfies FieldsOf<ErasedSubject>);

/** Subjects of one page: each may take a second to erase. */
const PAGE = 25;

async function pageOf(after?: string): Promise<{ items: ErasedSubject[]; next: string | undefined }> {
  const { Items = [], LastEvaluatedKey } = await scanRows(
    { ConsistentRead: true, Limit: PAGE, ...(after !== undefined && { ExclusiveStartKey: { pk: after } }) },
    erasureLedgerName(),
  );
  return {
    items: Items.map((item) => rowFormat.parse(item)),
    next: LastEvaluatedKey && String(LastEvaluatedKey['pk']),
  };
}

/**
 * The ledger as a table of its own, which no restore of the one table touches. It holds numbers alone: whom they stand
 * for is known nowhere once the person is erased.
 */
export function tableErasureLedger(): ErasureLedger {
  return {
    async add({ partnerId, unitId, environment, leadId, submissionId }, now) {
      const spouse = submissionId === undefined ? [] : [submissionId];
      await putRow(
        {
          Item: {
            pk: [unitId, environment, leadId, ...spouse].join('#'),
            ...{ partnerId, unitId, environment, leadId, requestedAt: now },
            ...(submissionId !== undefined && { submissionId }),
          },
          // The first request is the one that counts.
          ConditionExpression: 'attribute_not_exists(pk)',
        },
        erasureLedgerName(),
      );
    },

    page: pageOf,
  };
}
