import * as z from 'zod';
import { CONSENT_KEPT, type Consent } from '../domain/consent.ts';
import type { Tenancy } from '../domain/partner.ts';
import type { Consents } from '../domain/ports.ts';
import { getRow, queryAllRows, type TransactItem } from './client.ts';
import { consentKey, consentPartition, leadKey } from './keys.ts';
import { seal, unseal } from './sealed.ts';

const sealedConsent = z.object({
  id: z.number(),
  lead: z.number(),
  givenAt: z.string(),
  ip: z.string(),
  channel: z.string(),
  analyses: z.array(z.number()),
  banks: z.array(z.string()),
  key: z.string(),
}) as unknown as z.ZodType<Consent>;

/** The transaction's part that keeps a consent; `now` in milliseconds. Put only, and only once: it is evidence. */
export async function recordConsent(tenancy: Tenancy, consent: Consent, now: number): Promise<TransactItem> {
  const key = consentKey(tenancy, consent.lead, consent.id);
  return {
    Put: {
      Item: { ...key, expiresAt: Math.ceil((now + CONSENT_KEPT) / 1000), x: await seal(key, consent) },
      ConditionExpression: 'attribute_not_exists(pk)',
    },
  };
}

export function tableConsents(): Consents {
  return {
    async ofLead(tenancy, lead) {
      const [owner, items] = await Promise.all([
        getRow(leadKey(tenancy, lead)),
        queryAllRows({
          KeyConditionExpression: 'pk = :pk',
          ExpressionAttributeValues: { ':pk': consentPartition(tenancy, lead) },
          ScanIndexForward: false,
          ConsistentRead: true,
        }),
      ]);
      if (!owner) return undefined;
      return Promise.all(
        items.map((item) => unseal({ pk: String(item['pk']), sk: String(item['sk']) }, item['x'], sealedConsent)),
      );
    },
  };
}
