import * as z from 'zod';
import type { Claim, IdempotencyRecord } from '../domain/values/idempotency.ts';
import type { Tenancy } from '../domain/values/tenancy.ts';
import type { Item, TransactItem } from './client.ts';
import { decrypt, encrypt, indexHash } from './encryption.ts';
import { idempotencyKey, type RowKey } from './keys.ts';

const answerFormat = z.object({ status: z.int(), body: z.string() });
const rowFormat = z.object({
  fingerprint: z.string(),
  expiresAt: z.number(),
  lockedUntil: z.number().default(0),
  resume: z.string().optional(),
});

/** Seconds since 1970: how TTL wants it. Expiry itself is compared in code, since TTL only cleans up. */
const ttl = (milliseconds: number) => Math.ceil(milliseconds / 1000);

/** Where the record of a claim lies. */
export async function claimKey(tenancy: Tenancy, claim: Claim): Promise<RowKey> {
  return idempotencyKey(tenancy, claim, await indexHash('idempotency', tenancy, claim.key));
}

function fingerprint(tenancy: Tenancy, claim: Claim): Promise<string> {
  return indexHash('content', tenancy, claim.content);
}

/** What an earlier call with the claim's key left in its row; undefined where there is none or it has expired by `now`. */
export async function readRecord(
  tenancy: Tenancy,
  claim: Claim,
  key: RowKey,
  item: Item | undefined,
  now: number,
): Promise<IdempotencyRecord | undefined> {
  if (!item) return undefined;
  const row = rowFormat.parse(item);
  if (row.expiresAt <= ttl(now)) return undefined;
  return {
    sameContent: row.fingerprint === (await fingerprint(tenancy, claim)),
    answer: item['sealed'] === undefined ? undefined : await decrypt(key, item['sealed'], answerFormat),
    lockedUntil: row.lockedUntil,
    resume: row.resume,
  };
}

type Progress =
  | { readonly answer: z.infer<typeof answerFormat> }
  | { readonly lockedUntil: number; readonly resume: string };

/** The transaction's part that takes a key: fails where the key is taken and has not expired by `now`. */
export async function recordOnce(
  tenancy: Tenancy,
  claim: Claim,
  key: RowKey,
  progress: Progress,
  now: number,
): Promise<TransactItem> {
  return {
    Put: {
      Item: {
        ...key,
        fingerprint: await fingerprint(tenancy, claim),
        expiresAt: ttl(claim.expiresAt),
        ...('answer' in progress ? { sealed: await encrypt(key, progress.answer) } : progress),
      },
      ConditionExpression: 'attribute_not_exists(pk) OR expiresAt <= :now',
      ExpressionAttributeValues: { ':now': ttl(now) },
    },
  };
}

/** The transaction's part that keeps the answer of a key taken before: the first answer stands. */
export async function recordAnswer(key: RowKey, answer: z.infer<typeof answerFormat>): Promise<TransactItem> {
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
