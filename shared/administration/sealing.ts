import * as z from 'zod/mini';
import { described } from '../contract/described.ts';
import { answered, cursor, moment, nextCursor, tableRun, total } from './fields.ts';
import { indexKeys } from './indexing.ts';
import { noun, SECURITY, SECURITY_READERS } from './operation.ts';

const { read, change } = noun('sealing');

const version = (what: string) => described(z.int().check(z.minimum(1), z.maximum(65_535)), what);
const settledAt = () => moment('From when on every function seals by the current key.');
const keptUntil = () => moment('Until when copies of the table may need it; the next retirement after that drops it.');
const about = () => total('About how many rows the table has');

export const showSealingKeys = read('show-sealing-keys', 'GET /v1/sealing-keys', {
  portuguese: 'Ver chaves do serviço',
  duties: SECURITY_READERS,
  permission: { table: ['BatchGetItem'], secrets: ['keys', 'retiredKeys'], describesSecrets: ['keys'] },
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
    retired: described(
      z.array(z.object({ version: version('A key that opens rows of copies alone.'), kept_until: keptUntil() })),
      'Ascending. A restored copy is read once its rows are sealed anew (`reencrypt`).',
    ),
    index: z.nullable(indexKeys),
  }),
});

export const countSealedRows = read('count-sealed-rows', 'GET /v1/sealing-keys/rows', {
  portuguese: 'Contar linhas cifradas',
  duties: SECURITY_READERS,
  permission: { table: ['Scan', 'DescribeTable'] },
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
});

export const initServiceKeys = change('init-service-keys', 'POST /v1/sealing-keys/init', {
  english: "write the service's own sealing and index keys, once for each stage",
  portuguese: 'Criar chaves do serviço',
  duties: SECURITY,
  permission: { describesSecrets: ['keys'], writesSecrets: ['keys'] },
  body: z.strictObject({}),
  answer: answered({ initialised: z.literal(true) }),
});

export const rotateSealingKey = change('rotate-sealing-key', 'POST /v1/sealing-keys/rotate', {
  english: 'make a new sealing key: new rows take it, the old ones still open',
  portuguese: 'Trocar chave do serviço',
  duties: SECURITY,
  confirm: { fields: ['current'] },
  permission: { secrets: ['keys'], writesSecrets: ['keys'] },
  body: z.strictObject({ current: version('The key that is to be replaced; another call may have replaced it.') }),
  answer: answered({
    current: version('The new key.'),
    replaced: version('Goes on opening its rows.'),
    settled_at: settledAt(),
  }),
});

export const reencryptRows = change('reencrypt-rows', 'POST /v1/sealing-keys/reencrypt', {
  english: 'seal rows of older keys anew, retired ones too; ended at any point, the next run goes on',
  portuguese: 'Cifrar linhas de novo',
  duties: SECURITY,
  permission: {
    table: ['GetItem', 'DeleteItem', 'Scan', 'DescribeTable'],
    reencrypts: true,
    secrets: ['keys', 'retiredKeys'],
  },
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
});

export const retireSealingKey = change('retire-sealing-key', 'POST /v1/sealing-keys/retire', {
  english: 'take an old sealing key away, once no row needs it; copies keep it',
  portuguese: 'Aposentar chave do serviço',
  duties: SECURITY,
  confirm: { fields: ['version'] },
  permission: {
    table: ['GetItem', 'DeleteItem', 'Scan', 'DescribeTable'],
    secrets: ['keys', 'retiredKeys'],
    writesSecrets: ['keys', 'retiredKeys'],
  },
  body: z.strictObject({
    version: version('The key that goes for good; no row may need it.'),
    cursor: z.optional(cursor()),
  }),
  answer: answered({
    version: version('The key.'),
    retired: described(z.boolean(), 'true on the last page: no function knows it any more.'),
    kept_until: z.nullable(keptUntil()),
    seen: described(z.int(), 'Rows looked at so far: each must be sealed by another key.'),
    total: about(),
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
