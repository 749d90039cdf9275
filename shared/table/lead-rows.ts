import type { Analysis } from '../domain/analyses/analysis.ts';
import type { AnalysisId, LeadId, OpportunityId } from '../domain/values/ids.ts';
import type { Tenancy } from '../domain/values/tenancy.ts';
import { readAnalysis } from './analysis-row.ts';
import { getRows, queryAllRows } from './client.ts';
import { readableConsents } from './consents.ts';
import { analysisKey, analysisListPartition, LEAD_OPPORTUNITIES, leadKey } from './keys.ts';

/** Rows of one BatchGetItem. */
const LOT = 100;

/**
 * Every analysis of a lead, and how many consents it has. The consents name their analyses and are read consistently,
 * so that none is missed that an index does not show yet; the index stands in for a consent that does not open.
 */
export async function analysesOfLead(
  tenancy: Tenancy,
  leadId: LeadId,
): Promise<{ analyses: Analysis[]; consents: number }> {
  const [{ consents, rows }, listed] = await Promise.all([
    readableConsents(tenancy, leadId),
    queryAllRows({
      IndexName: 'byList',
      KeyConditionExpression: 'listPk = :pk',
      ExpressionAttributeValues: { ':pk': analysisListPartition(tenancy, leadId) },
    }),
  ]);
  const ids = new Set([
    ...consents.flatMap(({ analysisIds }) => analysisIds),
    ...listed.map(({ id }) => Number(id) as AnalysisId),
  ]);
  const keys = [...ids].map((id) => analysisKey(tenancy, id));
  const analyses: Analysis[] = [];
  for (let start = 0; start < keys.length; start += LOT) {
    const found = await getRows(keys.slice(start, start + LOT));
    analyses.push(...found.flatMap((item) => (item ? [readAnalysis(item)] : [])));
  }
  return { analyses, consents: rows };
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
