/**
 * The list of a lead's analyses: one row for each submission, beside the lead, with bank and situation of its analyses.
 *
 * It is written in the transactions that make and end analyses, so that it is never behind them, and it is read whole, in
 * one consistent query together with the lead: page, total and pending ones come from the same read.
 */
import * as z from 'zod/mini';
import { type Analysis, SITUATIONS } from '#shared/domain/analyses/analysis.ts';
import type { AnalysisChange, LeadAnalysis } from '#shared/domain/analyses/ports.ts';
import { BANKS } from '#shared/domain/values/bank.ts';
import type { AnalysisId, ConsentId, LeadId } from '#shared/domain/values/ids.ts';
import type { Tenancy } from '#shared/domain/values/tenancy.ts';
import { livingLead } from '../leads/leads.ts';
import { type Item, queryAllRows, type TransactItem } from '../rows/client.ts';
import { ANALYSIS_LIST, analysisListKey, leadKey } from '../rows/keys.ts';

const listedSubmission = z.object({
  submissionId: z.int(),
  /** By the analyses' ids. */
  analyses: z.record(z.string(), z.object({ bank: z.enum(BANKS), situation: z.enum(SITUATIONS) })),
});

/** A lead's row with the list of its analyses, newest first, and the ids of its consents, newest first. */
export interface ListedLead {
  readonly lead: Item;
  readonly analyses: readonly LeadAnalysis[];
  readonly consentIds: readonly ConsentId[];
}

/** The transaction's part that lists the analyses of a new submission. */
export function listAnalyses(analyses: readonly Analysis[]): TransactItem {
  const [first] = analyses as readonly [Analysis];
  const { submissionId } = first;
  const entries = analyses.map(({ id, bank, situation }) => [id, { bank, situation }]);
  const row: z.infer<typeof listedSubmission> = { submissionId, analyses: Object.fromEntries(entries) };
  return { Put: { Item: { ...analysisListKey(first), ...row } } };
}

/** The transaction's parts that list new situations: one for each submission, none where no situation changes. */
export function relistAnalyses(changes: readonly AnalysisChange[]): TransactItem[] {
  const moved = changes.filter(({ before, after }) => before.situation !== after.situation);
  return [...Map.groupBy(moved, ({ after }) => after.submissionId).values()].map((own) => ({
    Update: {
      Key: analysisListKey(own[0]!.after),
      UpdateExpression: `SET ${own.map((_, index) => `analyses.#a${index}.situation = :a${index}`).join(', ')}`,
      ExpressionAttributeNames: Object.fromEntries(own.map(({ after }, index) => [`#a${index}`, String(after.id)])),
      ExpressionAttributeValues: Object.fromEntries(own.map(({ after }, index) => [`:a${index}`, after.situation])),
    },
  }));
}

/** A lead with its list, as they stand; undefined where there is no such lead, or its person is being erased. */
export async function readLivingList(tenancy: Tenancy, leadId: LeadId): Promise<ListedLead | undefined> {
  const listed = await readAnalysisList(tenancy, leadId);
  return livingLead(listed?.lead) && listed;
}

/** The same of any lead, erased or not. */
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
  return {
    lead,
    analyses: submissions
      .flatMap(({ analyses }) =>
        Object.entries(analyses).map(([id, entry]) => ({ id: Number(id) as AnalysisId, ...entry })),
      )
      .sort((a, b) => b.id - a.id),
    consentIds: submissions.map(({ submissionId }) => submissionId as ConsentId).reverse(),
  };
}
