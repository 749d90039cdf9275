import * as z from 'zod';
import type { Answer, Claim, IdempotencyRecord } from '../domain/values/idempotency.ts';
import type { Item, TransactItem } from './client.ts';
import { decrypt, encrypt, indexHash } from './encryption.ts';
import { expiryAt } from './expiry.ts';
import { idempotencyKey, type RowKey } from './keys.ts';

const answerFormat = z.object({ status: z.int(), body: z.string() });
const rowFormat = z.object({
  fingerprint: z.string(),
  expiresAt: z.number(),
  lockedUntil: z.number().default(0),
  resume: z.string().optional(),
});

/** Where a claim's record lies, and the keyed hash of its content. */
export interface ClaimRecord {
  readonly key: RowKey;
  readonly fingerprint: string;
  /** Seconds since 1970. */
  readonly expiresAt: number;
}

const records = new WeakMap<Claim, Promise<ClaimRecord>>();

/** The record of a claim; its hashes are computed once a call, however many steps ask for it. */
export function recordOf(claim: Claim): Promise<ClaimRecord> {
  const known = records.get(claim) ?? computeRecord(claim);
  records.set(claim, known);
  return known;
}

async function computeRecord({ tenancy, operation, key, content, expiresAt }: Claim): Promise<ClaimRecord> {
  const [keyHash, fingerprint] = await Promise.all([
    indexHash('idempotency', tenancy, key),
    indexHash('content', tenancy, content),
  ]);
  return { key: idempotencyKey(tenancy, operation, keyHash), fingerprint, expiresAt: expiryAt(expiresAt) };
}

/** What an earlier call with the claim's key left in its row; undefined where there is none or it has expired by `now`. */
export async function readRecord(
  { key, fingerprint }: ClaimRecord,
  item: Item | undefined,
  now: number,
): Promise<IdempotencyRecord | undefined> {
  if (!item) return undefined;
  const row = rowFormat.parse(item);
  if (row.expiresAt <= expiryAt(now)) return undefined;
  return {
    sameContent: row.fingerprint === fingerprint,
    answer: item['sealed'] === undefined ? undefined : await decrypt(key, item['sealed'], answerFormat),
    lockedUntil: row.lockedUntil,
    resume: row.resume,
  };
}

type Progress = { readonly answer: Answer } | { readonly lockedUntil: number; readonly resume: string };

/** The transaction's part that takes a key: fails where the key is taken and has not expired by `now`. */
export async function recordOnce(
  { key, fingerprint, expiresAt }: ClaimRecord,
  progress: Progress,
  now: number,
): Promise<TransactItem> {
  const state = 'answer' in progress ? { sealed: await encrypt(key, progress.answer) } : progress;
  return {
    Put: {
      Item: { ...key, fingerprint, expiresAt, ...state },
      ConditionExpression: 'attribute_not_exists(pk) OR expiresAt <= :now',
      ExpressionAttributeValues: { ':now': expiryAt(now) },
    },
  };
}

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
