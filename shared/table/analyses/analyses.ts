import * as z from 'zod/mini';
import { type Analysis, SUBMIT_LEASE } from '#shared/domain/analyses/analysis.ts';
import type { Analyses, Cursors } from '#shared/domain/analyses/ports.ts';
import { NO_LEASE } from '#shared/domain/analyses/unsent-watch.ts';
import { BANKS } from '#shared/domain/values/bank.ts';
import type { Clock } from '#shared/domain/values/clock.ts';
import type { Unopened } from '#shared/domain/values/idempotency.ts';
import type { AnalysisId } from '#shared/domain/values/ids.ts';
import { ENVIRONMENTS, type Tenancy } from '#shared/domain/values/tenancy.ts';
import type { Primable } from '#shared/runtime/deadline.ts';
import { getRow, putRow, queryPage, transact, updateRow, winRow } from '../rows/client.ts';
import { primeEncryption } from '../rows/encryption.ts';
import { analysisKey, cursorKey, erasureKey, pendingFrom, pendingPartition } from '../rows/keys.ts';
import { readLivingList } from './analysis-list.ts';
import { brief, changeParts, readAnalysis, readableAnalyses } from './analysis-row.ts';
import { tableSubmissions } from './submissions.ts';

/** Rows of the pending index read in one page. */
const PAGE = 500;

export function tableAnalyses(clock: Clock): Analyses & Primable {
  return {
    prime: primeEncryption,
    ...tableSubmissions(clock),

    async acquireSubmitLease(analysis, seen) {
      // The mark of the write that took it is the lease: no other conditional update is made on an analysis's row.
      const unchanged = seen === NO_LEASE ? 'attribute_not_exists(nonce)' : 'nonce = :seen';
      const outcome = await winRow({
        Key: analysisKey(analysis, analysis.id),
        // For a former version that runs beside this one while it is released.
        UpdateExpression: 'SET submitLeaseUntil = :until',
        ConditionExpression: `situation = :pending AND queryNumber = :none AND ${unchanged}`,
        ExpressionAttributeValues: {
          ':until': clock() + SUBMIT_LEASE,
          ':pending': 'em_analise',
          ':none': '',
          ...(seen !== NO_LEASE && { ':seen': seen }),
        },
      });
      if ('written' in outcome) return { lease: String(outcome.written['nonce']), isMine: true };
      const { situation, queryNumber, nonce = NO_LEASE } = outcome.refused;
      return situation === 'em_analise' && queryNumber === '' ? { lease: String(nonce), isMine: false } : undefined;
    },

    async isToBeErased(analysis) {
      return (await getRow(erasureKey(analysis, analysis.leadId))) !== undefined;
    },

    find: findAnalysis,

    async get(tenancy, id) {
      return (await findAnalysis(tenancy, id))?.open();
    },

    async ofLead(tenancy, leadId) {
      return (await readLivingList(tenancy, leadId))?.analyses;
    },

    async pending(partition, { from, to }, after) {
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
      return { items: items.flatMap(readableAnalyses), next };
    },

    async conclude(change) {
      return (await transact(changeParts([change]))) === 'written';
    },

    async note(analysis, queryNumber, rawStatus) {
      const outcome = await updateRow({
        Key: analysisKey(analysis, analysis.id),
        UpdateExpression: 'SET queryNumber = :queryNumber, rawStatus = :rawStatus REMOVE unanswerableSince',
        ConditionExpression: 'situation = :pending',
        ExpressionAttributeValues: {
          ':queryNumber': brief(queryNumber),
          ':rawStatus': brief(rawStatus),
          ':pending': 'em_analise',
        },
      });
      return 'written' in outcome;
    },

    async markUnanswerable(analysis, since) {
      await updateRow({
        Key: analysisKey(analysis, analysis.id),
        ...(since === undefined
          ? {
              UpdateExpression: 'REMOVE unanswerableSince',
              ConditionExpression: 'situation = :pending',
              ExpressionAttributeValues: { ':pending': 'em_analise' },
            }
          : {
              UpdateExpression: 'SET unanswerableSince = :since',
              // Of two runs that overlap, the first to find out says since when.
              ConditionExpression: 'situation = :pending AND attribute_not_exists(unanswerableSince)',
              ExpressionAttributeValues: { ':pending': 'em_analise', ':since': since },
            }),
      });
    },
  };
}

async function findAnalysis(tenancy: Tenancy, id: AnalysisId): Promise<Unopened<Analysis> | undefined> {
  const item = await getRow(analysisKey(tenancy, id));
  return item && { open: async () => readAnalysis(item) };
}

const partitionFormat = z.object({ environment: z.enum(ENVIRONMENTS), bank: z.enum(BANKS), bucket: z.int() });
const rowFormat = z.object({
  through: z.int(),
  owed: z.array(z.extend(partitionFormat, { from: z.number(), to: z.number(), dueAt: z.number() })),
  begin: z.array(z.extend(partitionFormat, { at: z.number() })),
});

/** One row a job: some 100 bytes, and as many for each stretch of a partition that is left over. */
export function tableCursors(): Cursors {
  return {
    async read(job) {
      // What another version wrote is no cursor: the run then takes everything as due.
      return rowFormat.safeParse(await getRow(cursorKey(job))).data;
    },
    async write(job, { through, owed, begin }) {
      await putRow({ Item: { ...cursorKey(job), through, owed, begin } });
    },
  };
}
