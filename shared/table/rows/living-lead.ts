/**
 * A lead's row, and the parts of transactions for every adapter that writes something about a lead.
 *
 * A lead is living until an erasure marks it (`erasingSince`). The erasure reads the lead and its rows first. Its mark
 * is refused if something was added to the lead since then. Each row that belongs to a lead is therefore written in one
 * transaction with the lead's own row: either as a new version of the lead (`overwriteLead`), or counted in the lead's
 * `uses` (`countLeadUse`). Only a withdrawal of consent is not counted (`noteWithdrawal`): an erasure keeps it.
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

/** Fields of a lead that are readable in its row. The person's data are sealed. */
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

/** Returns the lead of a row, opened. */
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

/** Returns the row of a new lead. */
export async function newLeadRow(tenancy: Tenancy, lead: Lead): Promise<Item> {
  return {
    ...leadKey(tenancy, lead.id),
    ...retentionDue(tenancy, lead.id, lead.createdAt + FIRST_LOOK_AFTER),
    ...leadTrace.parse(lead),
    sealed: await sealLead(tenancy, lead),
  };
}

/**
 * Returns the row if partners may see the lead. Undefined if there is no row, or if it bears the mark of an erasure.
 */
export const livingLead = (item: Item | undefined): Item | undefined =>
  item?.['erasingSince'] === undefined ? item : undefined;

/** Condition of a write, with the values that it names. */
export interface LeadCondition {
  readonly ConditionExpression: string;
  readonly ExpressionAttributeValues: Item;
}

/** Returns the condition that the lead has not been used since this row was read. */
export function sameUses(item: Item | undefined): LeadCondition {
  const uses = item?.['uses'];
  return {
    ConditionExpression: uses === undefined ? 'attribute_not_exists(uses)' : 'uses = :uses',
    ExpressionAttributeValues: { ':uses': uses },
  };
}

/** Returns when the consent was last withdrawn, by a lead's row or a row that outlives it. Undefined if it never was. */
export const withdrawalIn = (item: Item | undefined): Instant | undefined =>
  leadTrace.shape.consentWithdrawnAt.parse(item?.['consentWithdrawnAt']);

/** Returns the condition that the consent was not withdrawn since this row was read. */
export function sameWithdrawal(item: Item | undefined): LeadCondition {
  const withdrawnAt = withdrawalIn(item);
  return {
    ConditionExpression:
      withdrawnAt === undefined ? 'attribute_not_exists(consentWithdrawnAt)' : 'consentWithdrawnAt = :withdrawn',
    ExpressionAttributeValues: { ':withdrawn': withdrawnAt },
  };
}

/**
 * Update that writes a lead over the version before it. What other writes keep in the row (notice, uses) stays. Refused
 * if the lead has another version, if its person is being erased, or if a further condition does not hold.
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

/** Transaction part that writes a lead over the version before it, as `leadUpdate` does. */
export async function overwriteLead(tenancy: Tenancy, lead: Lead, further?: LeadCondition): Promise<TransactItem> {
  return { Update: await leadUpdate(tenancy, lead, further) };
}

/**
 * Transaction part to write together with a row that belongs to a lead (an analysis, a simulation). Counts a use of the
 * lead, so that an erasure that has read the lead before notices. Refused if there is no such lead, if its person is
 * being erased, if the lead is no longer the `version` given, or if a further condition does not hold.
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

/** Returns the condition that the person has not withdrawn the consent at a moment or later. */
export const notWithdrawnSince = (moment: Instant): LeadCondition => ({
  ConditionExpression: '(attribute_not_exists(consentWithdrawnAt) OR consentWithdrawnAt < :moment)',
  ExpressionAttributeValues: { ':moment': moment },
});

/**
 * Transaction part that notes on a lead when its person withdrew the consent. Refused if the lead was used or changed
 * since `lead` was read, for example by a submission; if its person is being erased; or if the consent was withdrawn at
 * this moment or later. A withdrawal is no use of the lead, so that the end of the lead's data stays.
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

/**
 * Update of a living lead that notes when its CPF was sent again (`reusedAt`), or when a submission was first replayed
 * (`replayedAt`). Refused if there is no such lead, or if its person is being erased.
 */
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

/** Notes that a submission of a lead was first replayed. Makes one write in the sandbox, and none in production. */
export async function noteReplay(tenancy: Tenancy, lead: Lead, now: Instant): Promise<void> {
  if (tenancy.environment !== 'sandbox' || lead.replayedAt !== undefined) return;
  await updateRow(useUpdate(tenancy, lead.id, 'replayedAt', now));
}

/**
 * Returns a lead that was found by its CPF. The same round trip notes the reuse, which puts off the end of the lead's
 * data. Undefined if there is no such lead, or if its person is being erased.
 */
export async function readReusedLead(tenancy: Tenancy, id: LeadId, now: Instant): Promise<Lead | undefined> {
  const outcome = await updateRecognised(useUpdate(tenancy, id, 'reusedAt', now), neverOwn);
  return 'written' in outcome ? readLead(tenancy, outcome.written) : undefined;
}

/** A lead, what an earlier call with the same Idempotency-Key left, and the key for the writes of this call. */
export interface LeadAndRecord {
  readonly lead: Lead | undefined;
  readonly earlier: KeptRecord | undefined;
  /** Undefined if the call has no key. */
  readonly key: KeyRecord | undefined;
}

/**
 * Returns a lead and the record of a key, read in one round trip. The lead is undefined if there is none. Both are
 * undefined if the lead's person is being erased. If the record names a lead that has no row, `earlier` is undefined,
 * too, and `key` may replace the record.
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
  // The record names another lead, or this lead and it has no row. In both cases a reset of the sandbox may have
  // removed the lead.
  if (named !== leadId && (await getRow(leadKey(tenancy, named)))) return { lead, earlier, key: record };
  return { lead, earlier: undefined, key: { ...earlier.key, gone: named } };
}
