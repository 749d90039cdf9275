import * as z from 'zod/mini';
import { CONSENT_KEPT, type Consent } from '#shared/domain/analyses/analysis.ts';
import type { ConsentPage, Consents } from '#shared/domain/analyses/ports.ts';
import { BANKS } from '#shared/domain/values/bank.ts';
import type { Clock } from '#shared/domain/values/clock.ts';
import { type AnalysisId, type ConsentId, idTime, type KeyId, type LeadId } from '#shared/domain/values/ids.ts';
import type { Tenancy } from '#shared/domain/values/tenancy.ts';
import { type Instant, type Milliseconds, minutes } from '#shared/domain/values/time.ts';
import type { Primable } from '#shared/runtime/deadline.ts';
import { type Item, type NewestPage, newestRows, queryAllRows, type TransactItem } from '../rows/client.ts';
import { decrypt, encrypt, ifItOpens, primeEncryption } from '../rows/encryption.ts';
import { consentKey, consentPartition } from '../rows/keys.ts';
import { leadTrace } from '../rows/living-lead.ts';
import { expiryAt, type FieldsOf, numberOf, textOf, unexpired } from '../rows/row-format.ts';
import { readLivingList } from './analysis-list.ts';
import { newestWithdrawals } from './consent-withdrawals.ts';

export const sealedConsent = z.object({
  id: numberOf<ConsentId>(),
  leadId: numberOf<LeadId>(),
  givenAt: z.string(),
  ip: z.string(),
  channel: z.string(),
  textVersion: z.optional(z.string()),
  analysisIds: z.array(numberOf<AnalysisId>()),
  banks: z.array(z.enum(BANKS)),
  keyId: textOf<KeyId>(),
} satisfies FieldsOf<Consent>);

/** Refused if the consent is stored already: it is evidence, and is never overwritten. */
export async function recordConsent(tenancy: Tenancy, consent: Consent, now: Instant): Promise<TransactItem> {
  const key = consentKey(tenancy, consent.leadId, consent.id);
  return {
    Put: {
      Item: { ...key, expiresAt: expiryAt(now + CONSENT_KEPT), sealed: await encrypt(key, consent) },
      ConditionExpression: 'attribute_not_exists(pk)',
    },
  };
}

/** How long a consent may be missing from a read that is not consistent, with a large margin. */
const SETTLED_AFTER: Milliseconds = minutes(1);

const readConsent = (item: Item): Promise<Consent> =>
  decrypt({ pk: String(item['pk']), sk: String(item['sk']) }, item['sealed'], sealedConsent);

async function rowsOf(
  tenancy: Tenancy,
  leadId: LeadId,
  { newest, oldest }: { readonly newest: ConsentId; readonly oldest: ConsentId },
  now: Instant,
): Promise<Item[]> {
  const rows = await queryAllRows({
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :oldest AND :newest',
    ExpressionAttributeValues: {
      ':pk': consentPartition(tenancy, leadId),
      ':oldest': consentKey(tenancy, leadId, oldest).sk,
      ':newest': consentKey(tenancy, leadId, newest).sk,
    },
    ScanIndexForward: false,
    // Consents never change, so a page of older consents is complete without a consistent read, which would cost twice
    // as much.
    ConsistentRead: now - idTime(newest) < SETTLED_AFTER,
  });
  return rows.filter((row) => unexpired(row, now));
}

/** Leaves out consents that cannot be decrypted. */
export async function readableConsents(
  tenancy: Tenancy,
  leadId: LeadId,
  before: ConsentId | undefined,
  now: Instant,
): Promise<NewestPage<Consent, ConsentId>> {
  const { items: rows, next } = await newestRows<ConsentId>((id) => consentKey(tenancy, leadId, id), before);
  const kept = rows.filter((row) => unexpired(row, now));
  const consents = await Promise.all(kept.map((item) => ifItOpens(readConsent(item))));
  return { items: consents.filter((consent) => consent !== undefined), next };
}

/** Consents are evidence: no function changes or deletes them. */
export class TableConsents implements Consents, Primable {
  readonly #clock: Clock;

  constructor(clock: Clock = Date.now) {
    this.#clock = clock;
  }

  prime(): Promise<void> {
    return primeEncryption();
  }

  async page(
    tenancy: Tenancy,
    leadId: LeadId,
    { limit, offset }: { readonly limit: number; readonly offset: number },
  ): Promise<ConsentPage | undefined> {
    const listed = await readLivingList(tenancy, leadId);
    if (!listed) return undefined;
    const ids = listed.consentIds.slice(offset, offset + limit);
    const more = listed.consentIds.length > offset + limit;
    const isWithdrawn = leadTrace.parse(listed.lead).consentWithdrawnAt !== undefined;
    const now = this.#clock();
    const [items, withdrawals] = await Promise.all([
      ofIds(tenancy, leadId, ids, now),
      isWithdrawn ? newestWithdrawals(tenancy, leadId, now) : [],
    ]);
    return { items, more, withdrawals };
  }
}

async function ofIds(tenancy: Tenancy, leadId: LeadId, ids: readonly ConsentId[], now: Instant): Promise<Consent[]> {
  const [newest] = ids;
  if (newest === undefined) return [];
  const items = await rowsOf(tenancy, leadId, { newest, oldest: ids.at(-1) ?? newest }, now);
  return Promise.all(items.map(readConsent));
}
