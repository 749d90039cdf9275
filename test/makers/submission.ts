import type { SubmissionDraft } from '#shared/domain/analyses/ports.ts';
import type { Lead } from '#shared/domain/leads/lead.ts';
import type { Claim } from '#shared/domain/values/idempotency.ts';
import type { KeyId, PartnerId } from '#shared/domain/values/ids.ts';
import type { Tenancy } from '#shared/domain/values/tenancy.ts';
import { type KeyRecord, recordOf } from '#shared/table/rows/idempotency.ts';

let claims = 0;

/**
 * Returns a claim of an Idempotency-Key that no other test of the file uses. The key is remembered for an hour from
 * `now`.
 */
export function newClaim(tenancy: Tenancy, now: number, operation = 'submit-analyses'): Claim {
  return { tenancy, operation, key: `key-${++claims}`, content: '{"a":1}', expiresAt: now + 3_600_000 };
}

/** Returns the key of a new claim, as the table looks it up before the first write with it. */
export const newKey = (tenancy: Tenancy, now: number, operation?: string): Promise<KeyRecord> =>
  recordOf(newClaim(tenancy, now, operation));

/** Returns a submission of a lead to two banks, in the environment of `tenancy`. */
export function makeSubmissionDraft(
  tenancy: Tenancy,
  lead: Lead,
  overrides: Partial<SubmissionDraft> = {},
): SubmissionDraft {
  const key = { partnerId: 3 as PartnerId, keyId: 'aaaaa' as KeyId, scopes: [], limit: 120, left: 119, resetsIn: 60 };
  return {
    caller: { ...tenancy, ...key },
    lead,
    leadToWrite: undefined,
    banks: ['itau', 'inter'],
    form: { nome: lead.name, cpf: lead.cpf, renda: 18_000, combina: true },
    consent: { givenAt: '2026-01-02T12:00:00-03:00', ip: '177.45.10.20', channel: 'web' },
    forced: undefined,
    requestId: 'UmP5IGkXmjQEaRw=',
    ...overrides,
  };
}
