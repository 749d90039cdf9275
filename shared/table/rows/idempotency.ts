/**
 * The record of an Idempotency-Key: one row, which is written in one transaction with the rows that the key protects.
 */
import * as z from 'zod/mini';
import type { Answer, Claim, ClaimedKey, IdempotencyRecord } from '#shared/domain/values/idempotency.ts';
import type { LeadId } from '#shared/domain/values/ids.ts';
import type { EpochSeconds, Instant } from '#shared/domain/values/time.ts';
import type { Item, Refusal, TransactItem } from './client.ts';
import { decrypt, encrypt } from './encryption.ts';
import { type IndexPlace, indexHashBy } from './index-keys.ts';
import { foundIn, type IndexedRow, indexedRow, putIndexed } from './indexed-rows.ts';
import { idempotencyKey, recordList } from './keys.ts';
import { expiryAt, lastOver, numberOf } from './row-format.ts';

export const answerFormat = z.object({ status: z.int(), body: z.string() });
const rowFormat = z.object({
  fingerprint: z.string(),
  expiresAt: z.number(),
  lockedUntil: z._default(z.number(), 0),
  resume: z.optional(z.string()),
  leadId: z.optional(numberOf<LeadId>()),
});

/** Record of a key, as its row holds it. */
export interface KeptRecord extends IdempotencyRecord {
  readonly key: KeyRecord;
  /** The lead that the call with the key was about. */
  readonly leadId: LeadId | undefined;
}

/** Place of a claim's record under one index key, and the hash of the claim's content by that key. */
interface RecordPlace extends IndexPlace {
  readonly fingerprint: string;
}

/** Where the record of a claim's key is written, or was found. */
export interface KeyRecord extends ClaimedKey {
  readonly expiresAt: EpochSeconds;
  readonly row: IndexedRow<RecordPlace>;
  /**
   * The lead that an earlier record names and that is gone: marked by an erasure, or removed by a reset of the sandbox.
   * Then this claim may replace the record, which may be left over. An erasure deletes it only in the second pass. A
   * reset finds records by an index, which may be late.
   */
  readonly gone: LeadId | undefined;
}

/** Returns the record of a claim's key: the place in which it is written, until it is found elsewhere. */
export async function recordOf(claim: Claim): Promise<KeyRecord> {
  const { tenancy, operation, key, content, expiresAt } = claim;
  const row = await indexedRow((index) => ({
    key: idempotencyKey(tenancy, operation, indexHashBy(index, 'idempotency', tenancy, key)),
    indexedBy: index.name,
    fingerprint: indexHashBy(index, 'content', tenancy, content),
  }));
  return { claim, expiresAt: expiryAt(expiresAt), row, gone: undefined };
}

/**
 * Returns what an earlier call with the claim's key left, given the row that was read for it. Undefined if there is no
 * row.
 */
export async function readRecord(record: KeyRecord, item: Item | undefined): Promise<KeptRecord | undefined> {
  if (!item) return undefined;
  const row = rowFormat.parse(item);
  const found = { ...record, row: foundIn(record.row, item) };
  const { key, fingerprint } = found.row.here;
  return {
    key: found,
    sameContent: row.fingerprint === fingerprint,
    answer: item['sealed'] === undefined ? undefined : await decrypt(key, item['sealed'], answerFormat),
    lockedUntil: row.lockedUntil,
    resume: row.resume,
    leadId: row.leadId,
  };
}

type Progress = { readonly answer: Answer } | { readonly lockedUntil: Instant; readonly resume: string };

/**
 * Transaction part that takes a key for a call about a lead. Refused if the key is taken and has not ended by `now`,
 * unless the record names the lead that is `gone`.
 */
export async function takeKey(
  { claim, expiresAt, row, gone }: KeyRecord,
  leadId: LeadId,
  progress: Progress,
  now: Instant,
): Promise<TransactItem[]> {
  const { key, fingerprint } = row.here;
  const state = 'answer' in progress ? { sealed: await encrypt(key, progress.answer) } : progress;
  const item = { leadId, ...recordList(claim.tenancy, leadId), listSk: key.pk, fingerprint, expiresAt, ...state };
  return putIndexed(row, item, {
    ConditionExpression: `attribute_not_exists(pk) OR expiresAt <= :now${gone === undefined ? '' : ' OR leadId = :gone'}`,
    ExpressionAttributeValues: { ':now': lastOver(now), ':gone': gone },
  });
}

/**
 * Returns the record that has taken the key, given the refusal of `takeKey`. Undefined if that part was not refused.
 */
export async function takenBy(record: KeyRecord, refusal: Refusal | undefined): Promise<KeptRecord | undefined> {
  return readRecord(record, refusal?.row);
}

/**
 * Transaction part that stores the answer of a key that was taken before. Refused if the key has an answer already: the
 * first one stays.
 */
export async function recordAnswer({ row }: KeyRecord, answer: Answer): Promise<TransactItem> {
  const { key } = row.here;
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
