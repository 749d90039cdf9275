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
import type { SubmissionId } from '#shared/domain/values/ids.ts';
import type { Tenancy } from '#shared/domain/values/tenancy.ts';
import { SafeError } from '#shared/runtime/log.ts';
import { getRow, putRow } from './client.ts';
import { forgetServiceKeys, type IndexKey, serviceKeys } from './encryption.ts';
import { cpfKey, INDEXED_BY, type RowKey, spouseKey } from './keys.ts';

/** Where the row of a text lies under one index key. */
export interface IndexPlace {
  readonly key: RowKey;
  /** The index key's name, kept in the row. */
  readonly indexedBy: string;
}

/** The index keys that are held: the one that rows are written under now, and the other while there are two. */
interface HeldIndexKeys {
  readonly current: IndexKey;
  readonly other: IndexKey | undefined;
}

/** The index keys as they are at `now` (milliseconds). */
export async function indexKeys(now = Date.now()): Promise<HeldIndexKeys> {
  const { index, nextIndex } = await serviceKeys();
  if (!nextIndex) return { current: index, other: undefined };
  return now < nextIndex.from ? { current: index, other: nextIndex.key } : { current: nextIndex.key, other: index };
}

/**
 * Makes sure that the index keys that are held are the table's: its row names those of the last look, the newest last, and
 * the newest is held still. Then it names those of today. Under others no known person would be found, and each would be
 * made anew. Throws a SafeError where the secret holds others, or the table is older than its last rotation.
 */
export async function confirmIndexKeys(): Promise<void> {
  const names = async () => (await keysOldestFirst()).map(({ name }) => name);
  const known = (await getRow(INDEXED_BY))?.['names'] as readonly string[] | undefined;
  const newest = known?.at(-1);
  // What this container remembers may be the keys from before a rotation.
  if (newest !== undefined && !(await names()).includes(newest)) forgetServiceKeys();
  const held = await names();
  if (newest !== undefined && !held.includes(newest))
    throw new SafeError(`rows are found by index key ${newest}, and ${held.join(' and ')} is held`);
  if (known?.join() !== held.join()) await putRow({ Item: { ...INDEXED_BY, names: held } });
}

/** The keyed hash of a text inside one unit and environment by one index key: 128 bits, base64url. */
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

/** A keyed hash of a text inside one unit and environment: finds equal values without telling which. 128 bits, base64url. */
export const indexHash = async (purpose: string, tenancy: Tenancy, text: string): Promise<string> =>
  indexHashBy((await indexKeys()).current, purpose, tenancy, text);

/** 64 bytes that follow from a text and an index key, which nobody can compute without it: by the current one, then by the other. */
export async function derivedBytes(purpose: string, text: string): Promise<readonly Uint8Array[]> {
  const { current, other } = await indexKeys();
  return [current, ...(other ? [other] : [])].map(({ secret }) =>
    createHmac('sha512', secret)
      .update(JSON.stringify([purpose, text]))
      .digest(),
  );
}

/** Where the lead with a CPF is found by one index key. */
export function cpfPlace(index: IndexKey, tenancy: Tenancy, cpf: string): IndexPlace {
  return { key: cpfKey(tenancy, indexHashBy(index, 'cpf', tenancy, cpf)), indexedBy: index.name };
}

/** Where a submission that names the spouse with a CPF is found by one index key. */
export function spousePlace(index: IndexKey, tenancy: Tenancy, cpf: string, submissionId: SubmissionId): IndexPlace {
  const hash = indexHashBy(index, 'spouse', tenancy, cpf);
  return { key: spouseKey(tenancy, hash, submissionId), indexedBy: index.name };
}

/** Where the lead with a CPF is found, and where else while two index keys are held. */
export async function cpfPlaces(
  tenancy: Tenancy,
  cpf: string,
): Promise<{ readonly current: IndexPlace; readonly other: IndexPlace | undefined }> {
  const { current, other } = await indexKeys();
  return { current: cpfPlace(current, tenancy, cpf), other: other && cpfPlace(other, tenancy, cpf) };
}

/** The index keys that are held, the older of two first: the order in which a row moves. */
export async function keysOldestFirst(): Promise<readonly IndexKey[]> {
  const { index, nextIndex } = await serviceKeys();
  return [index, ...(nextIndex ? [nextIndex.key] : [])];
}

/** Where the lead with a CPF is found, under the older index key first. */
export async function cpfKeysOldestFirst(tenancy: Tenancy, cpf: string): Promise<readonly RowKey[]> {
  return (await keysOldestFirst()).map((one) => cpfPlace(one, tenancy, cpf).key);
}
