import * as z from 'zod/mini';
import { type Analysis, isWithdrawn } from '#shared/domain/analyses/analysis.ts';
import { AGES, type PollCursor } from '#shared/domain/analyses/poll-cursor.ts';
import type { PollPartition } from '#shared/domain/analyses/poll-schedule.ts';
import type {
  Analyses,
  AnalysisChange,
  Cursors,
  LeadAnalysis,
  OutcomePage,
  OutcomeQuery,
  Written,
} from '#shared/domain/analyses/ports.ts';
import { NO_LEASE, type SubmitLease } from '#shared/domain/analyses/unsent-watch.ts';
import { BANKS } from '#shared/domain/values/bank.ts';
import type { Unopened } from '#shared/domain/values/idempotency.ts';
import type { AnalysisId, LeadId } from '#shared/domain/values/ids.ts';
import { ENVIRONMENTS, type Page, type Tenancy } from '#shared/domain/values/tenancy.ts';
import type { Instant } from '#shared/domain/values/time.ts';
import type { Primable } from '#shared/runtime/deadline.ts';
import { logError } from '#shared/runtime/log.ts';
import {
  getRow,
  getRows,
  neverOwn,
  putRow,
  queryPage,
  queryRows,
  transact,
  updateRecognised,
  updateRow,
  winRow,
} from '../rows/client.ts';
import { primeEncryption } from '../rows/encryption.ts';
import {
  analysisKey,
  cursorKey,
  erasureKey,
  leadKey,
  outcomeEntry,
  outcomePartition,
  outcomePlaceIn,
  pendingFrom,
  pendingPartition,
} from '../rows/keys.ts';
import { leadTrace } from '../rows/living-lead.ts';
import { readLivingList } from './analysis-list.ts';
import { analysisFormat, brief, consentMoment, readAnalysis, readableAnalysis, writeChanges } from './analysis-row.ts';
import { TableSubmissions } from './submissions.ts';

const PAGE = 500;
/** Entries that one call reads when it filters by situation. */
const SEARCHED = 1_000;

const listedOutcome = z.pick(analysisFormat, { bank: true, situation: true, createdAt: true });

export class TableAnalyses extends TableSubmissions implements Analyses, Primable {
  prime(): Promise<void> {
    return primeEncryption();
  }

  async acquireSubmitLease(
    analysis: Analysis,
    seen: SubmitLease,
  ): Promise<{ readonly lease: SubmitLease; readonly isMine: boolean } | undefined> {
    // The row's nonce is the lease, since a time in the row would compare the clocks of two machines. Only this update
    // writes the nonce.
    const unchanged = seen === NO_LEASE ? 'attribute_not_exists(nonce)' : 'nonce = :seen';
    const outcome = await winRow({
      Key: analysisKey(analysis, analysis.id),
      ConditionExpression: `situation = :pending AND queryNumber = :none AND ${unchanged}`,
      ExpressionAttributeValues: {
        ':pending': 'em_analise',
        ':none': '',
        ':seen': seen === NO_LEASE ? undefined : seen,
      },
    });
    if ('written' in outcome) return { lease: String(outcome.written['nonce']), isMine: true };
    const { situation, queryNumber, nonce = NO_LEASE } = outcome.refused;
    return situation === 'em_analise' && queryNumber === '' ? { lease: String(nonce), isMine: false } : undefined;
  }

  async isToBeErased(analysis: Analysis): Promise<boolean> {
    return (await getRow(erasureKey(analysis, analysis.leadId))) !== undefined;
  }

  async isConsentWithdrawn(analysis: Analysis): Promise<boolean> {
    const [lead, row] = await Promise.all([
      getRow(leadKey(analysis, analysis.leadId)),
      getRow(analysisKey(analysis, analysis.id)),
    ]);
    return lead && row ? isWithdrawn(consentMoment(row), leadTrace.parse(lead).consentWithdrawnAt) : false;
  }

  async find(tenancy: Tenancy, id: AnalysisId): Promise<Unopened<Analysis> | undefined> {
    const item = await getRow(analysisKey(tenancy, id));
    return item && { open: async () => readAnalysis(item) };
  }

  async get(tenancy: Tenancy, id: AnalysisId): Promise<Analysis | undefined> {
    return (await this.find(tenancy, id))?.open();
  }

  async findAmong(tenancies: readonly Tenancy[], id: AnalysisId): Promise<Analysis | undefined> {
    const rows = await getRows(tenancies.map((tenancy) => analysisKey(tenancy, id)));
    const item = rows.find((row) => row !== undefined);
    return item && readAnalysis(item);
  }

  async ofLead(tenancy: Tenancy, leadId: LeadId): Promise<readonly LeadAnalysis[] | undefined> {
    return (await readLivingList(tenancy, leadId))?.analyses;
  }

  async outcomes(tenancy: Tenancy, { after, situation, limit }: OutcomeQuery): Promise<OutcomePage> {
    const { Items = [], LastEvaluatedKey } = await queryRows({
      IndexName: 'byList',
      KeyConditionExpression: 'listPk = :pk AND listSk > :after',
      FilterExpression: situation && 'situation = :situation',
      ExpressionAttributeValues: {
        ':pk': outcomePartition(tenancy),
        ':after': outcomeEntry(tenancy, after).listSk,
        ':situation': situation,
      },
      Limit: situation ? SEARCHED : limit + 1,
    });
    const page = Items.slice(0, limit);
    const last = Items.length > limit ? page.at(-1) : LastEvaluatedKey;
    const items = page.flatMap((item) => {
      const place = outcomePlaceIn(item['listSk']);
      const { data, error } = listedOutcome.safeParse(item);
      if (!data) logError('row_unreadable', error, { analysis: place.id });
      return data ? [{ ...data, ...place }] : [];
    });
    return { items, next: last && outcomePlaceIn(last['listSk']) };
  }

  async pending(
    partition: PollPartition,
    { from, to }: { from: Instant; to: Instant },
    after?: string,
  ): Promise<Page<Analysis>> {
    const query = {
      IndexName: 'byDue',
      KeyConditionExpression: 'duePk = :pk AND dueSk BETWEEN :from AND :to',
      ExpressionAttributeValues: {
        ':pk': pendingPartition(partition),
        ':from': pendingFrom(from),
        ':to': pendingFrom(to),
      },
      Limit: PAGE,
    };
    const { items, next } = await queryPage(query, after);
    return { items: items.map(readableAnalysis).filter((analysis) => analysis !== undefined), next };
  }

  async conclude(change: AnalysisChange): Promise<Written | 'moved_on'> {
    const { events, parts } = writeChanges([change], this.eventOf, this.clock());
    return (await transact(parts)) === 'written' ? { events } : 'moved_on';
  }

  async note(analysis: Analysis, queryNumber: string, rawStatus: string): Promise<boolean> {
    const update = {
      Key: analysisKey(analysis, analysis.id),
      UpdateExpression: 'SET queryNumber = :queryNumber, rawStatus = :rawStatus REMOVE unanswerableSince',
      ConditionExpression: 'situation = :pending',
      ExpressionAttributeValues: {
        ':queryNumber': brief(queryNumber),
        ':rawStatus': brief(rawStatus),
        ':pending': 'em_analise',
      },
    };
    // The row's nonce is the lease, so this update must not change the nonce.
    const outcome = await updateRecognised(update, neverOwn);
    return 'written' in outcome;
  }

  async markUnanswerable(analysis: Analysis, since: Instant | undefined): Promise<void> {
    if (since === undefined) return unmark(analysis);
    await updateRow({
      Key: analysisKey(analysis, analysis.id),
      UpdateExpression: 'SET unanswerableSince = :since',
      // If two runs overlap, the first moment stays.
      ConditionExpression: 'situation = :pending AND attribute_not_exists(unanswerableSince)',
      ExpressionAttributeValues: { ':pending': 'em_analise', ':since': since },
    });
  }
}

function unmark(analysis: Analysis): Promise<void> {
  return updateRow({
    Key: analysisKey(analysis, analysis.id),
    UpdateExpression: 'REMOVE unanswerableSince',
    ConditionExpression: 'situation = :pending',
    ExpressionAttributeValues: { ':pending': 'em_analise' },
  });
}

const cursorFormat = z.object({
  since: z.int(),
  through: z.int(),
  cut: z.array(
    z.object({
      environment: z.enum(ENVIRONMENTS),
      bank: z.enum(BANKS),
      age: z.enum(AGES),
      bucket: z.int(),
      at: z.number(),
      begun: z.int(),
      through: z.record(z.string(), z.int()),
    }),
  ),
});

/** A cursor's row has some 100 bytes, and up to 200 more for each lane that is cut. */
export class TableCursors implements Cursors {
  async read(job: string): Promise<PollCursor | undefined> {
    // A row that another version of this service wrote counts as no cursor. The run then takes everything as due.
    return cursorFormat.safeParse(await getRow(cursorKey(job))).data;
  }

  async write(job: string, { since, through, cut }: PollCursor): Promise<void> {
    await putRow({ Item: { ...cursorKey(job), since, through, cut } });
  }
}
