import type { Analysis } from '../domain/analyses/analysis.ts';
import type { LeadId, OpportunityId } from '../domain/values/ids.ts';
import type { Tenancy } from '../domain/values/tenancy.ts';
import { readAnalysisList } from './analysis-list.ts';
import { readAnalysis } from './analysis-row.ts';
import { getRows, queryAllRows } from './client.ts';
import { analysisKey, LEAD_OPPORTUNITIES, leadKey } from './keys.ts';

/** Every analysis of a lead, and how many consents it has, read consistently. */
export async function analysesOfLead(
  tenancy: Tenancy,
  leadId: LeadId,
): Promise<{ analyses: Analysis[]; consents: number }> {
  const listed = await readAnalysisList(tenancy, leadId);
  const keys = (listed?.analyses ?? []).map(({ id }) => analysisKey(tenancy, id));
  const analyses = (await getRows(keys)).flatMap((item) => (item ? [readAnalysis(item)] : []));
  return { analyses, consents: listed?.consentIds.length ?? 0 };
}

/** The opportunities of a lead, oldest first, read consistently. */
export async function opportunityIdsOf(tenancy: Tenancy, leadId: LeadId): Promise<OpportunityId[]> {
  const rows = await queryAllRows({
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :opportunities)',
    ExpressionAttributeValues: { ':pk': leadKey(tenancy, leadId).pk, ':opportunities': LEAD_OPPORTUNITIES },
    ConsistentRead: true,
  });
  return rows.map(({ sk }) => Number(String(sk).slice(LEAD_OPPORTUNITIES.length)) as OpportunityId);
}
