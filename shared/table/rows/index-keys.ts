/**
 * Rows that are found by a text which nobody may read in the table (a CPF, a caller's Idempotency-Key) have a keyed
 * hash of that text in their key. The key of the hash is the index key. It is changed so that no such row is overlooked
 * at any moment:
 *
 * 1. The new key is written with a moment, `from`, which is so far ahead that every container knows it by then.
 * 2. Rows are written under the newest key whose `from` has passed, and looked up under all keys. Each transaction that
 *   makes a lead or takes an Idempotency-Key checks that no other key has such a row. If two containers write the same
 *   text, one still before `from` and the other past it, one of the two writes is refused.
 * 3. `rewriting.ts` moves the rows that are found by a CPF. The records of Idempotency-Keys and the cutoffs of consents
 *   cannot be moved, because the texts are stored nowhere. They end within 30 days and the stage's `consentDays`.
 * 4. Once no row lies under an older key, that key is retired.
 *
 * Each older key costs each creation of a lead and each claim of an Idempotency-Key one condition check more: two write
 * units. A submission costs one more for the cutoff. So a service holds at most MOST_INDEX_KEYS.
 */
import { createHmac } from 'node:crypto';
import * as z from 'zod/mini';
import type { SubmissionId } from '#shared/domain/values/ids.ts';
import type { Tenancy } from '#shared/domain/values/tenancy.ts';
import type { Instant } from '#shared/domain/values/time.ts';
import { SafeError } from '#shared/runtime/log.ts';
import { getRow, putRow } from './client.ts';
import { forgetServiceKeys, type IndexKey, serviceKeys } from './encryption.ts';
import { cpfKey, cutoffKey, INDEXED_BY, type RowKey, spouseKey } from './keys.ts';

/** Place of a row under one index key. */
export interface IndexPlace {
  readonly key: RowKey;
  /** Name of the index key, kept in the row. */
  readonly indexedBy: string;
}

/** Index keys that are held. */
interface HeldIndexKeys {
  /** Key under which rows are written now. */
  readonly current: IndexKey;
  readonly newest: IndexKey;
  readonly oldestFirst: readonly IndexKey[];
}

/** Returns the index keys that are held at `now`. Throws an Error if none has taken over. */
export async function indexKeys(now: Instant = Date.now()): Promise<HeldIndexKeys> {
  const { index } = await serviceKeys();
  const current = index.findLast(({ from }) => from <= now);
  if (!current) throw new Error('no index key has taken over');
  return { current, newest: index.at(-1) ?? current, oldestFirst: index };
}

/** Returns the names of the index keys that are held, the newest last. */
const heldNames = async (): Promise<readonly string[]> => (await serviceKeys()).index.map(({ name }) => name);

const tableNames = z.object({ names: z.array(z.string()) });

/**
 * Returns the names of the index keys by which rows of this table are found, the newest last. Undefined if no check has
 * noted them yet: on a new stage.
 */
export async function indexKeysOfTable(): Promise<readonly string[] | undefined> {
  const row = await getRow(INDEXED_BY);
  return row && tableNames.parse(row).names;
}

/**
 * Checks that the index keys of the secret belong to this table. A row of the table names the index keys of the last
 * check, the newest last. If that newest key is still held, the row gets the names of the keys that are held now. Under
 * other keys no known person would be found, and each would get a second lead. Throws a SafeError if the secret holds
 * other keys, or if the table is older than its last rotation.
 */
export async function confirmIndexKeys(): Promise<void> {
  const known = await indexKeysOfTable();
  const newest = known?.at(-1);
  // This container may still hold the keys from before a rotation.
  if (newest !== undefined && !(await heldNames()).includes(newest)) forgetServiceKeys();
  const held = await heldNames();
  if (newest !== undefined && !held.includes(newest))
    throw new SafeError(`rows are found by index key ${newest}, and ${held.join(' and ')} is held`);
  if (known?.join() !== held.join()) await putRow({ Item: { ...INDEXED_BY, names: held } });
}

/** Returns the keyed hash of a text inside one unit and environment by one index key: 128 bits, base64url. */
export const indexHashBy = (index: IndexKey, purpose: string, { unitId, environment }: Tenancy, text: string) =>
  hashBy(index, [purpose, unitId, environment, text]);

function hashBy({ secret }: IndexKey, parts: readonly (string | number)[]): string {
  return createHmac('sha256', secret).update(JSON.stringify(parts)).digest().subarray(0, 16).toString('base64url');
}

/**
 * Returns the keyed hash of a CPF for the audit, by the current index key. It is the same in every unit, since one search
 * looks in all of them, and it is not the hash in any row's key.
 */
export const auditHash = async (cpf: string): Promise<string> => hashBy((await indexKeys()).current, ['audit', cpf]);

/**
 * Returns the keyed hash of a whole address for the audit, after the name of the current index key. A plain hash of a
 * short address with a secret in its query could be guessed.
 */
export async function addressDigest(url: string): Promise<string> {
  const { current } = await indexKeys();
  return `${current.name}.${hashBy(current, ['address', new URL(url).href])}`;
}

/** Place of the row that leads from a CPF to its lead. */
export function cpfPlace(index: IndexKey, tenancy: Tenancy, cpf: string): IndexPlace {
  return { key: cpfKey(tenancy, indexHashBy(index, 'cpf', tenancy, cpf)), indexedBy: index.name };
}

/** Place of the row that says up to when no consent of the person with a CPF counts. */
export function cutoffPlace(index: IndexKey, tenancy: Tenancy, cpf: string): IndexPlace {
  return { key: cutoffKey(tenancy, indexHashBy(index, 'cutoff', tenancy, cpf)), indexedBy: index.name };
}

/** Place of the row that leads from a spouse's CPF to a submission. */
export function spousePlace(index: IndexKey, tenancy: Tenancy, cpf: string, submissionId: SubmissionId): IndexPlace {
  const hash = indexHashBy(index, 'spouse', tenancy, cpf);
  return { key: spouseKey(tenancy, hash, submissionId), indexedBy: index.name };
}
