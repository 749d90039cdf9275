/**
 * A lead is living until an erasure marks it (`erasingSince`). The mark is refused if something was added since the
 * erasure has read the lead. Each row that belongs to a lead is therefore written in one transaction with the lead's
 * own row: either as a new version of the lead (`overwriteLead`), or counted in the lead's `uses` (`countLeadUse`).
 * Only a withdrawal of consent is not counted (`noteWithdrawal`): an erasure keeps it.
 */
import * as z from 'zod/mini';
import { type Lead, type LeadTrace, leadDraft, type RetentionNotice } from '#shared/domain/leads/lead.ts';
import { FIRST_LOOK_AFTER } from '#shared/domain/leads/retention.ts';
import type { LeadId } from '#shared/domain/values/ids.ts';
import type { Tenancy } from '#shared/domain/values/tenancy.ts';
import type { Instant } from '#shared/domain/values/time.ts';
import { getRow, type Item, neverOwn, type TransactItem, updateRecognised, updateRow } from './client.ts';
import { decrypt, encrypt, type SealedRow } from './encryption.ts';
import { type KeptRecord, type KeyRecord, readRecord } from './idempotency.ts';
import { getRowAndIndexed } from './indexed-rows.ts';
import { leadKey, retentionDue } from './keys.ts';
import { type FieldsOf, numberOf } from './row-format.ts';

/** The person's data are sealed. */
export const leadTrace = z.object({
  id: numberOf<LeadId>(),
  version: z.number(),
  createdAt: z.number(),
  updatedAt: z.number(),
  reusedAt: z.optional(z.number()),
  replayedAt: z.optional(z.number()),
  uses: z.optional(z.number()),
  consentWithdrawnAt: z.optional(z.number()),
  notice: z.optional(z.object({ endsAt: z.number(), seen: z.string() } satisfies FieldsOf<RetentionNotice>)),
} satisfies FieldsOf<LeadTrace>);

export async function readLead(tenancy: Tenancy, item: Item): Promise<Lead> {
  const trace = leadTrace.parse(item);
  const draft = await decrypt(sealedRow(tenancy, trace), item['sealed'], leadDraft);
  return { ...draft, ...trace };
}

const sealedRow = (tenancy: Tenancy, { id, version }: Pick<Lead, 'id' | 'version'>): SealedRow => ({
  ...leadKey(tenancy, id),
  version,
});

const sealLead = (tenancy: Tenancy, lead: Lead): Promise<Uint8Array> =>
  encrypt(sealedRow(tenancy, lead), leadDraft.parse(lead));

export async function newLeadRow(tenancy: Tenancy, lead: Lead): Promise<Item> {
  return {
    ...leadKey(tenancy, lead.id),
    ...retentionDue(tenancy, lead.id, lead.createdAt + FIRST_LOOK_AFTER),
    ...leadTrace.parse(lead),
    sealed: await sealLead(tenancy, lead),
  };
}

/** Undefined if there is no row, or if it bears the mark of an erasure. */
export const livingLead = (item: Item | undefined): Item | undefined =>
  item?.['erasingSince'] === undefined ? item : undefined;

export interface LeadCondition {
  readonly ConditionExpression: string;
  readonly ExpressionAttributeValues: Item;
}

export function sameUses(item: Item | undefined): LeadCondition {
  const uses = item?.['uses'];
  return {
    ConditionExpression: uses === undefined ? 'attribute_not_exists(uses)' : 'uses = :uses',
    ExpressionAttributeValues: { ':uses': uses },
  };
}

/** Undefined if the consent never was withdrawn. */
export const withdrawalIn = (item: Item | undefined): Instant | undefined =>
  leadTrace.shape.consentWithdrawnAt.parse(item?.['consentWithdrawnAt']);

export function sameWithdrawal(item: Item | undefined): LeadCondition {
  const withdrawnAt = withdrawalIn(item);
  return {
    ConditionExpression:
      withdrawnAt === undefined ? 'attribute_not_exists(consentWithdrawnAt)' : 'consentWithdrawnAt = :withdrawn',
    ExpressionAttributeValues: { ':withdrawn': withdrawnAt },
  };
}

/**
 * Keeps what other writes store in the row (notice, uses). Refused if the lead has another version, if its person is
 * being erased, or if a further condition does not hold.
 */
export async function leadUpdate(tenancy: Tenancy, lead: Lead, further?: LeadCondition) {
  const unchanged = 'version = :before AND attribute_not_exists(erasingSince)';
  return {
    Key: leadKey(tenancy, lead.id),
    UpdateExpression: 'SET sealed = :sealed, version = :version, updatedAt = :now',
    ConditionExpression: further ? `${unchanged} AND ${further.ConditionExpression}` : unchanged,
    ExpressionAttributeValues: {
      ':sealed': await sealLead(tenancy, lead),
      ':version': lead.version,
      ':now': lead.updatedAt,
      ':before': lead.version - 1,
      ...further?.ExpressionAttributeValues,
    },
  };
}

export async function overwriteLead(tenancy: Tenancy, lead: Lead, further?: LeadCondition): Promise<TransactItem> {
  return { Update: await leadUpdate(tenancy, lead, further) };
}

/**
 * Counts a use of the lead, so that an erasure that has read the lead before notices. Refused if there is no such lead,
 * if its person is being erased, if the lead is no longer the `version` given, or if a further condition does not hold.
 */
export function countLeadUse(tenancy: Tenancy, id: LeadId, version?: number, further?: LeadCondition): TransactItem {
  const conditions = ['attribute_exists(pk)', 'attribute_not_exists(erasingSince)'];
  if (version !== undefined) conditions.push('version = :version');
  if (further) conditions.push(further.ConditionExpression);
  return {
    Update: {
      Key: leadKey(tenancy, id),
      UpdateExpression: 'ADD uses :one',
      ConditionExpression: conditions.join(' AND '),
      ExpressionAttributeValues: { ':one': 1, ':version': version, ...further?.ExpressionAttributeValues },
    },
  };
}

export const notWithdrawnSince = (moment: Instant): LeadCondition => ({
  ConditionExpression: '(attribute_not_exists(consentWithdrawnAt) OR consentWithdrawnAt < :moment)',
  ExpressionAttributeValues: { ':moment': moment },
});

/**
 * Refused if the lead was used or changed since `lead` was read, for example by a submission; if its person is being
 * erased; or if the consent was withdrawn at this moment or later. A withdrawal is no use of the lead, so the end of
 * the lead's data does not move.
 */
export function noteWithdrawal(
  tenancy: Tenancy,
  { id, version, uses }: Pick<LeadTrace, 'id' | 'version' | 'uses'>,
  withdrawnAt: Instant,
): TransactItem {
  const conditions = [
    'attribute_not_exists(erasingSince)',
    'version = :version',
    sameUses({ uses }).ConditionExpression,
    notWithdrawnSince(withdrawnAt).ConditionExpression,
  ];
  return {
    Update: {
      Key: leadKey(tenancy, id),
      UpdateExpression: 'SET consentWithdrawnAt = :moment',
      ConditionExpression: conditions.join(' AND '),
      ExpressionAttributeValues: { ':version': version, ':uses': uses, ':moment': withdrawnAt },
    },
  };
}

/** Refused if there is no such lead, or if its person is being erased. */
function useUpdate(tenancy: Tenancy, id: LeadId, step: 'reusedAt' | 'replayedAt', now: Instant) {
  const once = step === 'replayedAt' ? ' AND attribute_not_exists(#step)' : '';
  return {
    Key: leadKey(tenancy, id),
    UpdateExpression: 'SET #step = :now',
    ConditionExpression: `attribute_exists(pk) AND attribute_not_exists(erasingSince)${once}`,
    ExpressionAttributeNames: { '#step': step },
    ExpressionAttributeValues: { ':now': now },
  };
}

/** Makes at most one write for a lead of the sandbox, and none in production. */
export async function noteReplay(tenancy: Tenancy, lead: Lead, now: Instant): Promise<void> {
  if (tenancy.environment !== 'sandbox' || lead.replayedAt !== undefined) return;
  await updateRow(useUpdate(tenancy, lead.id, 'replayedAt', now));
}

/** Also notes the reuse. Undefined if there is no such lead, or if its person is being erased. */
export async function readReusedLead(tenancy: Tenancy, id: LeadId, now: Instant): Promise<Lead | undefined> {
  const outcome = await updateRecognised(useUpdate(tenancy, id, 'reusedAt', now), neverOwn);
  return 'written' in outcome ? readLead(tenancy, outcome.written) : undefined;
}

export interface LeadAndRecord {
  readonly lead: Lead | undefined;
  readonly earlier: KeptRecord | undefined;
  readonly key: KeyRecord | undefined;
}

/**
 * `lead` is undefined if there is no lead. `lead` and `earlier` are undefined if its person is being erased. If the
 * record names a lead that has no row, `earlier` is undefined, too, and `key` may replace the record.
 */
export async function readLeadAndRecord(
  tenancy: Tenancy,
  leadId: LeadId,
  record: KeyRecord | undefined,
  now: Instant,
): Promise<LeadAndRecord> {
  const [leadRow, recordRow] = await getRowAndIndexed(leadKey(tenancy, leadId), record?.row, now);
  const living = livingLead(leadRow);
  // An erased person's lead counts as unknown, whatever the key has claimed before (shared/contract/README.md#erasure,
  // rule 7).
  if (!living && leadRow) return { lead: undefined, earlier: undefined, key: record };
  const lead = living && (await readLead(tenancy, living));
  const earlier = record && (await readRecord(record, recordRow));
  const named = earlier?.leadId;
  if (!earlier || named === undefined || (named === leadId && leadRow)) return { lead, earlier, key: record };
  // The record names another lead, or this lead, which has no row. In both cases a reset of the sandbox may have
  // removed the lead.
  if (named !== leadId && (await getRow(leadKey(tenancy, named)))) return { lead, earlier, key: record };
  return { lead, earlier: undefined, key: { ...earlier.key, gone: named } };
}
