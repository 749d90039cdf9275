import * as z from 'zod/mini';
import { CONSENT_KEPT, type Consent } from '#shared/domain/analyses/analysis.ts';
import { BANKS } from '#shared/domain/values/bank.ts';
import type { Clock } from '#shared/domain/values/clock.ts';
import { type AnalysisId, type ConsentId, idTime, type KeyId, type LeadId } from '#shared/domain/values/ids.ts';
import type { Tenancy } from '#shared/domain/values/tenancy.ts';
import { livingLead } from '../leads/leads.ts';
import { getRow, type Item, queryAllRows, queryPartition, type TransactItem } from '../rows/client.ts';
import { decrypt, encrypt, ifItOpens, primeEncryption } from '../rows/encryption.ts';
import { consentKey, consentPartition, leadKey } from '../rows/keys.ts';
import { expiryAt, type FieldsOf, numberOf, textOf } from '../rows/row-format.ts';
import { readLivingList } from './analysis-list.ts';

const sealedConsent = z.object({
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

/** The transaction's part that keeps a consent; `now` in milliseconds. Put only, and only once: it is evidence. */
export async function recordConsent(tenancy: Tenancy, consent: Consent, now: number): Promise<TransactItem> {
  const key = consentKey(tenancy, consent.leadId, consent.id);
  return {
    Put: {
      Item: { ...key, expiresAt: expiryAt(now + CONSENT_KEPT), sealed: await encrypt(key, consent) },
      ConditionExpression: 'attribute_not_exists(pk)',
    },
  };
}

/** For how long after it was kept a consent may be missing from a read that is not consistent, with a large margin; milliseconds. */
const SETTLED_AFTER = 60_000;

const readConsent = (item: Item) =>
  decrypt({ pk: String(item['pk']), sk: String(item['sk']) }, item['sealed'], sealedConsent);

/** The rows of consents whose ids follow one another in the lead's list, newest first. */
function rowsOf(tenancy: Tenancy, leadId: LeadId, ids: readonly ConsentId[], consistent: boolean): Promise<Item[]> {
  return queryAllRows({
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :oldest AND :newest',
    ExpressionAttributeValues: {
      ':pk': consentPartition(tenancy, leadId),
      ':oldest': consentKey(tenancy, leadId, ids.at(-1)!).sk,
      ':newest': consentKey(tenancy, leadId, ids[0]!).sk,
    },
    ScanIndexForward: false,
    ConsistentRead: consistent,
  });
}

const allRows = async (tenancy: Tenancy, leadId: LeadId): Promise<Item[]> =>
  (await queryPartition(consentPartition(tenancy, leadId))).reverse();

/** The consents of a lead that open, newest first, whether or not its person was erased. */
export async function readableConsents(tenancy: Tenancy, leadId: LeadId): Promise<Consent[]> {
  const rows = await allRows(tenancy, leadId);
  const consents = await Promise.all(rows.map((item) => ifItOpens(readConsent(item))));
  return consents.filter((consent) => consent !== undefined);
}

export function tableConsents(clock: Clock = Date.now) {
  return {
    prime: primeEncryption,
    /** All consents of a lead, newest first; undefined where there is no such lead. */
    async ofLead(tenancy: Tenancy, leadId: LeadId): Promise<readonly Consent[] | undefined> {
      const [owner, items] = await Promise.all([getRow(leadKey(tenancy, leadId)), allRows(tenancy, leadId)]);
      return livingLead(owner) && Promise.all(items.map(readConsent));
    },

    /** Those after the newest `offset`, at most `limit`, newest first, and whether there are more; undefined as above. */
    async page(tenancy: Tenancy, leadId: LeadId, { limit, offset }: { limit: number; offset: number }) {
      const listed = await readLivingList(tenancy, leadId);
      if (!listed) return undefined;
      const ids = listed.consentIds.slice(offset, offset + limit);
      const more = listed.consentIds.length > offset + limit;
      if (ids.length === 0) return { items: [], more };
      // Consents never change: at half the price an older page lacks nothing.
      const items = await rowsOf(tenancy, leadId, ids, clock() - idTime(ids[0]!) < SETTLED_AFTER);
      return { items: await Promise.all(items.map(readConsent)), more };
    },
  };
}
