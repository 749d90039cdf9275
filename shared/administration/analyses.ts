import * as z from 'zod/mini';
import { described } from '../contract/described.ts';
import { type Analysis, CLOSE_LIMIT, SITUATIONS } from '../domain/analyses/analysis.ts';
import { OUTCOME_REFUSALS, type OutcomeRecord } from '../domain/analyses/record-outcomes.ts';
import { BANKS } from '../domain/values/bank.ts';
import type { AnalysisId, LeadId, PartnerId, SubmissionId, UnitId } from '../domain/values/ids.ts';
import { days } from '../domain/values/time.ts';
import { answered, cursor, environment, flagText, id, idText, moment, nextCursor } from './fields.ts';
import { MANAGER, noun, PARTNER_CARE, READERS } from './operation.ts';
import { toWire } from './wire.ts';

const { read, change, report } = noun('analyses');

const analysisView = described(
  z.object({
    analysis_id: id<AnalysisId>('The analysis.'),
    partner_id: id<PartnerId>('The partner.'),
    unit_id: id<UnitId>('The unit.'),
    environment: environment(),
    lead_id: id<LeadId>('The lead.'),
    bank: z.enum(BANKS),
    submission_id: id<SubmissionId>('The call that submitted it, perhaps together with analyses at other banks.'),
    situation: z.enum(SITUATIONS),
    query_number: described(z.string(), "The bank's number; empty until the operator has confirmed the analysis."),
    raw_status: described(z.string(), "The bank's latest text."),
    sequence: described(z.int(), 'Number of its events so far.'),
    created_at: moment('When it was submitted.'),
    concluded_at: z.nullable(moment('When it ended; null while it is pending, or if that was not stored.')),
    unanswerable_since: z.nullable(
      moment('Since when the operator answers about others, but not about this analysis.'),
    ),
  }),
  { id: 'Analysis' },
);

const analysisParams = z.strictObject({ analysis_id: idText<AnalysisId>('The analysis.') });

export const listPendingAnalyses = read('list-pending-analyses', 'GET /v1/analyses', {
  english: 'pending analyses, oldest first',
  portuguese: 'Listar análises em espera',
  duties: READERS,
  permission: { reads: ['PENDING'], writes: [], indexes: ['byDue'] },
  query: z.strictObject({
    partner_id: z.optional(idText<PartnerId>('Only analyses of this partner.')),
    bank: described(z.optional(z.enum(BANKS)), 'Only analyses at this bank.'),
    unanswerable: z.optional(
      flagText('true: only analyses about which the operator gives no usable answer, while it answers about others.'),
    ),
    cursor: z.optional(cursor()),
  }),
  answer: answered({
    analyses: described(z.array(analysisView), 'Pending analyses, oldest first within a page. No personal data.'),
    done: described(z.int(), 'Parts of the index looked at so far.'),
    total: described(z.int(), 'Parts of the index to look at.'),
    next_cursor: nextCursor(),
  }),
});

export const showAnalysis = read('show-analysis', 'GET /v1/analyses/{analysis_id}', {
  english: 'an analysis, pending or ended, without personal data',
  portuguese: 'Ver análise',
  duties: READERS,
  permission: { table: ['BatchGetItem', 'Query'], reads: ['ANALYSIS', 'PARTNER'], writes: [] },
  params: analysisParams,
  query: z.strictObject({
    partner_id: z.optional(idText<PartnerId>('The partner, whose units are searched. Needed if unit_id is left out.')),
    unit_id: z.optional(idText<UnitId>('Only in this unit.')),
    environment: z.optional(environment('Only in this environment.')),
  }),
  answer: answered({ analysis: analysisView }),
});

export const pollAnalysis = change('poll-analysis', 'POST /v1/analyses/{analysis_id}/poll', {
  english: 'ask the operator about a pending analysis now, before its next turn',
  portuguese: 'Consultar análise',
  duties: PARTNER_CARE,
  permission: {
    table: ['GetItem'],
    reads: ['ANALYSIS', 'FORM', 'SPOUSE'],
    writes: ['LEAD', 'ANALYSIS', 'DELIVERY'],
    sendsDeliveries: true,
    secrets: ['keys', 'operator'],
  },
  params: analysisParams,
  body: z.strictObject({ unit_id: id<UnitId>('The unit.'), environment: environment() }),
  answer: answered({
    outcome: described(
      z.enum(['no_news', 'note', 'change', 'overtaken']),
      'no_news: nothing new, or the operator has never received it (then the poller handles it); note: still pending, with a new number or text; change: an outcome, booked with its event; overtaken: the poller was faster.',
    ),
    analysis: described(analysisView, 'The analysis as it is now.'),
  }),
});

export const closeAnalysis = change('close-analysis', 'POST /v1/analyses/{analysis_id}/close', {
  english: `end a pending analysis of more than ${CLOSE_LIMIT / days(1)} days that the operator cannot answer`,
  portuguese: 'Encerrar análise',
  duties: MANAGER,
  confirm: { fields: ['analysis_id'] },
  permission: {
    table: ['GetItem'],
    reads: ['ANALYSIS'],
    writes: ['LEAD', 'ANALYSIS', 'DELIVERY'],
    sendsDeliveries: true,
  },
  params: analysisParams,
  body: z.strictObject({
    unit_id: id<UnitId>('The unit.'),
    environment: environment(),
    situation: described(z.literal('cancelado'), 'The final situation, which the partner sees.'),
  }),
  answer: answered({ analysis: described(analysisView, 'The ended analysis. Its event is booked.') }),
});

/** The fields have the names of operator.openapi.yaml (`resultados`). */
export const recordOutcomes = report('record-outcomes', 'POST /resultados', {
  portuguese: 'Receber resultados do operador',
  duties: ['operator'],
  permission: {
    table: ['GetItem', 'PutItem', 'UpdateItem'],
    reads: ['ANALYSIS', 'FORM', 'SPOUSE'],
    writes: ['LEAD', 'ANALYSIS', 'DELIVERY'],
    sendsDeliveries: true,
    secrets: ['keys'],
  },
  body: z.strictObject({
    submissions: described(
      z
        // Each submission is parsed separately, so that a malformed submission does not spoil the others.
        .array(z.unknown())
        .check(z.minLength(1, 'names at least one'), z.maxLength(100, 'names at most 100')),
      'Submissions as they are now, each with reference, bank, queryNumber and status.',
    ),
  }),
  answer: answered({
    results: described(
      z.array(
        z.object({
          result: described(
            z.enum(['recorded', 'known', 'refused']),
            'recorded: booked, with its event if it is final; known: nothing new; refused: see reason.',
          ),
          reason: described(z.nullable(z.enum(OUTCOME_REFUSALS)), 'Why it is refused; null if it is not.'),
        }),
      ),
      'One result for each submission, in the same order.',
    ),
  }),
});

export const ANALYSIS_OPERATIONS = [
  listPendingAnalyses,
  showAnalysis,
  pollAnalysis,
  closeAnalysis,
  recordOutcomes,
] as const;

export function outcomeBody(record: OutcomeRecord): z.input<typeof recordOutcomes.answer>['results'][number] {
  return { result: record.kind, reason: record.kind === 'refused' ? record.reason : null };
}

export const analysisBody = (analysis: Analysis) => toWire(analysisView, { ...analysis, analysisId: analysis.id });
