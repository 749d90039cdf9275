import * as z from 'zod/mini';
import { described } from '../contract/described.ts';
import { answered, cursor, type Exchange, moment, nextCursor, tableRun, total } from './fields.ts';
import { indexKeys } from './indexing.ts';

const version = (what: string) => described(z.int().check(z.minimum(1), z.maximum(65_535)), what);
const settledAt = () => moment('From when on every function seals by the current key.');
const about = () => total('About how many rows the table has');

export const showSealingKeys = {
  answer: answered({
    initialised: described(z.boolean(), 'Whether the service has its keys: without them no function works.'),
    current: z.nullable(version('The key that seals.')),
    versions: described(
      z.array(version('A key that opens rows.')),
      'Ascending, the current one among them. No key itself.',
    ),
    settled_at: z.nullable(settledAt()),
    use: described(
      z.array(
        z.object({
          version: version('The key.'),
          encryptions: described(
            z.int(),
            'How often it has sealed; at most 256 too many for each process, never too few.',
          ),
          percent_of_limit: described(z.number(), 'Of the 2^32 that a key is good for; at 25 an alarm is due.'),
        }),
      ),
      'One for each version, in the same order.',
    ),
    index: z.nullable(indexKeys),
  }),
} satisfies Exchange;

export const countSealedRows = {
  query: z.strictObject({ cursor: z.optional(cursor()) }),
  answer: answered({
    seen: described(z.int(), 'Of this page: rows looked at.'),
    rows: described(
      z.array(z.object({ version: version('The key that seals them.'), kind: z.string(), rows: z.int() })),
      'Of this page: rows by key and kind; the sum over all pages is the count.',
    ),
    total: about(),
    next_cursor: nextCursor(),
  }),
} satisfies Exchange;

export const initServiceKeys = {
  body: z.strictObject({}),
  answer: answered({ initialised: z.literal(true) }),
} satisfies Exchange;

export const rotateSealingKey = {
  body: z.strictObject({ current: version('The key that is to be replaced; another call may have replaced it.') }),
  answer: answered({
    current: version('The new key.'),
    replaced: version('Goes on opening its rows.'),
    settled_at: settledAt(),
  }),
} satisfies Exchange;

export const reencryptRows = {
  body: z.strictObject({
    restart: described(z._default(z.boolean(), false), 'From the first row, not from where the last run ended.'),
    ...tableRun(),
  }),
  answer: answered({
    version: version('The key that seals them now.'),
    seen: described(z.int(), 'Rows looked at, by this run so far.'),
    resealed: described(z.int(), 'Rows sealed anew, by this run so far.'),
    broken: described(z.array(z.string()), 'Rows that do not open, found by this run so far, by key; the first 20.'),
    broken_count: described(z.int(), 'How many do not open, found by this run so far.'),
    settled_at: described(settledAt(), 'Before it functions may still seal by an older key: run it once more then.'),
    total: about(),
    next_cursor: nextCursor(),
  }),
} satisfies Exchange;

export const retireSealingKey = {
  body: z.strictObject({
    version: version('The key that goes for good; no row may need it.'),
    cursor: z.optional(cursor()),
  }),
  answer: answered({
    version: version('The key.'),
    retired: described(z.boolean(), 'true on the last page: it is gone.'),
    seen: described(z.int(), 'Rows looked at so far: each must be sealed by another key.'),
    total: about(),
    next_cursor: nextCursor(),
  }),
} satisfies Exchange;
