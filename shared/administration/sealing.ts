import * as z from 'zod';
import { answered, cursor, type Exchange, moment, nextCursor, total } from './fields.ts';
import { indexKeys } from './indexing.ts';

const version = (what: string) => z.int().min(1).max(65_535).describe(what);
const settledAt = () => moment('From when on every function seals by the current key.');
const about = () => total('About how many rows the table has');

export const showSealingKeys = {
  answer: answered({
    initialised: z.boolean().describe('Whether the service has its keys: without them no function works.'),
    current: version('The key that seals.').nullable(),
    versions: z
      .array(version('A key that opens rows.'))
      .describe('Ascending, the current one among them. No key itself.'),
    settled_at: settledAt().nullable(),
    use: z
      .array(
        z.object({
          version: version('The key.'),
          encryptions: z
            .int()
            .describe('How often it has sealed; at most 256 too many for each process, never too few.'),
          percent_of_limit: z.number().describe('Of the 2^32 that a key is good for; at 25 an alarm is due.'),
        }),
      )
      .describe('One for each version, in the same order.'),
    index: indexKeys.nullable(),
  }),
} satisfies Exchange;

export const countSealedRows = {
  query: z.strictObject({ cursor: cursor().optional() }),
  answer: answered({
    seen: z.int().describe('Of this page: rows looked at.'),
    rows: z
      .array(z.object({ version: version('The key that seals them.'), kind: z.string(), rows: z.int() }))
      .describe('Of this page: rows by key and kind; the sum over all pages is the count.'),
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
    restart: z.boolean().default(false).describe('From the first row, not from where the last run ended.'),
    units_per_second: z.int().min(1).max(40_000).default(200).describe('Capacity that a second of a call may take.'),
    cursor: cursor().optional().describe('The place itself is kept in the table: left out, the last run goes on too.'),
  }),
  answer: answered({
    version: version('The key that seals them now.'),
    seen: z.int().describe('Rows looked at, by this run so far.'),
    resealed: z.int().describe('Rows sealed anew, by this run so far.'),
    broken: z.array(z.string()).describe('Of this page: rows that do not open, by key; 20 at most.'),
    broken_count: z.int().describe('Of this page: how many do not open.'),
    settled_at: settledAt().describe('Before it functions may still seal by an older key: run it once more then.'),
    total: about(),
    next_cursor: nextCursor(),
  }),
} satisfies Exchange;

export const retireSealingKey = {
  body: z.strictObject({
    version: version('The key that goes for good; no row may need it.'),
    cursor: cursor().optional(),
  }),
  answer: answered({
    version: version('The key.'),
    retired: z.boolean().describe('true on the last page: it is gone.'),
    seen: z.int().describe('Rows looked at so far: each must be sealed by another key.'),
    total: about(),
    next_cursor: nextCursor(),
  }),
} satisfies Exchange;
