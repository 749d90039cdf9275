import * as z from 'zod/mini';
import {
  type Analysis,
  type AnalysisForm,
  FIRST_STATUS,
  FORM_KEPT,
  PENDING_LIMIT,
  SUBMIT_LEASE,
} from '#shared/domain/analyses/analysis.ts';
import type { Analyses, Submission, SubmissionDraft } from '#shared/domain/analyses/ports.ts';
import type { Clock } from '#shared/domain/values/clock.ts';
import { Failure } from '#shared/domain/values/failure.ts';
import { type Claim, type IdempotencyRecord, stillRunning } from '#shared/domain/values/idempotency.ts';
import { type AnalysisId, type ConsentId, drawId, type LeadId, type SubmissionId } from '#shared/domain/values/ids.ts';
import type { Tenancy } from '#shared/domain/values/tenancy.ts';
import { leadAndRecord, noteReplay, overwriteLead, useLead } from '../leads/leads.ts';
import { beforeRetry, getRow, getRows, type Item, type TransactItem, transact, winRow } from '../rows/client.ts';
import { decrypt, encrypt } from '../rows/encryption.ts';
import {
  type ClaimRecord,
  earlierRecord,
  findRecord,
  recordAnswer,
  recordNotElsewhere,
  recordOf,
  recordOnce,
} from '../rows/idempotency.ts';
import { analysisKey, erasureKey, formKey } from '../rows/keys.ts';
import { expiryAt, unexpired } from '../rows/row-format.ts';
import { listAnalyses } from './analysis-list.ts';
import { changeParts, putAnalysis, readAnalysis } from './analysis-row.ts';
import { recordConsent } from './consents.ts';
import { indexSpouse } from './spouses.ts';

const formFormat = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));
const resumeFormat = z.object({ submissionId: z.number(), analysisIds: z.array(z.number()) });

/** Draws of ids before giving up. */
const DRAWS = 4;
/** The longest pause before a lead that changed meanwhile is read again, in milliseconds. */
const LEAD_PAUSE = 40;

/** The part of the Analyses port that takes a submission in: two transactions around the operator. */
export function tableSubmissions(clock: Clock): Pick<Analyses, 'prepare' | 'claim' | 'resume' | 'complete' | 'form'> {
  return {
    prepare: (tenancy, leadId, claim) => prepare(tenancy, leadId, claim, clock()),
    claim: (draft, claim) => claimSubmission(draft, claim, clock),
    resume: (claim, earlier) => resume(claim, earlier, clock()),

    async complete(claim, changes, answer) {
      const record = await recordOf(claim);
      const parts = changeParts(changes.filter(({ before, after }) => before !== after));
      const outcome = await transact([await recordAnswer(record, answer), ...parts]);
      if (outcome === 'written') return 'written';
      if (!outcome[0]?.failed) return 'moved_on';
      const earlier = await findRecord(record, [outcome[0].item], clock());
      if (!earlier?.answer) throw new Failure('servico_indisponivel');
      return { earlier: earlier.answer };
    },

    form: (tenancy, submissionId) => formOf(tenancy, submissionId, clock()),
  };
}

async function prepare(tenancy: Tenancy, leadId: LeadId, claim: Claim, now: number) {
  const { lead, earlier } = await leadAndRecord(tenancy, leadId, claim, now);
  if (lead && earlier?.answer && earlier.sameContent) await noteReplay(tenancy, lead, now);
  return { lead, earlier };
}

/** The first transaction; ids that are taken are drawn again. */
async function claimSubmission(draft: SubmissionDraft, claim: Claim, clock: Clock): ReturnType<Analyses['claim']> {
  const record = await recordOf(claim);
  for (let draw = 0; draw < DRAWS; draw++) {
    const now = clock();
    const submission = drawSubmission(draft, now);
    const outcome = await transact(await claimParts(draft, submission, record, now));
    if (outcome === 'written') return { done: submission };
    const [recordPart, leadPart, erasurePart] = outcome;
    const earlier = await earlierRecord(record, recordPart, outcome, now);
    if (earlier) return { earlier };
    if (erasurePart?.failed) return 'lead_gone';
    if (leadPart?.failed) {
      await beforeRetry(LEAD_PAUSE);
      return 'lead_changed';
    }
  }
  throw new Failure('servico_indisponivel');
}

/**
 * A submission with new ids: one pending analysis per bank, in the order asked for. It has the number of its first
 * analysis: where that is new, so is the submission's.
 */
function drawSubmission({ caller, lead, banks, forced, requestId }: SubmissionDraft, now: number): Submission {
  const ids = new Set<AnalysisId>();
  while (ids.size < banks.length) ids.add(drawId<AnalysisId>(now));
  const id = Number([...ids][0]) as SubmissionId;
  const analyses = [...ids].map(
    (analysisId, index): Analysis => ({
      id: analysisId,
      unitId: caller.unitId,
      environment: caller.environment,
      partnerId: caller.partnerId,
      leadId: lead.id,
      bank: banks[index]!,
      submissionId: id,
      situation: 'em_analise',
      queryNumber: '',
      rawStatus: FIRST_STATUS,
      sequence: 0,
      createdAt: now,
      forced,
      requestId,
    }),
  );
  return { id, analyses };
}

/**
 * Key, lead, that no erasure was asked for, form and its spouse, consent, the lead's list and analyses, in this order; last that the key
 * has no record elsewhere.
 */
async function claimParts(
  { caller, lead, leadToWrite, banks, form, consent }: SubmissionDraft,
  { id, analyses }: Submission,
  record: ClaimRecord,
  now: number,
): Promise<TransactItem[]> {
  const analysisIds = analyses.map((analysis) => analysis.id);
  const progress = { lockedUntil: now + SUBMIT_LEASE, resume: JSON.stringify({ submissionId: id, analysisIds }) };
  const ofForm = formKey(caller, id);
  const consentId = Number(id) as ConsentId;
  const expiresAt = latestFormEnd(now);
  return [
    await recordOnce(record, lead.id, progress, now),
    leadToWrite ? await overwriteLead(caller, leadToWrite) : useLead(caller, lead.id, lead.version),
    // Each submission would put the erasure off, which waits for what is at the banks.
    { ConditionCheck: { Key: erasureKey(caller, lead.id), ConditionExpression: 'attribute_not_exists(pk)' } },
    {
      Put: {
        Item: { ...ofForm, leadId: lead.id, expiresAt, sealed: await encrypt(ofForm, form) },
        ConditionExpression: 'attribute_not_exists(pk)',
      },
    },
    ...(await indexSpouse(caller, form, { leadId: lead.id, submissionId: id, expiresAt })),
    await recordConsent(
      caller,
      { ...consent, id: consentId, leadId: lead.id, analysisIds, banks, keyId: caller.keyId },
      now,
    ),
    listAnalyses(analyses),
    ...analyses.map(putAnalysis),
    ...recordNotElsewhere(record, now),
  ];
}

async function resume(claim: Claim, earlier: IdempotencyRecord, now: number): ReturnType<Analyses['resume']> {
  const { key } = await recordOf(claim);
  const outcome = await winRow({
    Key: key,
    UpdateExpression: 'SET lockedUntil = :until',
    ConditionExpression: 'attribute_not_exists(sealed) AND lockedUntil = :seen',
    ExpressionAttributeValues: { ':until': now + SUBMIT_LEASE, ':seen': earlier.lockedUntil },
  });
  if ('refused' in outcome) throw stillRunning(Number(outcome.refused['lockedUntil'] ?? now), now);
  const resumed = resumeFormat.parse(JSON.parse(earlier.resume ?? ''));
  const id = resumed.submissionId as SubmissionId;
  const [items, form] = await Promise.all([
    getRows(resumed.analysisIds.map((analysisId) => analysisKey(claim.tenancy, analysisId as AnalysisId))),
    formOf(claim.tenancy, id, now),
  ]);
  if (!form) return 'lead_gone';
  return { submission: { id, analyses: items.map((item) => readAnalysis(item!)) }, form };
}

/**
 * The latest moment until which the form of a submission of `now` may be kept: an analysis is pending for 30 days, and one
 * that waits longer for an answer needs no form. Written with the form, so that no outcome has to write its row again; whoever shows a form compares the outcomes'
 * own moments (`isFormExpired`).
 */
const latestFormEnd = (now: number) => expiryAt(now + PENDING_LIMIT + FORM_KEPT);

/** What went to the banks; undefined where the form is gone, or ended by `now` (milliseconds). */
export async function formOf(
  tenancy: Tenancy,
  submissionId: SubmissionId,
  now: number,
): Promise<AnalysisForm | undefined> {
  const item = unexpired(await getRow(formKey(tenancy, submissionId)), now);
  return item && openForm(item);
}

/** The form of a row. */
export const openForm = ({ pk, sk, sealed }: Item): Promise<AnalysisForm> =>
  decrypt({ pk: String(pk), sk: String(sk) }, sealed, formFormat);
