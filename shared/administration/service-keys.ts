import * as z from 'zod/mini';
import { described } from '../contract/described.ts';
import { type HeldKeys, type IndexedRows, MOST_INDEX_KEYS } from '../domain/sealing/rotation.ts';
import { timestamp } from '../domain/values/clock.ts';
import { answered, cursor, moment, nextCursor, nextStepAt, ofPage, tableRun, total } from './fields.ts';
import { noun, SECURITY, SECURITY_READERS } from './operation.ts';

const { read, change } = noun('service-keys');

const version = (what: string) => described(z.int().check(z.minimum(1), z.maximum(65_535)), what);
const keyName = (what: string) => described(z.string(), what);
const keptUntil = () =>
  moment(
    'Until when copies of the table may need the key. The next retirement of a sealing key after that deletes it.',
  );
const tableTotal = () => total('About how many rows the table has');

const current = () => version('The sealing key that seals.');
const settledAt = () =>
  nextStepAt(
    'From when on every function seals with the current sealing key and writes under the newest index key: then rewrite-rows can do all its work, and retire-service-keys can follow.',
  );

const held = {
  versions: described(
    z.array(version('A sealing key that opens rows.')),
    'Ascending, with the current key. Never the keys themselves.',
  ),
  index: described(
    z.array(
      z.object({
        name: keyName('Name of the index key. Never the key itself.'),
        takes_over_at: moment('From when on rows are written under the key.'),
      }),
    ),
    'The index keys, the oldest first: CPFs and Idempotency-Keys are found by hashes made with them.',
  ),
};

const sealed = (what: string) =>
  described(
    z.array(
      z.object({
        version: version('The key that seals them.'),
        kind: z.string(),
        rows: ofPage('Rows of this key and kind.'),
      }),
    ),
    what,
  );

const indexed = (what: string) =>
  described(
    z.array(
      z.object({
        name: keyName('The index key by which they are found.'),
        cpfs: ofPage('CPFs, which rewrite-rows moves to the newest key.'),
        records: ofPage('Idempotency-Keys and ends of consents, which end by themselves.'),
        records_until: described(z.nullable(moment('When the last of these ends.')), { 'x-of-page': true }),
      }),
    ),
    what,
  );

export const showServiceKeys = read('show-service-keys', 'GET /v1/service-keys', {
  english: "show the versions of the service's own keys, never the keys",
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
    current: z.nullable(current()),
    ...held,
    settled_at: z.nullable(settledAt()),
    use: described(
      z.array(
        z.object({
          version: version('The sealing key.'),
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
      'Ascending. A restored copy can be read once its rows are sealed again (`rewrite-rows`).',
    ),
  }),
});

export const countRows = read('count-rows', 'GET /v1/service-keys/rows', {
  english: 'count the rows that need each key of the service',
  portuguese: 'Contar linhas de cada chave do serviço',
  duties: SECURITY_READERS,
  permission: { table: ['Scan', 'DescribeTable'], reads: 'all', writes: [] },
  query: z.strictObject({ cursor: z.optional(cursor()) }),
  answer: answered({
    seen: ofPage('Rows of this page looked at.'),
    sealed: sealed('Rows of this page by sealing key and kind. The count is the sum over all pages.'),
    indexed: indexed('Rows of this page by index key. The count is the sum over all pages.'),
    total: tableTotal(),
    next_cursor: nextCursor(),
  }),
});

export const initServiceKeys = change('init-service-keys', 'POST /v1/service-keys/init', {
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

export const changeServiceKeys = change('change-service-keys', 'POST /v1/service-keys/change', {
  english: 'make a new sealing key and a new index key; the old keys still open and find their rows',
  portuguese: 'Trocar chaves do serviço',
  duties: SECURITY,
  confirm: { fields: ['current'] },
  permission: { reads: [], writes: [], secrets: ['keys'], writesSecrets: ['keys'] },
  body: z.strictObject({
    current: version('The sealing key to replace: refused if another call has replaced it.'),
  }),
  answer: answered({
    current: current(),
    ...held,
    settled_at: settledAt(),
    index_changed: described(
      z.boolean(),
      `false: there were ${MOST_INDEX_KEYS} index keys, so only the sealing key was changed. Change the keys again once the oldest index key is retired.`,
    ),
  }),
});

export const rewriteRows = change('rewrite-rows', 'POST /v1/service-keys/rewrite', {
  english:
    'seal again the rows of old keys, also of retired ones, and move CPFs to the newest index key; the next run continues an interrupted one',
  portuguese: 'Reescrever linhas com as novas chaves',
  duties: SECURITY,
  permission: {
    table: ['GetItem', 'DeleteItem', 'Scan', 'DescribeTable'],
    reads: 'all',
    writes: [
      'PARTNER',
      'LEAD',
      'IDEMPOTENCY',
      'OPPORTUNITY',
      'FORM',
      'CONSENT',
      'APPROVAL',
      'CPF',
      'SPOUSE',
      'CURSOR',
      'ENCRYPTIONS',
    ],
    deletes: ['CPF', 'SPOUSE', 'CURSOR'],
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
    current: current(),
    seen: described(z.int(), 'Rows that this run has looked at so far.'),
    resealed: described(z.int(), 'Rows that this run has sealed again so far.'),
    moved: described(z.int(), 'CPFs that this run has moved so far.'),
    removed: described(z.int(), 'CPFs of erased persons that this run has removed so far.'),
    broken: described(
      z.array(z.string()),
      'Keys of rows that do not open or cannot be moved: the first 20 that this run has found so far.',
    ),
    broken_count: described(z.int(), 'How many such rows this run has found so far.'),
    settled_at: nextStepAt(
      'Until then functions may still write with old keys, and no CPF is moved: run this once more afterwards.',
    ),
    total: tableTotal(),
    next_cursor: nextCursor(),
  }),
});

export const retireServiceKeys = change('retire-service-keys', 'POST /v1/service-keys/retire', {
  english: 'remove each old key that no row needs; sealing keys are kept for copies of the table',
  portuguese: 'Aposentar chaves do serviço',
  duties: SECURITY,
  confirm: { fields: ['current'] },
  permission: {
    table: ['GetItem', 'DeleteItem', 'Scan', 'DescribeTable'],
    reads: 'all',
    writes: ['INDEXED', 'CURSOR'],
    deletes: ['CURSOR'],
    secrets: ['keys', 'retiredKeys'],
    writesSecrets: ['keys', 'retiredKeys'],
  },
  body: z.strictObject({
    current: version('The sealing key that stays: refused if another call has changed the keys.'),
    cursor: z.optional(cursor()),
  }),
  answer: answered({
    retired: described(
      z.array(version('A sealing key.')),
      'On the last page: the sealing keys that no function has any more.',
    ),
    retired_index: described(z.array(keyName('An index key.')), 'On the last page: the index keys that are removed.'),
    kept_until: z.nullable(keptUntil()),
    sealed: sealed('On the last page: the rows that still need old sealing keys, which stay.'),
    indexed: indexed('On the last page: the rows that are still found by old index keys, which stay.'),
    seen: described(z.int(), 'Rows looked at so far.'),
    total: tableTotal(),
    next_cursor: nextCursor(),
  }),
});

export const SERVICE_KEY_OPERATIONS = [
  showServiceKeys,
  countRows,
  initServiceKeys,
  changeServiceKeys,
  rewriteRows,
  retireServiceKeys,
] as const;

export const heldBody = ({ current, versions, index, settledAt }: HeldKeys) => ({
  current,
  versions: [...versions],
  index: index.map(({ name, from }) => ({ name, takes_over_at: timestamp(from) })),
  settled_at: timestamp(settledAt),
});

export const indexedBody = (rows: readonly IndexedRows[]) =>
  rows.map(({ recordsEndAt, ...counts }) => ({
    ...counts,
    records_until: counts.records > 0 ? timestamp(recordsEndAt) : null,
  }));
