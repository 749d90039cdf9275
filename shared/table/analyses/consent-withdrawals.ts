import * as z from 'zod/mini';
import {
  CONSENT_KEPT,
  type ConsentWithdrawal,
  isPending,
  isWithdrawn,
  withdrawalMoment,
} from '#shared/domain/analyses/analysis.ts';
import type {
  AffectedAnalysis,
  ConsentWithdrawals,
  KeyedWithdrawal,
  RecordedWithdrawal,
  WithdrawalDraft,
} from '#shared/domain/analyses/ports.ts';
import type { Clock } from '#shared/domain/values/clock.ts';
import { Failure } from '#shared/domain/values/failure.ts';
import type { IdempotentResult } from '#shared/domain/values/idempotency.ts';
import { drawId, idTime, type KeyId, type LeadId, type WithdrawalId } from '#shared/domain/values/ids.ts';
import type { Tenancy } from '#shared/domain/values/tenancy.ts';
import type { Instant, Milliseconds } from '#shared/domain/values/time.ts';
import type { Primable } from '#shared/runtime/deadline.ts';
import {
  beforeRetry,
  getRows,
  type Item,
  type NewestPage,
  newestRows,
  queryRows,
  type TransactItem,
  transactNamed,
} from '../rows/client.ts';
import { decrypt, encrypt, ifItOpens, primeEncryption } from '../rows/encryption.ts';
import { recordOf, takeKey, takenBy } from '../rows/idempotency.ts';
import { analysisKey, consentPartition, leadKey, WITHDRAWALS, withdrawalKey } from '../rows/keys.ts';
import { leadTrace, noteWithdrawal, readLeadAndRecord } from '../rows/living-lead.ts';
import { expiryAt, type FieldsOf, numberOf, textOf, unexpired } from '../rows/row-format.ts';
import { type ListedLead, readLivingList } from './analysis-list.ts';
import { consentMoment, readAnalysis } from './analysis-row.ts';

export const sealedWithdrawal = z.object({
  id: numberOf<WithdrawalId>(),
  leadId: numberOf<LeadId>(),
  withdrawnAt: z.string(),
  channel: z.string(),
  keyId: z.optional(textOf<KeyId>()),
} satisfies FieldsOf<ConsentWithdrawal>);

const TRIES = 8;
const LEAD_PAUSE: Milliseconds = 40;
const MOST_SHOWN = 100;

const readWithdrawal = (item: Item): Promise<ConsentWithdrawal> =>
  decrypt({ pk: String(item['pk']), sk: String(item['sk']) }, item['sealed'], sealedWithdrawal);

export async function newestWithdrawals(tenancy: Tenancy, leadId: LeadId, now: Instant): Promise<ConsentWithdrawal[]> {
  const { Items = [] } = await queryRows({
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: { ':pk': consentPartition(tenancy, leadId), ':prefix': WITHDRAWALS },
    ScanIndexForward: false,
    Limit: MOST_SHOWN,
    ConsistentRead: true,
  });
  return Promise.all(Items.filter((item) => unexpired(item, now)).map(readWithdrawal));
}

/** Leaves out withdrawals that cannot be decrypted. */
export async function readableWithdrawals(
  tenancy: Tenancy,
  leadId: LeadId,
  before: WithdrawalId | undefined,
  now: Instant,
): Promise<NewestPage<ConsentWithdrawal, WithdrawalId>> {
  const { items: rows, next } = await newestRows<WithdrawalId>((id) => withdrawalKey(tenancy, leadId, id), before);
  const kept = rows.filter((row) => unexpired(row, now));
  const withdrawals = await Promise.all(kept.map((row) => ifItOpens(readWithdrawal(row))));
  return { items: withdrawals.filter((withdrawal) => withdrawal !== undefined), next };
}

/** Refused if the id is taken: a withdrawal is evidence, and is never overwritten. */
export async function putWithdrawal(
  tenancy: Tenancy,
  withdrawal: ConsentWithdrawal,
  now: Instant,
): Promise<TransactItem> {
  const key = withdrawalKey(tenancy, withdrawal.leadId, withdrawal.id);
  return {
    Put: {
      Item: { ...key, expiresAt: expiryAt(now + CONSENT_KEPT), sealed: await encrypt(key, withdrawal) },
      ConditionExpression: 'attribute_not_exists(pk)',
    },
  };
}

/** Withdrawals are evidence: no function changes or deletes them. */
export class TableConsentWithdrawals implements ConsentWithdrawals, Primable {
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  prime(): Promise<void> {
    return primeEncryption();
  }

  async record(
    tenancy: Tenancy,
    leadId: LeadId,
    draft: WithdrawalDraft,
    keyed?: KeyedWithdrawal,
  ): Promise<IdempotentResult<RecordedWithdrawal> | undefined> {
    const record = keyed && (await recordOf(keyed.claim));
    for (let attempt = 1; attempt <= TRIES; attempt++) {
      const now = this.#clock();
      const { lead, earlier, key } = await readLeadAndRecord(tenancy, leadId, record, now);
      if (earlier) return { earlier };
      const listed = lead && (await readLivingList(tenancy, leadId));
      if (!listed) return undefined;
      const { recorded, leadPart, withdrawalPart } = await plan(tenancy, listed, draft, now);
      const outcome = await transactNamed({
        lead: leadPart,
        withdrawal: withdrawalPart,
        key: keyed && key && (await takeKey(key, leadId, { answer: keyed.answerFor(recorded) }, now)),
      });
      if (outcome === 'written') return { done: recorded };
      const taken = key && (await takenBy(key, outcome.key));
      if (taken) return { earlier: taken };
      await beforeRetry(LEAD_PAUSE * attempt);
    }
    throw new Failure('servico_indisponivel');
  }
}

interface Plan {
  readonly recorded: RecordedWithdrawal;
  readonly leadPart: TransactItem;
  readonly withdrawalPart: TransactItem | undefined;
}

/**
 * A withdrawal that is not later than the lead's last withdrawal leaves the lead and the stored withdrawal as they are.
 * If the stored withdrawal has expired, the new withdrawal is stored. A withdrawal that is dated ahead counts from its
 * receipt, so only its reported moment shows that the same withdrawal came before.
 */
async function plan(tenancy: Tenancy, listed: ListedLead, draft: WithdrawalDraft, now: Instant): Promise<Plan> {
  const lead = leadTrace.parse(listed.lead);
  const moment = withdrawalMoment(draft, now);
  const last = lead.consentWithdrawnAt;
  const reported = Date.parse(draft.withdrawnAt);
  const mayBeKnown = last !== undefined && (moment <= last || moment < reported);
  const stored = mayBeKnown ? await withdrawalOf(tenancy, lead.id, last, now) : undefined;
  const wasReported = stored !== undefined && reported === Date.parse(stored.withdrawnAt);
  const isRepeated = last !== undefined && (moment <= last || wasReported);
  const affected = await affectedBy(tenancy, listed, isRepeated ? last : moment);
  const leadPart = isRepeated ? checkWithdrawal(tenancy, lead.id, last) : noteWithdrawal(tenancy, lead, moment);
  if (stored && isRepeated)
    return { recorded: { withdrawal: stored, isNew: false, affected }, leadPart, withdrawalPart: undefined };
  const { withdrawnAt, channel, keyId } = draft;
  const withdrawal = { id: drawId<WithdrawalId>(now), leadId: lead.id, withdrawnAt, channel, keyId };
  const withdrawalPart = await putWithdrawal(tenancy, withdrawal, now);
  return { recorded: { withdrawal, isNew: true, affected }, leadPart, withdrawalPart };
}

/** Undefined if the withdrawal is no longer kept. */
async function withdrawalOf(
  tenancy: Tenancy,
  leadId: LeadId,
  moment: Instant,
  now: Instant,
): Promise<ConsentWithdrawal | undefined> {
  const newest = await newestWithdrawals(tenancy, leadId, now);
  return newest.find((withdrawal) => withdrawalMoment(withdrawal, idTime(withdrawal.id)) === moment);
}

const checkWithdrawal = (tenancy: Tenancy, leadId: LeadId, moment: Instant): TransactItem => ({
  ConditionCheck: {
    Key: leadKey(tenancy, leadId),
    ConditionExpression: 'attribute_not_exists(erasingSince) AND consentWithdrawnAt = :moment',
    ExpressionAttributeValues: { ':moment': moment },
  },
});

async function affectedBy(
  tenancy: Tenancy,
  { analyses }: ListedLead,
  withdrawnAt: Instant,
): Promise<AffectedAnalysis[]> {
  const pending = analyses.filter(({ situation }) => isPending(situation));
  const rows = (await getRows(pending.map(({ id }) => analysisKey(tenancy, id)))).filter((row) => row !== undefined);
  return rows
    .filter((row) => isWithdrawn(consentMoment(row), withdrawnAt))
    .map(readAnalysis)
    .filter(({ situation }) => isPending(situation))
    .map(({ id, bank, situation, queryNumber }) => ({ id, bank, situation, isSent: queryNumber !== '' }));
}
