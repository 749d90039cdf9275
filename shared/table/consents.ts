import * as z from 'zod';
import { CONSENT_KEPT, type Consent } from '../domain/analyses/consent.ts';
import type { Consents } from '../domain/analyses/ports.ts';
import { Failure } from '../domain/values/failure.ts';
import type { LeadId } from '../domain/values/ids.ts';
import type { Tenancy } from '../domain/values/tenancy.ts';
import { getRow, type Item, queryAllRows, type TransactItem } from './client.ts';
import { decrypt, encrypt } from './encryption.ts';
import { consentKey, consentPartition, leadKey } from './keys.ts';
import { livingLead } from './leads.ts';

const sealedConsent = z.object({
  id: z.number(),
  leadId: z.number(),
  givenAt: z.string(),
  ip: z.string(),
  channel: z.string(),
  analysisIds: z.array(z.number()),
  banks: z.array(z.string()),
  keyId: z.string(),
}) as unknown as z.ZodType<Consent>;

/** The transaction's part that keeps a consent; `now` in milliseconds. Put only, and only once: it is evidence. */
export async function recordConsent(tenancy: Tenancy, consent: Consent, now: number): Promise<TransactItem> {
  const key = consentKey(tenancy, consent.leadId, consent.id);
  return {
    Put: {
      Item: { ...key, expiresAt: Math.ceil((now + CONSENT_KEPT) / 1000), sealed: await encrypt(key, consent) },
      ConditionExpression: 'attribute_not_exists(pk)',
    },
  };
}

/** The consents of a lead that open, newest first, whether or not its person was erased; `rows` counts all of them. */
export async function readableConsents(
  tenancy: Tenancy,
  leadId: LeadId,
): Promise<{ consents: Consent[]; rows: number }> {
  const rows = await consentRows(tenancy, leadId);
  const consents = await Promise.all(
    rows.map((item) =>
      readConsent(item).catch((error: unknown) => {
        // Keys that cannot be fetched are no fault of the row.
        if (error instanceof Failure) throw error;
        return undefined;
      }),
    ),
  );
  return { consents: consents.filter((consent) => consent !== undefined), rows: rows.length };
}

function consentRows(tenancy: Tenancy, leadId: LeadId): Promise<Item[]> {
  return queryAllRows({
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': consentPartition(tenancy, leadId) },
    ScanIndexForward: false,
    ConsistentRead: true,
  });
}

function readConsent(item: Item): Promise<Consent> {
  return decrypt({ pk: String(item['pk']), sk: String(item['sk']) }, item['sealed'], sealedConsent);
}

export function tableConsents(): Consents {
  return {
    async ofLead(tenancy, leadId) {
      const [owner, items] = await Promise.all([getRow(leadKey(tenancy, leadId)), consentRows(tenancy, leadId)]);
      return livingLead(owner) && Promise.all(items.map(readConsent));
    },
  };
}
