import * as z from 'zod';
import {
  type Analysis,
  type AnalysisForm,
  FIRST_STATUS,
  isPending,
  pollBucket,
  SITUATIONS,
  SUBMIT_LEASE,
} from '../domain/analyses/analysis.ts';
import type { Analyses, AnalysisChange, LeadAnalysis, Submission } from '../domain/analyses/ports.ts';
import { BANKS } from '../domain/values/bank.ts';
import type { Clock } from '../domain/values/clock.ts';
import { Failure } from '../domain/values/failure.ts';
import { type AnalysisId, type ConsentId, drawId, type SubmissionId } from '../domain/values/ids.ts';
import { ENVIRONMENTS, type Tenancy } from '../domain/values/tenancy.ts';
import { logError } from '../runtime/log.ts';
import {
  getRow,
  getRows,
  type Item,
  jitteredPause,
  queryAllRows,
  queryRows,
  type TransactItem,
  transact,
  updateRow,
} from './client.ts';
import { recordConsent } from './consents.ts';
import { writeOutbox } from './deliveries.ts';
import { decrypt, encrypt } from './encryption.ts';
import { claimKey, readRecord, recordAnswer, recordOnce } from './idempotency.ts';
import {
  analysisKey,
  analysisList,
  analysisListPartition,
  formKey,
  leadKey,
  pendingDue,
  pendingFrom,
  pendingPartition,
} from './keys.ts';
import { noteReplay, overwriteLead, readLead } from './leads.ts';

const rowFormat = z.object({
  id: z.number(),
  unitId: z.number(),
  environment: z.enum(ENVIRONMENTS),
  partnerId: z.number(),
  leadId: z.number(),
  bank: z.enum(BANKS),
  submissionId: z.number(),
  situation: z.enum(SITUATIONS),
  queryNumber: z.string(),
  rawStatus: z.string(),
  sequence: z.number(),
  createdAt: z.number(),
  forced: z.string().optional(),
  requestId: z.string().optional(),
});

const listFormat = rowFormat.pick({ id: true, bank: true, situation: true }) as unknown as z.ZodType<LeadAnalysis>;
const formFormat = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));
const resumeFormat = z.object({ submissionId: z.number(), analysisIds: z.array(z.number()) });

/** A row must stay within 1 KB, and an event within 4: what a bank says is kept up to this many characters. */
const LONGEST_STATUS = 200;
/** Draws of ids before giving up. */
const DRAWS = 4;
/** The longest pause before a lead that changed meanwhile is read again, in milliseconds. */
const LEAD_PAUSE = 40;
/** Rows of the pending index read in one page. */
const PAGE = 500;

const readAnalysis = (item: Item) => rowFormat.parse(item) as unknown as Analysis;
/** The row's analysis; none where it cannot be read, so that one such row does not keep all behind it from being asked about. */
function readable(item: Item): Analysis[] {
  try {
    return [readAnalysis(item)];
  } catch (error) {
    logError('row_unreadable', error, { analysis: Number(item['id']) });
    return [];
  }
}
const brief = (text: string) => text.slice(0, LONGEST_STATUS);

/** The parts of a transaction that change a pending analysis, and only a pending one, and book its event. */
function changeParts({ before, after, delivery }: AnalysisChange): TransactItem[] {
  const update: TransactItem = {
    Update: {
      Key: analysisKey(before, before.id),
      UpdateExpression: `SET situation = :situation, rawStatus = :rawStatus, queryNumber = :queryNumber, #sequence = :sequence${
        isPending(after.situation) ? '' : ' REMOVE duePk, dueSk'
      }`,
      ConditionExpression: 'situation = :before AND #sequence = :sequenceBefore',
      ExpressionAttributeNames: { '#sequence': 'sequence' },
      ExpressionAttributeValues: {
        ':situation': after.situation,
        ':rawStatus': brief(after.rawStatus),
        ':queryNumber': brief(after.queryNumber),
        ':sequence': after.sequence,
        ':before': before.situation,
        ':sequenceBefore': before.sequence,
      },
    },
  };
  return delivery ? [update, writeOutbox(delivery)] : [update];
}

export function tableAnalyses(clock: Clock): Analyses {
  async function analysesOf(tenancy: Tenancy, submissionId: SubmissionId, ids: readonly number[]): Promise<Submission> {
    const items = await getRows(ids.map((id) => analysisKey(tenancy, id as AnalysisId)));
    return { id: submissionId, analyses: items.map((item) => readAnalysis(item!)) };
  }

  async function formOf(tenancy: Tenancy, submissionId: SubmissionId): Promise<AnalysisForm | undefined> {
    const key = formKey(tenancy, submissionId);
    const item = await getRow(key);
    return item && decrypt(key, item['sealed'], formFormat);
  }

  return {
    form: formOf,

    async prepare(tenancy, leadId, claim) {
      const record = await claimKey(tenancy, claim);
      const [leadItem, recordItem] = await getRows([leadKey(tenancy, leadId), record]);
      const found = leadItem && (await readLead(tenancy, leadItem));
      const earlier = await readRecord(tenancy, claim, record, recordItem, clock());
      if (found && earlier?.answer && earlier.sameContent) await noteReplay(tenancy, found, clock());
      return { lead: found, earlier };
    },

    async claim({ caller, lead, leadToWrite, banks, form, consent, claim, forced, requestId }) {
      const record = await claimKey(caller, claim);
      for (let draw = 0; draw < DRAWS; draw++) {
        const now = clock();
        const submissionId = drawId<SubmissionId>(now);
        const ids = new Set<AnalysisId>();
        while (ids.size < banks.length) ids.add(drawId<AnalysisId>(now));
        const analyses = [...ids].map(
          (id, index): Analysis => ({
            id,
            unitId: caller.unitId,
            environment: caller.environment,
            partnerId: caller.partnerId,
            leadId: lead.id,
            bank: banks[index]!,
            submissionId,
            situation: 'em_analise',
            queryNumber: '',
            rawStatus: FIRST_STATUS,
            sequence: 0,
            createdAt: now,
            forced,
            requestId,
          }),
        );
        const sealedForm = formKey(caller, submissionId);
        const outcome = await transact([
          await recordOnce(
            caller,
            claim,
            record,
            { lockedUntil: now + SUBMIT_LEASE, resume: JSON.stringify({ submissionId, analysisIds: [...ids] }) },
            now,
          ),
          leadToWrite
            ? await overwriteLead(caller, leadToWrite)
            : {
                ConditionCheck: {
                  Key: leadKey(caller, lead.id),
                  ConditionExpression: 'version = :version',
                  ExpressionAttributeValues: { ':version': lead.version },
                },
              },
          {
            Put: {
              Item: { ...sealedForm, leadId: lead.id, sealed: await encrypt(sealedForm, form) },
              ConditionExpression: 'attribute_not_exists(pk)',
            },
          },
          await recordConsent(
            caller,
            {
              ...consent,
              id: drawId<ConsentId>(now),
              leadId: lead.id,
              analysisIds: [...ids],
              banks,
              keyId: caller.keyId,
            },
            now,
          ),
          ...analyses.map((analysis) => ({
            Put: {
              Item: {
                ...analysisKey(caller, analysis.id),
                ...analysisList(caller, lead.id, analysis.id),
                ...pendingDue(pollBucket(analysis.id), now, analysis.id),
                ...analysis,
              },
              ConditionExpression: 'attribute_not_exists(pk)',
            },
          })),
        ]);
        if (outcome === 'written') return { done: { id: submissionId, analyses } };
        const earlier = outcome[0]!.failed ? await readRecord(caller, claim, record, outcome[0]!.item, now) : undefined;
        if (earlier) return { earlier };
        if (outcome[1]!.failed) {
          await jitteredPause(LEAD_PAUSE);
          return 'lead_changed';
        }
      }
      throw new Failure('servico_indisponivel');
    },

    async resume(tenancy, claim, earlier) {
      const now = clock();
      const record = await claimKey(tenancy, claim);
      const outcome = await updateRow({
        Key: record,
        UpdateExpression: 'SET lockedUntil = :until',
        ConditionExpression: 'attribute_not_exists(sealed) AND lockedUntil = :seen',
        ExpressionAttributeValues: {
          ':until': now + SUBMIT_LEASE,
          ':seen': earlier.lockedUntil,
        },
      });
      if ('refused' in outcome) throw new Failure('idempotencia_em_andamento');
      const { submissionId, analysisIds } = resumeFormat.parse(JSON.parse(earlier.resume ?? ''));
      const id = submissionId as SubmissionId;
      const [found, form] = await Promise.all([analysesOf(tenancy, id, analysisIds), formOf(tenancy, id)]);
      if (!form) throw new Error(`submission ${id} has no form`);
      return { submission: found, form };
    },

    async complete(tenancy, claim, all, answer) {
      const record = await claimKey(tenancy, claim);
      const changes = all.flatMap((change) => (change.before === change.after ? [] : changeParts(change)));
      const outcome = await transact([await recordAnswer(record, answer), ...changes]);
      if (outcome === 'written') return 'written';
      if (!outcome[0]!.failed) return 'moved_on';
      const earlier = await readRecord(tenancy, claim, record, outcome[0]!.item, clock());
      if (!earlier?.answer) throw new Failure('servico_indisponivel');
      return { earlier: earlier.answer };
    },

    async acquireSubmitLease(analysis, asked) {
      const outcome = await updateRow({
        Key: analysisKey(analysis, analysis.id),
        UpdateExpression: 'SET submitLeaseUntil = :until',
        // Whoever took it before `asked` had sent by then, and the operator would have known.
        ConditionExpression:
          'situation = :pending AND queryNumber = :none AND (attribute_not_exists(submitLeaseUntil) OR submitLeaseUntil <= :asked)',
        ExpressionAttributeValues: {
          ':until': clock() + SUBMIT_LEASE,
          ':pending': 'em_analise',
          ':none': '',
          ':asked': asked,
        },
      });
      return 'written' in outcome;
    },

    async get(tenancy, id) {
      const item = await getRow(analysisKey(tenancy, id));
      return item && readAnalysis(item);
    },

    async ofLead(tenancy, leadId) {
      const [owner, items] = await Promise.all([
        getRow(leadKey(tenancy, leadId)),
        queryAllRows({
          IndexName: 'byList',
          KeyConditionExpression: 'listPk = :pk',
          ExpressionAttributeValues: { ':pk': analysisListPartition(tenancy, leadId) },
          ScanIndexForward: false,
        }),
      ]);
      return owner && items.map((item) => listFormat.parse(item));
    },

    async pending(bucket, { from, to }, after) {
      const output = await queryRows({
        IndexName: 'byDue',
        KeyConditionExpression: 'duePk = :pk AND dueSk BETWEEN :from AND :to',
        ExpressionAttributeValues: {
          ':pk': pendingPartition(bucket),
          ':from': pendingFrom(from),
          ':to': pendingFrom(to),
        },
        ExclusiveStartKey: after === undefined ? undefined : JSON.parse(after),
        Limit: PAGE,
      });
      return {
        items: (output.Items ?? []).flatMap(readable),
        next: output.LastEvaluatedKey && JSON.stringify(output.LastEvaluatedKey),
      };
    },

    async conclude(change) {
      return (await transact(changeParts(change))) === 'written';
    },

    async note(analysis, queryNumber, rawStatus) {
      await updateRow({
        Key: analysisKey(analysis, analysis.id),
        UpdateExpression: 'SET queryNumber = :queryNumber, rawStatus = :rawStatus',
        ConditionExpression: 'situation = :pending',
        ExpressionAttributeValues: {
          ':queryNumber': brief(queryNumber),
          ':rawStatus': brief(rawStatus),
          ':pending': 'em_analise',
        },
      });
    },
  };
}
