import * as z from 'zod/mini';
import { described } from '../contract/described.ts';
import type { IndexKeys } from '../domain/sealing/rotation.ts';
import { answered, cursor, moment, nextCursor, tableRun, total } from './fields.ts';
import { noun, SECURITY, SECURITY_READERS } from './operation.ts';
import { toWire } from './wire.ts';

const { read, change } = noun('indexing');

const keyName = (what: string) =>
  described(z.string().check(z.regex(/^[\w-]{8}$/, 'must be 8 letters: show-sealing-keys names the index keys')), what);
const about = () => total('About how many rows the table has');

/** Names of the index keys. Rows are found by the hashes that these keys make. */
export const indexKeys = described(
  z.object({
    name: keyName('The only one, or the older of two. No key itself.'),
    next: described(
      z.nullable(
        z.object({
          name: keyName('The newer key.'),
          takes_over_at: moment('From when on rows are written under it.'),
          settled_at: moment('From when on no row is written under the older: reindex-rows may begin.'),
        }),
      ),
      'null: one index key is held, no rotation is under way.',
    ),
  }),
  'The keys of the hashes by which CPFs and Idempotency-Keys are found.',
);

export const rotateIndexKey = change('rotate-index-key', 'POST /v1/index-keys/rotate', {
  english: 'make a new index key beside the old one: rows are found by both',
  portuguese: 'Trocar chave de índice',
  duties: SECURITY,
  confirm: { fields: ['name'] },
  permission: { secrets: ['keys'], writesSecrets: ['keys'] },
  body: z.strictObject({ name: keyName('The key that is to be replaced; another call may have replaced it.') }),
  answer: answered({ index: indexKeys }),
});

export const countOlderRows = read('count-older-rows', 'GET /v1/index-keys/rows', {
  portuguese: 'Contar linhas da chave de índice anterior',
  duties: SECURITY_READERS,
  permission: { table: ['Scan', 'DescribeTable'], secrets: ['keys'] },
  query: z.strictObject({ cursor: z.optional(cursor()) }),
  answer: answered({
    seen: described(z.int(), 'Of this page: rows looked at.'),
    cpfs: described(z.int(), 'Of this page: CPFs that lie under the older key; reindex-rows moves them.'),
    records: described(z.int(), 'Of this page: Idempotency-Keys remembered under it; they end by themselves.'),
    records_until: z.nullable(moment('Of this page: when the last of those ends.')),
    total: about(),
    next_cursor: nextCursor(),
  }),
});

export const reindexRows = change('reindex-rows', 'POST /v1/index-keys/reindex', {
  english: 'move CPFs to the new index key; ended at any point, the next run goes on',
  portuguese: 'Mover linhas para a nova chave de índice',
  duties: SECURITY,
  permission: { table: ['GetItem', 'DeleteItem', 'Scan', 'DescribeTable'], secrets: ['keys'] },
  body: z.strictObject({ ...tableRun() }),
  answer: answered({
    name: keyName('The key that they lie under now.'),
    seen: described(z.int(), 'Rows looked at, by this run so far.'),
    moved: described(z.int(), 'CPFs moved, by this run so far.'),
    removed: described(z.int(), 'CPFs of erased persons taken away, by this run so far.'),
    broken: described(
      z.array(z.string()),
      'CPFs that cannot be moved, found by this run so far, by row; the first 20.',
    ),
    broken_count: described(z.int(), 'How many cannot be moved, found by this run so far.'),
    total: about(),
    next_cursor: nextCursor(),
  }),
});

export const retireIndexKey = change('retire-index-key', 'POST /v1/index-keys/retire', {
  english: 'take the old index key away, once nothing lies under it',
  portuguese: 'Aposentar chave de índice',
  duties: SECURITY,
  confirm: { fields: ['name'] },
  permission: { table: ['GetItem', 'DeleteItem', 'Scan', 'DescribeTable'], secrets: ['keys'], writesSecrets: ['keys'] },
  body: z.strictObject({
    name: keyName('The older key, which goes for good; no row may lie under it.'),
    cursor: z.optional(cursor()),
  }),
  answer: answered({
    name: keyName('The key.'),
    retired: described(z.boolean(), 'true on the last page: it is gone.'),
    seen: described(z.int(), 'Rows looked at so far.'),
    total: about(),
    next_cursor: nextCursor(),
  }),
});

/** The operations of this noun, in the document's order. */
export const INDEXING_OPERATIONS = [countOlderRows, rotateIndexKey, reindexRows, retireIndexKey] as const;

export const indexBody = ({ name, next }: IndexKeys) =>
  toWire(indexKeys, { name, next: next && { ...next, takesOverAt: next.from } });
