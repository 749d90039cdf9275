import * as z from 'zod/mini';
import {
  type Analysis,
  type AnalysisForm,
  earliestWithdrawal,
  FIRST_STATUS,
  FORM_KEPT,
  PENDING_LIMIT,
  SUBMIT_LEASE,
} from '#shared/domain/analyses/analysis.ts';
import type {
  Analyses,
  AnalysisChange,
  AnalysisEventOf,
  SubmissionDraft,
  Written,
} from '#shared/domain/analyses/ports.ts';
import type { Clock } from '#shared/domain/values/clock.ts';
import { Failure } from '#shared/domain/values/failure.ts';
import { type Answer, type Claim, type IdempotentResult, stillRunning } from '#shared/domain/values/idempotency.ts';
import {
  type AnalysisId,
  type ConsentId,
  drawId,
  idOf,
  type LeadId,
  type SubmissionId,
} from '#shared/domain/values/ids.ts';
import type { Tenancy } from '#shared/domain/values/tenancy.ts';
import type { EpochSeconds, Instant, Milliseconds } from '#shared/domain/values/time.ts';
import { SafeError } from '#shared/runtime/log.ts';
import { beforeRetry, getRow, getRows, type Item, transactNamed, winRow } from '../rows/client.ts';
import { checkCutoff, refusingCutoff } from '../rows/consent-cutoff.ts';
import { decrypt, encrypt } from '../rows/encryption.ts';
import {
  type KeptRecord,
  type KeyRecord,
  readRecord,
  recordAnswer,
  recordOf,
  takeKey,
  takenBy,
} from '../rows/idempotency.ts';
import { analysisKey, erasureKey, formKey } from '../rows/keys.ts';
import {
  countLeadUse,
  type LeadAndRecord,
  noteReplay,
  notWithdrawnSince,
  overwriteLead,
  readLeadAndRecord,
} from '../rows/living-lead.ts';
import { expiryAt, numberOf, unexpired } from '../rows/row-format.ts';
import { listAnalyses } from './analysis-list.ts';
import { putAnalysis, readAnalysis, writeChanges } from './analysis-row.ts';
import { recordConsent } from './consents.ts';
import { hasSpouseRow, indexSpouse } from './spouses.ts';

const formFormat = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));
const resumeFormat = z.object({
  submissionId: numberOf<SubmissionId>(),
  analysisIds: z.array(numberOf<AnalysisId>()),
});

const DRAWS = 4;
const LEAD_PAUSE: Milliseconds = 40;

/** Without the transaction of `claim`, a run that dies would leave a credit query that is stored nowhere. */
export class TableSubmissions implements Pick<Analyses, 'prepare' | 'claim' | 'resume' | 'complete' | 'form'> {
  protected readonly clock: Clock;
  protected readonly eventOf: AnalysisEventOf;

  constructor(clock: Clock, eventOf: AnalysisEventOf) {
    this.clock = clock;
    this.eventOf = eventOf;
  }

  async prepare(leadId: LeadId, claim: Claim): Promise<LeadAndRecord & { readonly key: KeyRecord }> {
    const { tenancy } = claim;
    const now = this.clock();
    const record = await recordOf(claim);
    const { lead, earlier, key = record } = await readLeadAndRecord(tenancy, leadId, record, now);
    if (lead && earlier?.answer && earlier.sameContent) await noteReplay(tenancy, lead, now);
    return { lead, earlier, key };
  }

  async claim(
    draft: SubmissionDraft,
    key: KeyRecord,
  ): Promise<IdempotentResult<readonly Analysis[]> | { readonly cutoff: Instant } | 'lead_changed' | 'lead_gone'> {
    for (let draw = 0; draw < DRAWS; draw++) {
      const now = this.clock();
      const drawn = drawSubmission(draft, now);
      const outcome = await transactNamed(await claimParts(draft, drawn, key, now));
      if (outcome === 'written') return { done: drawn.analyses };
      const earlier = await takenBy(key, outcome.key);
      if (earlier) return { earlier };
      if (outcome.erasure) return 'lead_gone';
      if (outcome.lead) {
        await beforeRetry(LEAD_PAUSE);
        return 'lead_changed';
      }
      const cutoff = refusingCutoff(outcome.cutoff);
      if (cutoff !== undefined) return { cutoff };
      // Another row has one of the drawn ids.
    }
    throw new Failure('servico_indisponivel');
  }

  async resume(
    earlier: KeptRecord,
  ): Promise<{ readonly analyses: readonly Analysis[]; readonly key: KeyRecord } | 'lead_gone'> {
    const { key } = earlier;
    const { tenancy } = key.claim;
    const now = this.clock();
    const outcome = await winRow({
      Key: key.row.here.key,
      UpdateExpression: 'SET lockedUntil = :until',
      ConditionExpression: 'attribute_not_exists(sealed) AND lockedUntil = :seen',
      ExpressionAttributeValues: { ':until': now + SUBMIT_LEASE, ':seen': earlier.lockedUntil },
    });
    if ('refused' in outcome) throw stillRunning(Number(outcome.refused['lockedUntil'] ?? now), now);
    const { submissionId, analysisIds } = resumeFormat.parse(JSON.parse(earlier.resume ?? ''));
    const [items, form] = await Promise.all([
      getRows(analysisIds.map((analysisId) => analysisKey(tenancy, analysisId))),
      formOf(tenancy, submissionId, now),
    ]);
    if (!form) return 'lead_gone';
    const analyses = items.map((item) => {
      if (!item) throw new Error(`an analysis of submission ${submissionId} is gone`);
      return readAnalysis(item);
    });
    return { analyses, key };
  }

  async complete(
    key: KeyRecord,
    changes: readonly AnalysisChange[],
    answer: Answer,
  ): Promise<Written | 'moved_on' | { readonly earlier: Answer }> {
    const { events, parts } = writeChanges(changes, this.eventOf, this.clock());
    const outcome = await transactNamed({ key: await recordAnswer(key, answer), changes: parts });
    if (outcome === 'written') return { events };
    if (!outcome.key) return 'moved_on';
    const earlier = await readRecord(key, outcome.key.row);
    if (!earlier?.answer) throw new Failure('servico_indisponivel');
    return { earlier: earlier.answer };
  }

  form(tenancy: Tenancy, submissionId: SubmissionId): Promise<AnalysisForm | undefined> {
    return formOf(tenancy, submissionId, this.clock());
  }
}

/** The submission has the number of its first analysis: if that number is new, so is the submission's. */
function drawSubmission({ caller, lead, banks, forced, requestId }: SubmissionDraft, now: Instant) {
  const firstId = drawId<AnalysisId>(now);
  const submissionId = idOf<SubmissionId>(firstId);
  const drawn = new Set<AnalysisId>();
  const analyses = banks.map((bank): Analysis => {
    const analysisId = drawn.size === 0 ? firstId : drawAnother(drawn, now);
    drawn.add(analysisId);
    return {
      id: analysisId,
      unitId: caller.unitId,
      environment: caller.environment,
      partnerId: caller.partnerId,
      leadId: lead.id,
      bank,
      submissionId,
      situation: 'em_analise',
      queryNumber: '',
      rawStatus: FIRST_STATUS,
      sequence: 0,
      createdAt: now,
      forced,
      requestId,
    };
  });
  return { submissionId, analyses };
}

function drawAnother(drawn: ReadonlySet<AnalysisId>, now: Instant): AnalysisId {
  const id = drawId<AnalysisId>(now);
  return drawn.has(id) ? drawAnother(drawn, now) : id;
}

async function claimParts(
  { caller, lead, leadToWrite, banks, form, consent }: SubmissionDraft,
  { submissionId, analyses }: ReturnType<typeof drawSubmission>,
  key: KeyRecord,
  now: Instant,
) {
  const analysisIds = analyses.map(({ id }) => id);
  const progress = { lockedUntil: now + SUBMIT_LEASE, resume: JSON.stringify({ submissionId, analysisIds }) };
  const ofForm = formKey(caller, submissionId);
  const expiresAt = latestFormEnd(now);
  const evidence = {
    ...consent,
    id: idOf<ConsentId>(submissionId),
    leadId: lead.id,
    analysisIds,
    banks,
    keyId: caller.keyId,
  };
  const consentedAt = Date.parse(consent.givenAt);
  // Claims and withdrawals both write or check the lead's row. An earlier withdrawal refuses this claim. This claim
  // refuses a withdrawal that has read the lead before, so that the withdrawal's answer names these analyses.
  const stands = notWithdrawnSince(earliestWithdrawal(consentedAt));
  return {
    key: await takeKey(key, lead.id, progress, now),
    lead: leadToWrite
      ? await overwriteLead(caller, leadToWrite, stands)
      : countLeadUse(caller, lead.id, lead.version, stands),
    // An erasure marks the lead only when no analysis is pending. Each new submission would delay the mark.
    erasure: { ConditionCheck: { Key: erasureKey(caller, lead.id), ConditionExpression: 'attribute_not_exists(pk)' } },
    cutoff: await checkCutoff(caller, lead.cpf, consentedAt, now),
    form: {
      Put: {
        Item: { ...ofForm, leadId: lead.id, expiresAt, sealed: await encrypt(ofForm, form) },
        ConditionExpression: 'attribute_not_exists(pk)',
      },
    },
    consent: await recordConsent(caller, evidence, now),
    list: listAnalyses(analyses),
    spouse: await indexSpouse(caller, form, { leadId: lead.id, submissionId, expiresAt }),
    analyses: analyses.map((analysis) => putAnalysis(analysis, consentedAt)),
  };
}

/**
 * An analysis that is pending for more than 30 days needs no form: the next answer ends it. The latest end is written
 * with the form, so that no outcome has to write the form's row again. Before a form is shown, `isFormExpired` compares
 * the real ends of the analyses.
 */
const latestFormEnd = (now: Instant): EpochSeconds => expiryAt(now + PENDING_LIMIT + FORM_KEPT);

/** Undefined if the form has ended by `now`. Throws a SafeError if it names a spouse who was erased. */
export async function formOf(
  tenancy: Tenancy,
  submissionId: SubmissionId,
  now: Instant,
): Promise<AnalysisForm | undefined> {
  for (let reads = 1; ; reads++) {
    const item = unexpired(await getRow(formKey(tenancy, submissionId)), now);
    const form = item && (await openForm(item));
    if (!form || (await hasSpouseRow(tenancy, form, submissionId))) return form;
    // An erasure of the spouse between the two reads changes the form.
    if (reads === 2) throw new SafeError(`the form of submission ${submissionId} names a spouse who was erased`);
  }
}

/** Only for erasures and rewriting. Other code reads a form by `formOf`. */
export const openForm = ({ pk, sk, sealed }: Item): Promise<AnalysisForm> =>
  decrypt({ pk: String(pk), sk: String(sk) }, sealed, formFormat);
