import * as z from 'zod/mini';
import type { ErasedSubject } from '#shared/domain/leads/erasure.ts';
import type { ErasureLedger } from '#shared/domain/leads/ports.ts';
import type { LeadId, PartnerId, SubmissionId, UnitId } from '#shared/domain/values/ids.ts';
import { ENVIRONMENTS, type Page } from '#shared/domain/values/tenancy.ts';
import type { Instant } from '#shared/domain/values/time.ts';
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
  requestedAt: z.optional(z.number()),
  cause: z.optional(z.literal('retention')),
} satisfies FieldsOf<ErasedSubject>);

/** Each subject may take a second to erase. */
const PAGE = 25;

/** A row that cannot be read is logged, left out and counted as a failed erasure. */
export function readableSubjects(items: readonly Item[]): ErasedSubject[] {
  return items.flatMap((item) => {
    const { data, error } = subjectFormat.safeParse(item);
    if (data) return [data];
    emit({}, { ErasuresFailed: 1 });
    logError('row_unreadable', error, { unit: Number(item['unitId']), lead: Number(item['leadId']) });
    return [];
  });
}

/**
 * The ledger is a separate table, which no restore of the main table touches. Its numbers name nobody once the person
 * is erased.
 */
export class TableErasureLedger implements ErasureLedger {
  async add(
    { partnerId, unitId, environment, leadId, submissionId, cause }: ErasedSubject,
    now: Instant,
  ): Promise<void> {
    const subject = [unitId, environment, leadId, submissionId].filter((part) => part !== undefined);
    await putRow(
      {
        Item: { pk: subject.join('#'), partnerId, unitId, environment, leadId, submissionId, cause, requestedAt: now },
        // A subject that is in the ledger keeps the moment of its first request.
        ConditionExpression: 'attribute_not_exists(pk)',
      },
      erasureLedgerName(),
    );
  }

  async page(after?: string): Promise<Page<ErasedSubject> & { readonly unreadable: number }> {
    const { Items = [], LastEvaluatedKey } = await scanRows(
      { ConsistentRead: true, Limit: PAGE, ExclusiveStartKey: after === undefined ? undefined : { pk: after } },
      erasureLedgerName(),
    );
    const items = readableSubjects(Items);
    const next = LastEvaluatedKey && String(LastEvaluatedKey['pk']);
    return { items, unreadable: Items.length - items.length, next };
  }
}
