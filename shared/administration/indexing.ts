import * as z from 'zod/mini';
import { described } from '../contract/described.ts';
import type { IndexKeys } from '../domain/sealing/ports.ts';
import { timestamp } from '../domain/values/clock.ts';
import { answered, cursor, type Exchange, moment, nextCursor, tableRun, total } from './fields.ts';

const keyName = (what: string) =>
  described(z.string().check(z.regex(/^[\w-]{8}$/, 'must be 8 letters: show-sealing-keys names the index keys')), what);
const about = () => total('About how many rows the table has');

/** The index keys by name, of whose hashes rows are found. */
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

export const rotateIndexKey = {
  body: z.strictObject({ name: keyName('The key that is to be replaced; another call may have replaced it.') }),
  answer: answered({ index: indexKeys }),
} satisfies Exchange;

export const countOlderRows = {
  query: z.strictObject({ cursor: z.optional(cursor()) }),
  answer: answered({
    seen: described(z.int(), 'Of this page: rows looked at.'),
    cpfs: described(z.int(), 'Of this page: CPFs that lie under the older key; reindex-rows moves them.'),
    records: described(z.int(), 'Of this page: Idempotency-Keys remembered under it; they end by themselves.'),
    records_until: z.nullable(moment('Of this page: when the last of those ends.')),
    total: about(),
    next_cursor: nextCursor(),
  }),
} satisfies Exchange;

export const reindexRows = {
  body: z.strictObject({
    ...tableRun(),
  }),
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
} satisfies Exchange;

export const retireIndexKey = {
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
} satisfies Exchange;

export function indexBody({ name, next }: IndexKeys): z.input<typeof indexKeys> {
  if (!next) return { name, next: null };
  return {
    name,
    next: { name: next.name, takes_over_at: timestamp(next.from), settled_at: timestamp(next.settledAt) },
  };
}
