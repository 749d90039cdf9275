/**
 * Rows that are found by a text which nobody may read in the table (a CPF, a caller's Idempotency-Key) have a keyed
 * hash of that text in their key. The index key is changed so that no such row is overlooked at any moment:
 *
 * 1. The new key is written with a moment, `from`, which is so far ahead that every container knows it by then.
 * 2. Rows are written under the newest key whose `from` has passed, and looked up under all keys. Each transaction that
 *    makes a lead or takes an Idempotency-Key checks that no other key has such a row, so two containers on both sides
 *    of `from` cannot both write.
 * 3. `rewriting.ts` moves the rows that are found by a CPF. The texts of other rows are stored nowhere, so these rows
 *    stay until they expire.
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

export interface IndexPlace {
  readonly key: RowKey;
  readonly indexedBy: string;
}

interface HeldIndexKeys {
  readonly current: IndexKey;
  readonly newest: IndexKey;
  readonly oldestFirst: readonly IndexKey[];
}

/** Throws an Error if no index key has taken over. */
export async function indexKeys(now: Instant = Date.now()): Promise<HeldIndexKeys> {
  const { index } = await serviceKeys();
  const current = index.findLast(({ from }) => from <= now);
  if (!current) throw new Error('no index key has taken over');
  return { current, newest: index.at(-1) ?? current, oldestFirst: index };
}

const heldNames = async (): Promise<readonly string[]> => (await serviceKeys()).index.map(({ name }) => name);

const tableNames = z.object({ names: z.array(z.string()) });

/** Undefined on a new stage, before a check has stored the names. */
export async function indexKeysOfTable(): Promise<readonly string[] | undefined> {
  const row = await getRow(INDEXED_BY);
  return row && tableNames.parse(row).names;
}

/**
 * Under other keys no known person would be found, and each person would get a second lead. Throws a SafeError if the
 * secret holds other keys, or if the table is older than its last rotation.
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

/** 128 bits, base64url. */
export const indexHashBy = (index: IndexKey, purpose: string, { unitId, environment }: Tenancy, text: string) =>
  hashBy(index, [purpose, unitId, environment, text]);

function hashBy({ secret }: IndexKey, parts: readonly (string | number)[]): string {
  return createHmac('sha256', secret).update(JSON.stringify(parts)).digest().subarray(0, 16).toString('base64url');
}

/**
 * The hash is the same in every unit, because one search looks in all units. It differs from the hash in any row's key.
 */
export const auditHash = async (cpf: string): Promise<string> => hashBy((await indexKeys()).current, ['audit', cpf]);

/** A short secret in an address could be guessed from a plain hash, so the hash is keyed. */
export async function addressDigest(url: string): Promise<string> {
  const { current } = await indexKeys();
  return `${current.name}.${hashBy(current, ['address', new URL(url).href])}`;
}

export function cpfPlace(index: IndexKey, tenancy: Tenancy, cpf: string): IndexPlace {
  return { key: cpfKey(tenancy, indexHashBy(index, 'cpf', tenancy, cpf)), indexedBy: index.name };
}

export function cutoffPlace(index: IndexKey, tenancy: Tenancy, cpf: string): IndexPlace {
  return { key: cutoffKey(tenancy, indexHashBy(index, 'cutoff', tenancy, cpf)), indexedBy: index.name };
}

export function spousePlace(index: IndexKey, tenancy: Tenancy, cpf: string, submissionId: SubmissionId): IndexPlace {
  const hash = indexHashBy(index, 'spouse', tenancy, cpf);
  return { key: spouseKey(tenancy, hash, submissionId), indexedBy: index.name };
}
