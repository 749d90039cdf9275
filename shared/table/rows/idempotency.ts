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

export interface KeptRecord extends IdempotencyRecord {
  readonly key: KeyRecord;
  readonly leadId: LeadId | undefined;
}

interface RecordPlace extends IndexPlace {
  readonly fingerprint: string;
}

export interface KeyRecord extends ClaimedKey {
  readonly expiresAt: EpochSeconds;
  readonly row: IndexedRow<RecordPlace>;
  /**
   * A lead that is gone, whose record this claim may replace. An erasure deletes records only in its second pass, and a
   * reset does not find a record that the index shows late.
   */
  readonly gone: LeadId | undefined;
}

export async function recordOf(claim: Claim): Promise<KeyRecord> {
  const { tenancy, operation, key, content, expiresAt } = claim;
  const row = await indexedRow((index) => ({
    key: idempotencyKey(tenancy, operation, indexHashBy(index, 'idempotency', tenancy, key)),
    indexedBy: index.name,
    fingerprint: indexHashBy(index, 'content', tenancy, content),
  }));
  return { claim, expiresAt: expiryAt(expiresAt), row, gone: undefined };
}

/** Undefined if there is no row. */
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

/** Refused if the key is taken and has not ended by `now`, unless the record names the lead that is `gone`. */
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

/** Undefined if the part `takeKey` was not refused. */
export async function takenBy(record: KeyRecord, refusal: Refusal | undefined): Promise<KeptRecord | undefined> {
  return readRecord(record, refusal?.row);
}

/** Refused if the key has an answer already: the first answer stays. */
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
