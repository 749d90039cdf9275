import * as z from 'zod/mini';
import { type Analysis, isConclusion, isPending, SITUATIONS } from '#shared/domain/analyses/analysis.ts';
import type { AnalysisChange, AnalysisEventOf, Written } from '#shared/domain/analyses/ports.ts';
import { BANKS } from '#shared/domain/values/bank.ts';
import type { AnalysisId, LeadId, PartnerId, SubmissionId, UnitId } from '#shared/domain/values/ids.ts';
import { ENVIRONMENTS, type Tenancy } from '#shared/domain/values/tenancy.ts';
import type { Instant } from '#shared/domain/values/time.ts';
import { logError } from '#shared/runtime/log.ts';
import { emit } from '#shared/runtime/metrics.ts';
import { getRows, type Item, type TransactItem, updateRow } from '../rows/client.ts';
import { analysisKey, outcomeEntry, pendingDue } from '../rows/keys.ts';
import { writeOutbox } from '../rows/outbox.ts';
import { type FieldsOf, numberOf } from '../rows/row-format.ts';
import { updateOf } from '../rows/update.ts';
import { listedAnalyses, readAnalysisList, relistAnalyses } from './analysis-list.ts';

export const analysisFormat = z.object({
  id: numberOf<AnalysisId>(),
  unitId: numberOf<UnitId>(),
  environment: z.enum(ENVIRONMENTS),
  partnerId: numberOf<PartnerId>(),
  leadId: numberOf<LeadId>(),
  bank: z.enum(BANKS),
  submissionId: numberOf<SubmissionId>(),
  situation: z.enum(SITUATIONS),
  queryNumber: z.string(),
  rawStatus: z.string(),
  sequence: z.number(),
  createdAt: z.number(),
  forced: z.optional(z.string()),
  requestId: z.optional(z.string()),
  unanswerableSince: z.optional(z.number()),
  concludedAt: z.optional(z.number()),
} satisfies FieldsOf<Analysis>);

export const consentFormat = z.object({ consentedAt: z.number() });

/** A row must stay within 1 KB, and an event within 4 KB. */
const LONGEST_STATUS = 200;

export const brief = (text: string) => text.slice(0, LONGEST_STATUS);

export const readAnalysis = (item: Item): Analysis => analysisFormat.parse(item);

/**
 * If the row cannot be read, logs it and returns undefined, so that the analyses after it are asked about. Such a row
 * of production counts as unanswerable, since nobody asks about it.
 */
export function readableAnalysis(item: Item): Analysis | undefined {
  try {
    return readAnalysis(item);
  } catch (error) {
    logError('row_unreadable', error, { analysis: Number(item['id']) });
    if (item['environment'] !== 'sandbox')
      emit({ environment: 'producao', bank: String(item['bank']), kind: 'unanswerable' }, { BankTrouble: 1 });
    return undefined;
  }
}

/** The indexes do not have the moment of consent. */
export const consentMoment = (item: Item): Instant => consentFormat.parse(item).consentedAt;

/** Refused if its id is taken. */
export function putAnalysis(analysis: Analysis, consentedAt: Instant): TransactItem {
  return {
    Put: {
      Item: { ...analysisKey(analysis, analysis.id), ...pendingDue(analysis), ...analysis, consentedAt },
      ConditionExpression: 'attribute_not_exists(pk)',
    },
  };
}

/** Refused if an analysis is no longer as it was read, so that a final situation never changes. */
export function writeChanges(
  changes: readonly AnalysisChange[],
  eventOf: AnalysisEventOf,
  now: Instant,
): Written & { readonly parts: TransactItem[] } {
  const rows = changes.filter(({ before, after }) => before !== after).map((change) => updateAnalysis(change, now));
  const events = changes.filter(isConclusion).map(({ after, refusal }) => eventOf(after, now, refusal));
  return { events, parts: [rows, relistAnalyses(changes), events.map((event) => writeOutbox(event))].flat() };
}

function updateAnalysis(change: AnalysisChange, now: Instant): TransactItem {
  const { before, after, unanswerableSince } = change;
  const ended = isConclusion(change) ? outcomeEntry(after, { id: after.id, concludedAt: now }) : undefined;
  const marked = unanswerableSince === undefined ? '' : ' AND unanswerableSince = :marked';
  return {
    Update: updateOf(analysisKey(before, before.id), {
      set: {
        situation: after.situation,
        rawStatus: brief(after.rawStatus),
        queryNumber: brief(after.queryNumber),
        sequence: after.sequence,
        concludedAt: ended && now,
        ...ended,
      },
      remove: isPending(after.situation) ? ['unanswerableSince'] : ['unanswerableSince', 'duePk', 'dueSk'],
      condition: `#situation = :before AND #sequence = :sequenceBefore${marked}`,
      values: { ':before': before.situation, ':sequenceBefore': before.sequence, ':marked': unanswerableSince },
    }),
  };
}

export const unlistOutcome = (tenancy: Tenancy, id: AnalysisId): Promise<void> =>
  updateRow({
    Key: analysisKey(tenancy, id),
    UpdateExpression: 'REMOVE listPk, listSk',
    ConditionExpression: 'attribute_exists(listPk)',
  });

export async function analysesOfLead(
  tenancy: Tenancy,
  leadId: LeadId,
): Promise<{ analyses: Analysis[]; consents: number }> {
  const listed = await readAnalysisList(tenancy, leadId);
  const ids = (listed?.analyses ?? []).map(({ id }) => id);
  return { analyses: await analysesOf(tenancy, ids), consents: listed?.consentIds.length ?? 0 };
}

export async function analysesInRows(tenancy: Tenancy, rows: readonly Item[]): Promise<Analysis[]> {
  const ids = listedAnalyses(rows).sort((a, b) => b - a);
  return analysesOf(tenancy, ids);
}

async function analysesOf(tenancy: Tenancy, ids: readonly AnalysisId[]): Promise<Analysis[]> {
  const rows = await getRows(ids.map((id) => analysisKey(tenancy, id)));
  return rows.filter((row) => row !== undefined).map(readAnalysis);
}
