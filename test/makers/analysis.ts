import type { Analysis } from '#shared/domain/analyses/analysis.ts';
import type { AnalysisId, LeadId, PartnerId, SubmissionId, UnitId } from '#shared/domain/values/ids.ts';

/** Returns an analysis in production that its bank has confirmed and not yet decided. */
export function makeAnalysis(overrides: Partial<Analysis> = {}): Analysis {
  return {
    id: 9001 as AnalysisId,
    unitId: 11 as UnitId,
    environment: 'producao',
    partnerId: 3 as PartnerId,
    leadId: 7001 as LeadId,
    bank: 'itau',
    submissionId: 8001 as SubmissionId,
    situation: 'em_analise',
    queryNumber: 'IT-1',
    rawStatus: 'Em análise',
    sequence: 0,
    createdAt: 1_780_000_000_000,
    ...overrides,
  };
}
