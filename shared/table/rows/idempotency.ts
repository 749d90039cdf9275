import * as z from 'zod/mini';
import type { Answer, Claim, IdempotencyRecord } from '#shared/domain/values/idempotency.ts';
import type { LeadId } from '#shared/domain/values/ids.ts';
import type { Item, Refused, TransactItem } from './client.ts';
import { decrypt, encrypt, type IndexKey } from './encryption.ts';
import { type IndexPlace, indexHashBy, indexKeys } from './index-keys.ts';
import { idempotencyKey, type RowKey, recordList } from './keys.ts';
import { expiryAt, isOver, lastOver } from './row-format.ts';

const answerFormat = z.object({ status: z.int(), body: z.string() });
const rowFormat = z.object({
  fingerprint: z.string(),
  expiresAt: z.number(),
  lockedUntil: z._default(z.number(), 0),
  resume: z.optional(z.string()),
  leadId: z.optional(z.number()),
});

/** A record as its row holds it. */
export interface KeptRecord extends IdempotencyRecord {
  /** The lead that its answer names. */
  readonly leadId: LeadId | undefined;
}

/** Where a claim's record lies under one index key, and the keyed hash of its content by it. */
interface RecordPlace extends IndexPlace {
  readonly fingerprint: string;
}

/** Where a claim's record is written, or was found. */
export interface ClaimRecord extends RecordPlace {
  readonly claim: Claim;
  /** Seconds since 1970. */
  readonly expiresAt: number;
  /** Where else it may lie, while two index keys are held. */
  readonly other: RecordPlace | undefined;
  /** The lead that an earlier record names and that is gone, so that this claim may replace the record. */
  readonly gone: LeadId | undefined;
}

const records = new WeakMap<Claim, Promise<ClaimRecord>>();

/** The record of a claim; its hashes are computed once a call, however many steps ask for it. */
export function recordOf(claim: Claim): Promise<ClaimRecord> {
  const known = records.get(claim) ?? computeRecord(claim);
  records.set(claim, known);
  return known;
}

async function computeRecord(claim: Claim): Promise<ClaimRecord> {
  const { current, other } = await indexKeys();
  return {
    claim,
    ...placeBy(current, claim),
    expiresAt: expiryAt(claim.expiresAt),
    other: other && placeBy(other, claim),
    gone: undefined,
  };
}

function placeBy(index: IndexKey, { tenancy, operation, key, content }: Claim): RecordPlace {
  return {
    key: idempotencyKey(tenancy, operation, indexHashBy(index, 'idempotency', tenancy, key)),
    indexedBy: index.name,
    fingerprint: indexHashBy(index, 'content', tenancy, content),
  };
}

/**
 * Frees the key of a claim whose earlier record names a lead that is gone: from then on `recordOf` returns a record that
 * replaces the earlier one. An index that is late may have hidden that record from whoever removed the lead.
 */
export async function releaseKey(claim: Claim, gone: LeadId): Promise<void> {
  records.set(claim, Promise.resolve({ ...(await recordOf(claim)), gone }));
}

/** The rows in which a claim's record may lie, for `findRecord`. */
export const recordKeys = ({ key, other }: ClaimRecord): readonly RowKey[] => [key, ...(other ? [other.key] : [])];

/**
 * What an earlier call with the claim's key left, out of the rows of `recordKeys` in their order; undefined where there is
 * none or it has expired by `now`. From then on `recordOf` gives the place in which it was found.
 */
export async function findRecord(
  record: ClaimRecord,
  items: readonly (Item | undefined)[],
  now: number,
): Promise<KeptRecord | undefined> {
  const [item, otherItem] = items;
  const found = await readRecord(record, item, now);
  if (found || !record.other) return found;
  const elsewhere = await readRecord(record.other, otherItem, now);
  const { key, indexedBy, fingerprint } = record;
  if (elsewhere)
    records.set(record.claim, Promise.resolve({ ...record, ...record.other, other: { key, indexedBy, fingerprint } }));
  return elsewhere;
}

async function readRecord(
  { key, fingerprint }: RecordPlace,
  item: Item | undefined,
  now: number,
): Promise<KeptRecord | undefined> {
  if (!item) return undefined;
  const row = rowFormat.parse(item);
  if (isOver(row.expiresAt, now)) return undefined;
  return {
    sameContent: row.fingerprint === fingerprint,
    answer: item['sealed'] === undefined ? undefined : await decrypt(key, item['sealed'], answerFormat),
    lockedUntil: row.lockedUntil,
    resume: row.resume,
    leadId: row.leadId as LeadId | undefined,
  };
}

type Progress = { readonly answer: Answer } | { readonly lockedUntil: number; readonly resume: string };

/**
 * The transaction's part that takes a key for a call about a lead: fails where the key is taken and has not expired by
 * `now`, unless the record names a lead that is gone (`releaseKey`). It goes with `recordNotElsewhere`.
 */
export async function recordOnce(
  { claim, key, indexedBy, fingerprint, expiresAt, gone }: ClaimRecord,
  leadId: LeadId,
  progress: Progress,
  now: number,
): Promise<TransactItem> {
  const state = 'answer' in progress ? { sealed: await encrypt(key, progress.answer) } : progress;
  const listed = { leadId, ...recordList(claim.tenancy, leadId), listSk: key.pk };
  return { Put: { Item: { ...key, ...listed, fingerprint, expiresAt, indexedBy, ...state }, ...free(now, gone) } };
}

/** The last part of a transaction with `recordOnce`: fails where the key is taken under the other index key. Empty while there is one. */
export const recordNotElsewhere = ({ other, gone }: ClaimRecord, now: number): TransactItem[] =>
  other ? [{ ConditionCheck: { Key: other.key, ...free(now, gone) } }] : [];

/** What took the key of a refused transaction, given its part of `recordOnce` and all of its parts; undefined where nothing did. */
export function earlierRecord(
  record: ClaimRecord,
  once: Refused | undefined,
  all: readonly Refused[],
  now: number,
): Promise<KeptRecord | undefined> {
  const parts = [once, record.other ? all.at(-1) : undefined];
  return findRecord(
    record,
    parts.map((part) => (part?.failed ? part.item : undefined)),
    now,
  );
}

const free = (now: number, gone: LeadId | undefined) => ({
  ConditionExpression: `attribute_not_exists(pk) OR expiresAt <= :now${gone === undefined ? '' : ' OR leadId = :gone'}`,
  ExpressionAttributeValues: { ':now': lastOver(now), ...(gone !== undefined && { ':gone': gone }) },
});

/** The transaction's part that keeps the answer of a key taken before: the first answer stands. */
export async function recordAnswer({ key }: ClaimRecord, answer: Answer): Promise<TransactItem> {
  return {
    Update: {
      Key: key,
      UpdateExpression: 'SET sealed = :answer REMOVE lockedUntil, #resume',
      ConditionExpression: 'attribute_exists(pk) AND attribute_not_exists(sealed)',
      ExpressionAttributeNames: { '#resume': 'resume' },
      ExpressionAttributeValues: { ':answer': await encrypt(key, answer) },
    },
  };
}
