import * as z from 'zod';
import { CONSENT_KEPT, type Consent } from '../domain/analyses/consent.ts';
import type { Consents } from '../domain/analyses/ports.ts';
import type { Tenancy } from '../domain/values/tenancy.ts';
import type { Primable } from '../runtime/priming.ts';
import { getRow, queryAllRows, type TransactItem } from './client.ts';
import { decrypt, encrypt, primeEncryption } from './encryption.ts';
import { consentKey, consentPartition, leadKey } from './keys.ts';

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

export function tableConsents(): Consents & Primable {
  return {
    prime: primeEncryption,
    async ofLead(tenancy, leadId) {
      const [owner, items] = await Promise.all([
        getRow(leadKey(tenancy, leadId)),
        queryAllRows({
          KeyConditionExpression: 'pk = :pk',
          ExpressionAttributeValues: { ':pk': consentPartition(tenancy, leadId) },
          ScanIndexForward: false,
          ConsistentRead: true,
        }),
      ]);
      if (!owner) return undefined;
      return Promise.all(
        items.map((item) => decrypt({ pk: String(item['pk']), sk: String(item['sk']) }, item['sealed'], sealedConsent)),
      );
    },
  };
}
