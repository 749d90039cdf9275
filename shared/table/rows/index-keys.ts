/**
 * Rows that are found by a text which nobody may read off them (a CPF, a caller's Idempotency-Key) have a keyed hash of it
 * in their key. The key of that hash, the index key, is rotated without a moment in which such a row is overlooked:
 *
 * 1. The new key is written with a moment, `from`, so far ahead that every container knows both keys by then.
 * 2. Until `from` containers write under the older key, from then on under the newer. As long as a container knows both it
 *    looks under both, and each transaction that makes such a row makes sure that the other key has none: of two
 *    containers, one still before `from` and one past it, one is refused.
 * 3. The rows of CPFs, leads' and spouses', are moved (`reindexing.ts`); what callers' keys have left cannot be, as their texts are kept nowhere: it
 *    ends by itself within 30 days.
 * 4. Once the older key has no row, it is retired.
 *
 * While two keys are held, a lead's creation and each claim of a key cost a condition check more: two write units.
 */
import { createHmac } from 'node:crypto';
import * as z from 'zod/mini';
import type { SubmissionId } from '#shared/domain/values/ids.ts';
import type { Tenancy } from '#shared/domain/values/tenancy.ts';
import type { Instant } from '#shared/domain/values/time.ts';
import { SafeError } from '#shared/runtime/log.ts';
import { getRow, putRow } from './client.ts';
import { forgetServiceKeys, type IndexKey, serviceKeys } from './encryption.ts';
import { cpfKey, INDEXED_BY, type RowKey, spouseKey } from './keys.ts';

/** Place of a row under one index key. */
export interface IndexPlace {
  readonly key: RowKey;
  /** Name of the index key, kept in the row. */
  readonly indexedBy: string;
}

/** Index keys that are held. */
interface HeldIndexKeys {
  /** Key that rows are written under now. */
  readonly current: IndexKey;
  /** The other one while two are held. */
  readonly other: IndexKey | undefined;
  /** The newer of two, else the only one. */
  readonly newer: IndexKey;
}

/** Returns the index keys as they are at `now`. */
export async function indexKeys(now: Instant = Date.now()): Promise<HeldIndexKeys> {
  const { index, nextIndex } = await serviceKeys();
  if (!nextIndex) return { current: index, other: undefined, newer: index };
  const newer = nextIndex.key;
  return now < nextIndex.from ? { current: index, other: newer, newer } : { current: newer, other: index, newer };
}

/** Names of the index keys that are held, the older of two first. */
async function heldNames(): Promise<readonly string[]> {
  const { index, nextIndex } = await serviceKeys();
  return nextIndex ? [index.name, nextIndex.key.name] : [index.name];
}

const tableNames = z.object({ names: z.array(z.string()) });

/**
 * Makes sure that the index keys that are held are the table's. The table names in a row the keys of the last look, the
 * newest last; the newest must still be held. Then the row gets the names of today's keys. Under other keys no known person
 * would be found, and a second lead would be made for each. Throws a SafeError if the secret holds other keys, or if the
 * table is older than its last rotation.
 */
export async function confirmIndexKeys(): Promise<void> {
  const row = await getRow(INDEXED_BY);
  const known = row && tableNames.parse(row).names;
  const newest = known?.at(-1);
  // What this container remembers may be the keys from before a rotation.
  if (newest !== undefined && !(await heldNames()).includes(newest)) forgetServiceKeys();
  const held = await heldNames();
  if (newest !== undefined && !held.includes(newest))
    throw new SafeError(`rows are found by index key ${newest}, and ${held.join(' and ')} is held`);
  if (known?.join() !== held.join()) await putRow({ Item: { ...INDEXED_BY, names: held } });
}

/** Returns the keyed hash of a text inside one unit and environment by one index key: 128 bits, base64url. */
export function indexHashBy(
  { secret }: IndexKey,
  purpose: string,
  { unitId, environment }: Tenancy,
  text: string,
): string {
  return createHmac('sha256', secret)
    .update(JSON.stringify([purpose, unitId, environment, text]))
    .digest()
    .subarray(0, 16)
    .toString('base64url');
}

/** Returns the same by the current index key. Equal texts have equal hashes, which do not tell the text. */
export const indexHash = async (purpose: string, tenancy: Tenancy, text: string): Promise<string> =>
  indexHashBy((await indexKeys()).current, purpose, tenancy, text);

/** 64 bytes that follow from a text and an index key. Nobody can compute them without the key. */
interface DerivedBytes {
  readonly current: Uint8Array;
  /** By the other index key while two are held. */
  readonly other: Uint8Array | undefined;
}

/** Derives bytes from a text, by each index key that is held. */
export async function derivedBytes(purpose: string, text: string): Promise<DerivedBytes> {
  const { current, other } = await indexKeys();
  const message = JSON.stringify([purpose, text]);
  const by = ({ secret }: IndexKey) => createHmac('sha512', secret).update(message).digest();
  return { current: by(current), other: other && by(other) };
}

/** Place of the row that leads from a CPF to its lead. */
export function cpfPlace(index: IndexKey, tenancy: Tenancy, cpf: string): IndexPlace {
  return { key: cpfKey(tenancy, indexHashBy(index, 'cpf', tenancy, cpf)), indexedBy: index.name };
}

/** Place of the row that leads from a spouse's CPF to a submission. */
export function spousePlace(index: IndexKey, tenancy: Tenancy, cpf: string, submissionId: SubmissionId): IndexPlace {
  const hash = indexHashBy(index, 'spouse', tenancy, cpf);
  return { key: spouseKey(tenancy, hash, submissionId), indexedBy: index.name };
}
