import { isPending } from '#shared/domain/analyses/analysis.ts';
import type { CorrectionOutcome, PersonCorrection } from '#shared/domain/personal-data/ports.ts';
import type { Clock } from '#shared/domain/values/clock.ts';
import type { LeadId } from '#shared/domain/values/ids.ts';
import type { Tenancy } from '#shared/domain/values/tenancy.ts';
import { analysesOfLead } from '../analyses/analysis-row.ts';
import { beforeRetry, getRow, transact } from '../rows/client.ts';
import { cpfKeysOldestFirst } from '../rows/index-keys.ts';
import { erasureKey, leadKey } from '../rows/keys.ts';
import { cpfParts, livingLead, overwriteLead, readLead, unused } from './leads.ts';

/** How much longer the pause gets each time that the lead was used or changed meanwhile, in milliseconds. */
const PAUSE = 40;

/**
 * Corrects a lead in one transaction: the lead as it was read, without an erasure, and the way from its CPF. What hangs
 * on the lead names it by number and stays sealed as it is; a form stays what its banks were told.
 */
export async function correctLead(
  tenancy: Tenancy,
  id: LeadId,
  correction: PersonCorrection,
  clock: Clock,
): Promise<CorrectionOutcome> {
  const noErasure = { Key: erasureKey(tenancy, id), ConditionExpression: 'attribute_not_exists(pk)' };
  let erased: LeadId | undefined;
  for (let attempt = 1; ; attempt++) {
    const [item, erasure] = await Promise.all([getRow(leadKey(tenancy, id)), getRow(noErasure.Key)]);
    if (!item) return 'no_lead';
    if (erasure || !livingLead(item)) return 'erasing';
    const lead = await readLead(tenancy, item);
    const fields = (['cpf', 'birthDate'] as const).filter(
      (field) => (correction[field] ?? lead[field]) !== lead[field],
    );
    if (fields.length === 0) return { fields };
    const { analyses } = await analysesOfLead(tenancy, id);
    if (analyses.some(({ situation }) => isPending(situation))) return 'pending';
    const after = { ...lead, ...correction, version: lead.version + 1, updatedAt: clock() };
    const moves = after.cpf === lead.cpf ? [] : await cpfParts(tenancy, after.cpf, id, erased);
    const left = moves.length === 0 ? [] : await cpfKeysOldestFirst(tenancy, lead.cpf);
    const outcome = await transact([
      ...moves,
      await overwriteLead(tenancy, after, unused(item)),
      { ConditionCheck: noErasure },
      ...left.map((Key) => ({
        Delete: {
          Key,
          ConditionExpression: 'attribute_not_exists(pk) OR leadId = :lead',
          ExpressionAttributeValues: { ':lead': id },
        },
      })),
    ]);
    if (outcome === 'written') return { fields };
    const known = outcome.slice(0, moves.length).find((part) => part.failed)?.item?.['leadId'] as LeadId | undefined;
    if (known !== undefined && livingLead(await getRow(leadKey(tenancy, known)))) return 'cpf_known';
    erased = known;
    await beforeRetry(PAUSE * attempt);
  }
}
