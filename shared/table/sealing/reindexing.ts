import * as z from 'zod/mini';
import { idOf, type LeadId, type SubmissionId, type UnitId } from '#shared/domain/values/ids.ts';
import { ENVIRONMENTS, type Tenancy } from '#shared/domain/values/tenancy.ts';
import { spouseCpf } from '../analyses/spouses.ts';
import { openForm } from '../analyses/submissions.ts';
import { getRow, type Item, transact, transactNamed } from '../rows/client.ts';
import { type IndexKey, ifItOpens } from '../rows/encryption.ts';
import { cpfPlace, type IndexPlace, spousePlace } from '../rows/index-keys.ts';
import { formKey, leadKey, type RowKey, SPOUSES } from '../rows/keys.ts';
import { readLead } from '../rows/living-lead.ts';
import { numberOf } from '../rows/row-format.ts';
import { keyOf } from '../rows/table-scan.ts';

const rowFormat = z.object({
  pk: z.string(),
  sk: z.string(),
  leadId: numberOf<LeadId>(),
  expiresAt: z.optional(z.number()),
});
const environmentFormat = z.enum(ENVIRONMENTS);

/**
 * The move is one transaction, on the condition that the row still leads to the same lead. So a person is found at
 * every moment, and under one key only. `removed`: the lead or the form is gone. `broken`: the lead or the form does
 * not open or has another CPF, the row's index key is not held, or the newest key has a row of another lead.
 */
export async function moveRow(
  item: Item,
  { older, newest }: { readonly older: IndexKey | undefined; readonly newest: IndexKey },
): Promise<'moved' | 'removed' | 'unchanged' | 'broken'> {
  const { pk, sk, ...row } = rowFormat.parse(item);
  const [, unitId, environment] = pk.split('#');
  const tenancy: Tenancy = {
    unitId: idOf<UnitId>(Number(unitId)),
    environment: environmentFormat.parse(environment),
  };
  const submissionId = pk.startsWith(SPOUSES) ? idOf<SubmissionId>(Number(sk)) : undefined;
  const source = await getRow(submissionId ? formKey(tenancy, submissionId) : leadKey(tenancy, row.leadId));
  const here: RowKey = keyOf(item);
  // The lead's data or the form is gone: nobody may be found by this row.
  if (!source?.['sealed']) return remove(here, row.leadId);
  const cpf = await ifItOpens(
    submissionId ? openForm(source).then(spouseCpf) : readLead(tenancy, source).then((lead) => lead.cpf),
  );
  const placeBy = (index: IndexKey, of: string): IndexPlace =>
    submissionId ? spousePlace(index, tenancy, of, submissionId) : cpfPlace(index, tenancy, of);
  if (!cpf || !older || placeBy(older, cpf).key.pk !== here.pk) return 'broken';
  const { key, indexedBy } = placeBy(newest, cpf);
  const outcome = await transactNamed({
    moved: {
      Put: {
        Item: { ...key, ...row, indexedBy },
        ConditionExpression: 'attribute_not_exists(pk) OR leadId = :lead',
        ExpressionAttributeValues: { ':lead': row.leadId },
      },
    },
    older: deletion(here, row.leadId),
  });
  if (outcome === 'written') return 'moved';
  // If the older row is gone or leads to another lead, an erasure or a new lead came first.
  return outcome.older ? 'unchanged' : 'broken';
}

const remove = async (key: RowKey, leadId: LeadId): Promise<'removed' | 'unchanged'> =>
  (await transact([deletion(key, leadId)])) === 'written' ? 'removed' : 'unchanged';

const deletion = (Key: RowKey, leadId: LeadId) => ({
  Delete: { Key, ConditionExpression: 'leadId = :lead', ExpressionAttributeValues: { ':lead': leadId } },
});
