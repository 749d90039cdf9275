import * as z from 'zod/mini';
import type { ErasedSubject } from '#shared/domain/leads/erasure.ts';
import type { ErasureLedger } from '#shared/domain/leads/ports.ts';
import type { LeadId, PartnerId, SubmissionId, UnitId } from '#shared/domain/values/ids.ts';
import { ENVIRONMENTS } from '#shared/domain/values/tenancy.ts';
import { erasureLedgerName } from '#shared/runtime/env.ts';
import { logError } from '#shared/runtime/log.ts';
import { emit } from '#shared/runtime/metrics.ts';
import { type Item, putRow, scanRows } from '../rows/client.ts';
import { type FieldsOf, numberOf } from '../rows/row-format.ts';

const subjectFormat = z.object({
  partnerId: numberOf<PartnerId>(),
  unitId: numberOf<UnitId>(),
  environment: z.enum(ENVIRONMENTS),
  leadId: numberOf<LeadId>(),
  submissionId: z.optional(numberOf<SubmissionId>()),
} satisfies FieldsOf<ErasedSubject>);

/** Subjects of one page: each may take a second to erase. */
const PAGE = 25;

/** The subjects of rows. One that cannot be read keeps no other from its erasure: logged, and counted as one that broke off. */
export function readableSubjects(items: readonly Item[]): ErasedSubject[] {
  return items.flatMap((item) => {
    const { data, error } = subjectFormat.safeParse(item);
    if (data) return [data];
    emit({}, { ErasuresFailed: 1 });
    logError('row_unreadable', error, { unit: Number(item['unitId']), lead: Number(item['leadId']) });
    return [];
  });
}

async function pageOf(after?: string): ReturnType<ErasureLedger['page']> {
  const { Items = [], LastEvaluatedKey } = await scanRows(
    { ConsistentRead: true, Limit: PAGE, ...(after !== undefined && { ExclusiveStartKey: { pk: after } }) },
    erasureLedgerName(),
  );
  const items = readableSubjects(Items);
  const next = LastEvaluatedKey && String(LastEvaluatedKey['pk']);
  return { items, unreadable: Items.length - items.length, next };
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
