/**
 * The transactions that make and end analyses also write a lead's list of analyses, so that the list is never late. One
 * consistent query reads the list and the lead: page, total and pending analyses come from the same read.
 */
import * as z from 'zod/mini';
import { type Analysis, SITUATIONS } from '#shared/domain/analyses/analysis.ts';
import type { AnalysisChange, LeadAnalysis } from '#shared/domain/analyses/ports.ts';
import { BANKS } from '#shared/domain/values/bank.ts';
import { type AnalysisId, type ConsentId, idOf, type LeadId, type SubmissionId } from '#shared/domain/values/ids.ts';
import type { Tenancy } from '#shared/domain/values/tenancy.ts';
import { type Item, queryAllRows, type TransactItem } from '../rows/client.ts';
import { ANALYSIS_LIST, analysisListKey, leadKey } from '../rows/keys.ts';
import { livingLead } from '../rows/living-lead.ts';
import { numberOf } from '../rows/row-format.ts';

const listedSubmission = z.object({
  submissionId: numberOf<SubmissionId>(),
  /** By id of the analysis. */
  analyses: z.record(z.string(), z.object({ bank: z.enum(BANKS), situation: z.enum(SITUATIONS) })),
});

/** Both lists are newest first. */
export interface ListedLead {
  readonly lead: Item;
  readonly analyses: readonly LeadAnalysis[];
  readonly consentIds: readonly ConsentId[];
}

export const listedAnalyses = (rows: readonly Item[]): AnalysisId[] =>
  rows.flatMap((row) => Object.keys(listedSubmission.parse(row).analyses).map((id) => idOf<AnalysisId>(Number(id))));

export function listAnalyses(analyses: readonly Analysis[]): TransactItem {
  const [first] = analyses;
  if (!first) throw new Error('a submission has no analysis');
  const entries = analyses.map(({ id, bank, situation }) => [id, { bank, situation }]);
  const row: z.infer<typeof listedSubmission> = {
    submissionId: first.submissionId,
    analyses: Object.fromEntries(entries),
  };
  return { Put: { Item: { ...analysisListKey(first), ...row } } };
}

export function relistAnalyses(changes: readonly AnalysisChange[]): TransactItem[] {
  const changed = changes.filter(({ before, after }) => before.situation !== after.situation).map(({ after }) => after);
  return Array.from(Map.groupBy(changed, ({ submissionId }) => submissionId).values(), relistSubmission).flat();
}

function relistSubmission(analyses: readonly Analysis[]): TransactItem[] {
  const [first] = analyses;
  if (!first) return [];
  return [
    {
      Update: {
        Key: analysisListKey(first),
        UpdateExpression: `SET ${analyses.map((_, index) => `analyses.#a${index}.situation = :a${index}`).join(', ')}`,
        ExpressionAttributeNames: Object.fromEntries(analyses.map(({ id }, index) => [`#a${index}`, String(id)])),
        ExpressionAttributeValues: Object.fromEntries(
          analyses.map(({ situation }, index) => [`:a${index}`, situation]),
        ),
      },
    },
  ];
}

/** Undefined if there is no such lead, or if its person is being erased. */
export async function readLivingList(tenancy: Tenancy, leadId: LeadId): Promise<ListedLead | undefined> {
  const listed = await readAnalysisList(tenancy, leadId);
  return livingLead(listed?.lead) && listed;
}

/** Undefined if there is no such lead. */
export async function readAnalysisList(tenancy: Tenancy, leadId: LeadId): Promise<ListedLead | undefined> {
  const { pk, sk } = leadKey(tenancy, leadId);
  const rows = await queryAllRows({
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :list AND :lead',
    ExpressionAttributeValues: { ':pk': pk, ':list': ANALYSIS_LIST, ':lead': sk },
    ConsistentRead: true,
  });
  const lead = rows.find((row) => row['sk'] === sk);
  if (!lead) return undefined;
  const submissions = rows.filter((row) => row !== lead).map((row) => listedSubmission.parse(row));
  const analyses = submissions.flatMap((submission) =>
    Object.entries(submission.analyses).map(([id, { bank, situation }]): LeadAnalysis => {
      return { id: idOf<AnalysisId>(Number(id)), bank, situation };
    }),
  );
  return {
    lead,
    analyses: analyses.sort((a, b) => b.id - a.id),
    consentIds: submissions.map(({ submissionId }) => idOf<ConsentId>(submissionId)).reverse(),
  };
}
