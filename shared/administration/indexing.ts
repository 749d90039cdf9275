import * as z from 'zod/mini';
import { described } from '../contract/described.ts';
import type { IndexKeys } from '../domain/sealing/rotation.ts';
import { answered, cursor, moment, nextCursor, tableRun, total } from './fields.ts';
import { noun, SECURITY, SECURITY_READERS } from './operation.ts';
import { toWire } from './wire.ts';

const { read, change } = noun('indexing');

const keyName = (what: string) =>
  described(z.string().check(z.regex(/^[\w-]{8}$/, 'must be 8 letters: show-sealing-keys names the index keys')), what);
const tableTotal = () => total('About how many rows the table has');

/** Names of the index keys. Rows are found by the hashes that these keys make. */
export const indexKeys = described(
  z.object({
    name: keyName('The only index key, or the older of two. Never the key itself.'),
    next: described(
      z.nullable(
        z.object({
          name: keyName('The newer key.'),
          takes_over_at: moment('From when on rows are written under the newer key.'),
          settled_at: moment('From when on no row is written under the older key: reindex-rows may begin.'),
        }),
      ),
      'null: there is one index key, and no rotation is running.',
    ),
  }),
  'The index keys: CPFs and Idempotency-Keys are found by hashes made with them.',
);

export const rotateIndexKey = change('rotate-index-key', 'POST /v1/index-keys/rotate', {
  english: 'make a new index key and keep the old one: rows are found by both',
  portuguese: 'Trocar chave de índice',
  duties: SECURITY,
  confirm: { fields: ['name'] },
  permission: { reads: [], writes: [], secrets: ['keys'], writesSecrets: ['keys'] },
  body: z.strictObject({ name: keyName('The key to replace: refused if another call has replaced it.') }),
  answer: answered({ index: indexKeys }),
});

export const countOlderRows = read('count-older-rows', 'GET /v1/index-keys/rows', {
  portuguese: 'Contar linhas da chave de índice anterior',
  duties: SECURITY_READERS,
  permission: { table: ['Scan', 'DescribeTable'], reads: 'all', writes: [], secrets: ['keys'] },
  query: z.strictObject({ cursor: z.optional(cursor()) }),
  answer: answered({
    seen: described(z.int(), 'Rows of this page looked at.'),
    cpfs: described(z.int(), 'CPFs of this page under the older key; reindex-rows moves them.'),
    records: described(
      z.int(),
      'Idempotency-Keys and ends of consents of this page under the older key; they end by themselves.',
    ),
    records_until: z.nullable(moment('When the last of these rows of this page ends.')),
    total: tableTotal(),
    next_cursor: nextCursor(),
  }),
});

export const reindexRows = change('reindex-rows', 'POST /v1/index-keys/reindex', {
  english: 'move CPFs to the new index key; the next run continues an interrupted one',
  portuguese: 'Mover linhas para a nova chave de índice',
  duties: SECURITY,
  permission: {
    table: ['GetItem', 'DeleteItem', 'Scan', 'DescribeTable'],
    reads: 'all',
    writes: ['CPF', 'SPOUSE', 'CURSOR'],
    deletes: ['CPF', 'SPOUSE', 'CURSOR'],
    secrets: ['keys'],
  },
  body: z.strictObject({ ...tableRun() }),
  answer: answered({
    name: keyName('The key under which the CPFs are now.'),
    seen: described(z.int(), 'Rows that this run has looked at so far.'),
    moved: described(z.int(), 'CPFs that this run has moved so far.'),
    removed: described(z.int(), 'CPFs of erased persons that this run has removed so far.'),
    broken: described(
      z.array(z.string()),
      'Rows of CPFs that cannot be moved: the first 20 that this run has found so far.',
    ),
    broken_count: described(z.int(), 'How many CPFs that cannot be moved this run has found so far.'),
    total: tableTotal(),
    next_cursor: nextCursor(),
  }),
});

export const retireIndexKey = change('retire-index-key', 'POST /v1/index-keys/retire', {
  english: 'remove the old index key, once no row is under it',
  portuguese: 'Aposentar chave de índice',
  duties: SECURITY,
  confirm: { fields: ['name'] },
  permission: {
    table: ['GetItem', 'DeleteItem', 'Scan', 'DescribeTable'],
    reads: 'all',
    writes: ['INDEXED', 'CURSOR'],
    deletes: ['CURSOR'],
    secrets: ['keys'],
    writesSecrets: ['keys'],
  },
  body: z.strictObject({
    name: keyName('The older key, which is removed for good. No row may be under it.'),
    cursor: z.optional(cursor()),
  }),
  answer: answered({
    name: keyName('The key.'),
    retired: described(z.boolean(), 'true on the last page: the key is removed.'),
    seen: described(z.int(), 'Rows looked at so far.'),
    total: tableTotal(),
    next_cursor: nextCursor(),
  }),
});

/** The operations of this noun, in the document's order. */
export const INDEXING_OPERATIONS = [countOlderRows, rotateIndexKey, reindexRows, retireIndexKey] as const;

export const indexBody = ({ name, next }: IndexKeys) =>
  toWire(indexKeys, { name, next: next && { ...next, takesOverAt: next.from } });
