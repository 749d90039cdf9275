import { isPending } from '#shared/domain/analyses/analysis.ts';
import type { CorrectionOutcome, PersonCorrection } from '#shared/domain/personal-data/ports.ts';
import type { Clock } from '#shared/domain/values/clock.ts';
import type { LeadId } from '#shared/domain/values/ids.ts';
import type { Tenancy } from '#shared/domain/values/tenancy.ts';
import type { Milliseconds } from '#shared/domain/values/time.ts';
import { analysesOfLead } from '../analyses/analysis-row.ts';
import { beforeRetry, getRow, transactNamed } from '../rows/client.ts';
import { cutoffOf, keepCutoff } from '../rows/consent-cutoff.ts';
import { cpfKeys, leadInTheWay, putCpf } from '../rows/cpf-row.ts';
import { erasureKey, leadKey, type RowKey } from '../rows/keys.ts';
import { livingLead, overwriteLead, readLead, sameUses } from '../rows/living-lead.ts';

const PAUSE: Milliseconds = 40;

const CORRECTABLE = ['cpf', 'birthDate'] as const;

/** Other rows name the lead by its number and stay sealed as they are. A form stays as the banks got it. */
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
    const fields = CORRECTABLE.filter((field) => (correction[field] ?? lead[field]) !== lead[field]);
    if (fields.length === 0) return { fields };
    const { analyses } = await analysesOfLead(tenancy, id);
    if (analyses.some(({ situation }) => isPending(situation))) return 'pending';
    const after = { ...lead, ...correction, version: lead.version + 1, updatedAt: clock() };
    const moves = after.cpf !== lead.cpf;
    const older = moves ? await cpfKeys(tenancy, lead.cpf) : [];
    // An earlier lead of the person may have had the wrong CPF, too.
    const cutoff = moves ? await cutoffOf(tenancy, lead.cpf, after.updatedAt) : undefined;
    const outcome = await transactNamed({
      lead: await overwriteLead(tenancy, after, sameUses(item)),
      erasure: { ConditionCheck: noErasure },
      cpf: moves ? await putCpf(tenancy, after.cpf, id, erased) : undefined,
      olderCpf: older.map((key) => ({ Delete: unlessAnothers(key, id) })),
      cutoff: await keepCutoff(tenancy, after.cpf, cutoff, after.updatedAt),
    });
    if (outcome === 'written') return { fields };
    const known = leadInTheWay(outcome.cpf);
    if (known !== undefined && livingLead(await getRow(leadKey(tenancy, known)))) return 'cpf_known';
    erased = known;
    await beforeRetry(PAUSE * attempt);
  }
}

const unlessAnothers = (Key: RowKey, leadId: LeadId) => ({
  Key,
  ConditionExpression: 'attribute_not_exists(pk) OR leadId = :lead',
  ExpressionAttributeValues: { ':lead': leadId },
});
