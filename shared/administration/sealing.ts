import * as z from 'zod/mini';
import { described } from '../contract/described.ts';
import { answered, cursor, moment, nextCursor, tableRun, total } from './fields.ts';
import { indexKeys } from './indexing.ts';
import { noun, SECURITY, SECURITY_READERS } from './operation.ts';

const { read, change } = noun('sealing');

const version = (what: string) => described(z.int().check(z.minimum(1), z.maximum(65_535)), what);
const settledAt = () => moment('From when on every function seals with the current key.');
const keptUntil = () =>
  moment('Until when copies of the table may need the key. The next retirement after that deletes it.');
const tableTotal = () => total('About how many rows the table has');

export const showSealingKeys = read('show-sealing-keys', 'GET /v1/sealing-keys', {
  portuguese: 'Ver chaves do serviço',
  duties: SECURITY_READERS,
  permission: {
    table: ['BatchGetItem'],
    reads: ['ENCRYPTIONS'],
    writes: [],
    secrets: ['keys', 'retiredKeys'],
    describesSecrets: ['keys'],
  },
  answer: answered({
    initialised: described(z.boolean(), 'Whether the service has its keys. Without them no function works.'),
    current: z.nullable(version('The key that seals.')),
    versions: described(
      z.array(version('A key that opens rows.')),
      'Ascending, with the current key. Never the keys themselves.',
    ),
    settled_at: z.nullable(settledAt()),
    use: described(
      z.array(
        z.object({
          version: version('The key.'),
          encryptions: described(
            z.int(),
            'How often the key has sealed. The count may be up to 256 too high for each process, never too low.',
          ),
          percent_of_limit: described(
            z.number(),
            'Percent of the 2^32 seals that a key is good for. An alarm goes off at 25.',
          ),
        }),
      ),
      'One entry for each version, in the same order.',
    ),
    retired: described(
      z.array(z.object({ version: version('A key that only opens rows of copies.'), kept_until: keptUntil() })),
      'Ascending. A restored copy can be read once its rows are sealed again (`reencrypt`).',
    ),
    index: z.nullable(indexKeys),
  }),
});

export const countSealedRows = read('count-sealed-rows', 'GET /v1/sealing-keys/rows', {
  portuguese: 'Contar linhas cifradas',
  duties: SECURITY_READERS,
  permission: { table: ['Scan', 'DescribeTable'], reads: 'all', writes: [] },
  query: z.strictObject({ cursor: z.optional(cursor()) }),
  answer: answered({
    seen: described(z.int(), 'Rows of this page looked at.'),
    rows: described(
      z.array(z.object({ version: version('The key that seals them.'), kind: z.string(), rows: z.int() })),
      'Rows of this page by key and kind. The count is the sum over all pages.',
    ),
    total: tableTotal(),
    next_cursor: nextCursor(),
  }),
});

export const initServiceKeys = change('init-service-keys', 'POST /v1/sealing-keys/init', {
  english: "write the service's own keys, on a new stage",
  portuguese: 'Criar chaves do serviço',
  duties: SECURITY,
  permission: {
    table: ['GetItem'],
    reads: ['INDEXED'],
    writes: [],
    describesSecrets: ['keys'],
    writesSecrets: ['keys'],
  },
  body: z.strictObject({}),
  answer: answered({ initialised: z.literal(true) }),
});

export const rotateSealingKey = change('rotate-sealing-key', 'POST /v1/sealing-keys/rotate', {
  english: 'make a new sealing key for new rows; the old keys still open their rows',
  portuguese: 'Trocar chave do serviço',
  duties: SECURITY,
  confirm: { fields: ['current'] },
  permission: { reads: [], writes: [], secrets: ['keys'], writesSecrets: ['keys'] },
  body: z.strictObject({ current: version('The key to replace: refused if another call has replaced it.') }),
  answer: answered({
    current: version('The new key.'),
    replaced: version('The old key, which still opens its rows.'),
    settled_at: settledAt(),
  }),
});

export const reencryptRows = change('reencrypt-rows', 'POST /v1/sealing-keys/reencrypt', {
  english: 'seal again the rows of older keys, also of retired ones; the next run continues an interrupted one',
  portuguese: 'Cifrar linhas de novo',
  duties: SECURITY,
  permission: {
    table: ['GetItem', 'DeleteItem', 'Scan', 'DescribeTable'],
    reads: 'all',
    writes: ['PARTNER', 'LEAD', 'IDEMPOTENCY', 'OPPORTUNITY', 'FORM', 'CONSENT', 'APPROVAL', 'CURSOR', 'ENCRYPTIONS'],
    deletes: ['CURSOR'],
    reencrypts: true,
    secrets: ['keys', 'retiredKeys'],
  },
  body: z.strictObject({
    restart: described(
      z._default(z.boolean(), false),
      'true: start at the first row, not at the place where the last run ended.',
    ),
    ...tableRun(),
  }),
  answer: answered({
    version: version('The key that seals the rows now.'),
    seen: described(z.int(), 'Rows that this run has looked at so far.'),
    resealed: described(z.int(), 'Rows that this run has sealed again so far.'),
    broken: described(
      z.array(z.string()),
      'Keys of rows that do not open: the first 20 that this run has found so far.',
    ),
    broken_count: described(z.int(), 'How many rows that do not open this run has found so far.'),
    settled_at: described(
      settledAt(),
      'Until then functions may still seal with an older key: run this once more afterwards.',
    ),
    total: tableTotal(),
    next_cursor: nextCursor(),
  }),
});

export const retireSealingKey = change('retire-sealing-key', 'POST /v1/sealing-keys/retire', {
  english: 'remove an old sealing key, once no row needs it; it is kept for copies of the table',
  portuguese: 'Aposentar chave do serviço',
  duties: SECURITY,
  confirm: { fields: ['version'] },
  permission: {
    table: ['GetItem', 'DeleteItem', 'Scan', 'DescribeTable'],
    reads: 'all',
    writes: ['CURSOR'],
    deletes: ['CURSOR'],
    secrets: ['keys', 'retiredKeys'],
    writesSecrets: ['keys', 'retiredKeys'],
  },
  body: z.strictObject({
    version: version('The key to remove for good. No row may need it.'),
    cursor: z.optional(cursor()),
  }),
  answer: answered({
    version: version('The key.'),
    retired: described(z.boolean(), 'true on the last page: no function has the key any more.'),
    kept_until: z.nullable(keptUntil()),
    seen: described(z.int(), 'Rows looked at so far. Each must be sealed with another key.'),
    total: tableTotal(),
    next_cursor: nextCursor(),
  }),
});

/** The operations of this noun, in the document's order. */
export const SEALING_OPERATIONS = [
  showSealingKeys,
  countSealedRows,
  initServiceKeys,
  rotateSealingKey,
  reencryptRows,
  retireSealingKey,
] as const;
