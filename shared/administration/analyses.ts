import * as z from 'zod';
import type { Analysis } from '../domain/analyses/analysis.ts';
import { SITUATIONS } from '../domain/analyses/analysis.ts';
import { OUTCOME_REFUSALS, type OutcomeRecord } from '../domain/analyses/record-outcomes.ts';
import { BANKS } from '../domain/values/bank.ts';
import { timestamp } from '../domain/values/clock.ts';
import type { AnalysisId, LeadId, PartnerId, SubmissionId, UnitId } from '../domain/values/ids.ts';
import { answered, cursor, type Exchange, environment, flagText, id, idText, moment, nextCursor } from './fields.ts';

const analysisView = z
  .object({
    analysis_id: id<AnalysisId>('The analysis.'),
    partner_id: id<PartnerId>('Whose.'),
    unit_id: id<UnitId>('Whose unit.'),
    environment: environment(),
    lead_id: id<LeadId>('The lead.'),
    bank: z.enum(BANKS),
    submission_id: id<SubmissionId>('The call that submitted it, with others perhaps.'),
    situation: z.enum(SITUATIONS),
    query_number: z.string().describe("The bank's number; empty while it has none."),
    raw_status: z.string().describe("The bank's own words."),
    sequence: z.int().describe('Events that it has had.'),
    created_at: moment('When it was submitted.'),
    unanswerable_since: moment('Since when the operator answers for others, and not for this one.').nullable(),
  })
  .meta({ id: 'Analysis' });

const which = z.strictObject({ analysis_id: idText<AnalysisId>('The analysis.') });

export const listPendingAnalyses = {
  query: z.strictObject({
    partner_id: idText<PartnerId>('Only of a partner.').optional(),
    bank: z.enum(BANKS).optional().describe('Only at a bank.'),
    unanswerable: flagText(
      'true: only those for which the operator has no usable answer, while it answers for others.',
    ).optional(),
    cursor: cursor().optional(),
  }),
  answer: answered({
    analyses: z.array(analysisView).describe('Pending ones, oldest first within a page; nothing personal.'),
    done: z.int().describe('Parts of the index looked at so far.'),
    total: z.int().describe('Parts of the index to look at.'),
    next_cursor: nextCursor(),
  }),
} satisfies Exchange;

export const showAnalysis = {
  params: which,
  query: z.strictObject({ unit_id: idText<UnitId>('Whose unit.'), environment: environment() }),
  answer: answered({ analysis: analysisView }),
} satisfies Exchange;

export const pollAnalysis = {
  params: which,
  body: z.strictObject({ unit_id: id<UnitId>('Whose unit.'), environment: environment() }),
  answer: answered({
    outcome: z
      .enum(['no_news', 'note', 'change', 'overtaken'])
      .describe(
        'no_news: the operator has none; note: pending with a new number or text; change: an outcome, booked with its event; overtaken: the poller was faster.',
      ),
    analysis: analysisView.describe('As it is now.'),
  }),
} satisfies Exchange;

/** What the operator pushes, in the words of its own contract (operator.openapi.yaml, `resultados`). */
export const recordOutcomes = {
  body: z.strictObject({
    submissions: z
      // Each is read by itself, so that one that does not fit spoils no other.
      .array(z.unknown())
      .min(1, 'names at least one')
      .max(100, 'names at most 100')
      .describe('Submissions as they stand now: reference, bank, queryNumber and status each.'),
  }),
  answer: answered({
    results: z
      .array(
        z.object({
          result: z
            .enum(['recorded', 'known', 'refused'])
            .describe('recorded: booked, with its event where it is final; known: nothing new; refused: see reason.'),
          reason: z.enum(OUTCOME_REFUSALS).nullable().describe('Why it is refused; null where it is not.'),
        }),
      )
      .describe('One for each submission, in their order.'),
  }),
} satisfies Exchange;

/** What became of one outcome, as the operator is answered. */
export function outcomeBody(record: OutcomeRecord): z.input<typeof recordOutcomes.answer>['results'][number] {
  return { result: record.kind, reason: record.kind === 'refused' ? record.reason : null };
}

export function analysisBody(analysis: Analysis): z.input<typeof analysisView> {
  return {
    analysis_id: analysis.id,
    partner_id: analysis.partnerId,
    unit_id: analysis.unitId,
    environment: analysis.environment,
    lead_id: analysis.leadId,
    bank: analysis.bank,
    submission_id: analysis.submissionId,
    situation: analysis.situation,
    query_number: analysis.queryNumber,
    raw_status: analysis.rawStatus,
    sequence: analysis.sequence,
    created_at: timestamp(analysis.createdAt),
    unanswerable_since: analysis.unanswerableSince === undefined ? null : timestamp(analysis.unanswerableSince),
  };
}
