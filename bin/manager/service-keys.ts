import type { Command } from 'commander';
import { CommandError } from './errors.ts';
import type { Session } from './session.ts';
import { moment } from './table.ts';
import { command, verb } from './verb.ts';

/** Adds the noun of the service's own keys. */
export function serviceKeys(root: Command, session: Session): void {
  const noun = command(root, 'service-keys', "the service's own keys", 'service-keys count-rows --local');

  verb(noun, 'init', 'init-service-keys', 'service-keys init --stage dev').run(async () => {
    await session.ask('init-service-keys', {});
    session.print({ initialised: true }, () => 'the service has its sealing and index keys\n');
  });

  verb(noun, 'change', 'change-service-keys', 'service-keys change --reason "yearly" --local').run(async () => {
    session.needsReason();
    const { current } = await heldKeys(session);
    await session.confirm(`Version ${current} is replaced. The old keys stay until service-keys retire.`);
    const { indexChanged, ...held } = await session.ask('change-service-keys', { current });
    if (!indexChanged)
      session.note('The index key is the old one: change again once service-keys retire has removed an index key.');
    session.note(`Run service-keys rewrite-rows after ${moment(held.settledAt)}, then service-keys retire.`);
    session.print(held, () => `sealing key version ${held.current} is current\n`);
  });

  verb(noun, 'count-rows', 'count-rows', 'service-keys count-rows --local').run(async () => showCounts(session));

  verb(noun, 'rewrite-rows', 'rewrite-rows', 'service-keys rewrite-rows --rate 500 --local')
    .takes({
      units_per_second: 'capacity units that a second may take',
      restart: 'begin with the first row, not where the last run ended',
    })
    .run(async (given) => {
      const { nextCursor, total, ...end } = await lastPage(
        session.tracked('rows', session.pages('rewrite-rows', given), soFar),
      );
      if (session.clock() < end.settledAt)
        session.note(`Functions may write with old keys until ${moment(end.settledAt)}: run this again then.`);
      session.printRecord({ ...end, done: true }, [
        ['sealed by version', end.current],
        ['rows looked at', end.seen],
        ['sealed again', end.resealed],
        ['CPFs moved', end.moved],
        ['CPFs removed', end.removed],
        ['broken', end.brokenCount],
      ]);
      if (end.brokenCount > 0)
        throw new CommandError(`${end.brokenCount} rows are broken, among them: ${end.broken.join('; ')}`);
    });

  verb(noun, 'retire', 'retire-service-keys', 'service-keys retire --reason "rows are rewritten" --local').run(
    async () => {
      session.needsReason();
      const { current } = await heldKeys(session);
      await session.confirm(
        `Only version ${current} and the newest index key stay, and old keys that rows need. In a restored copy of the table, only service-keys rewrite-rows opens the rows of a removed key, and nobody is found by a removed index key.`,
      );
      const pages = session.tracked('rows', session.pages('retire-service-keys', { current }), soFar);
      const { nextCursor, total, ...end } = await lastPage(pages);
      session.printRecord(end, [
        ['sealing keys retired', end.retired.join(', ') || '-'],
        ['kept for copies until', moment(end.keptUntil)],
        ['index keys retired', end.retiredIndex.join(', ') || '-'],
        [
          'index keys that stay',
          end.indexed.map(({ name, recordsUntil }) => `${name}, until ${moment(recordsUntil)}`).join('; ') || '-',
        ],
      ]);
    },
  );
}

/** Rows looked at: the answers count those of all pages before. */
const soFar = ({ seen }: { readonly seen: number }) => seen;

/** Returns the names of the keys. Throws a CommandError if the service has none. */
async function heldKeys(session: Session) {
  const { current, ...held } = await session.ask('show-service-keys', {});
  if (current === undefined) throw new CommandError('the service has no keys yet: service-keys init writes them');
  return { current, ...held };
}

/** Prints how many rows need each key, also a key that is gone. */
async function showCounts(session: Session): Promise<void> {
  const { current, use, retired, index } = await heldKeys(session);
  const counts = new Map<string, { rows: number; until: number | undefined }>();
  const states = new Map<string, string>();
  const add = (key: string, rows: number, until?: number) => {
    const before = counts.get(key);
    counts.set(key, { rows: rows + (before?.rows ?? 0), until: Math.max(until ?? 0, before?.until ?? 0) || undefined });
  };
  const name = (key: string, state: string) => {
    add(key, 0);
    states.set(key, state);
  };
  for (const { version, keptUntil } of retired) name(`sealing ${version}`, `retired, kept until ${moment(keptUntil)}`);
  for (const { version, percentOfLimit } of use)
    name(`sealing ${version}`, `${version === current ? 'current' : 'old'}, ${percentOfLimit.toPrecision(2)} % used`);
  for (const one of index) name(`index ${one.name}`, `from ${moment(one.takesOverAt)} on`);
  const pages = session.pages('count-rows', {});
  for await (const { sealed, indexed } of session.tracked('rows', pages, ({ seen }, before) => before + seen)) {
    for (const { version, rows } of sealed) add(`sealing ${version}`, rows);
    for (const rows of indexed) add(`index ${rows.name}`, rows.cpfs + rows.records, rows.recordsUntil);
  }
  const found = Array.from(counts, ([key, { rows, until }]) => ({
    key,
    state: states.get(key) ?? 'GONE',
    rows,
    until,
  }));
  session.printTable(found, [
    { title: 'key', value: (row) => row.key },
    { title: 'state', value: (row) => row.state },
    { title: 'rows', value: (row) => row.rows },
    { title: 'last record ends', value: (row) => moment(row.until) },
  ]);
}

/** Reads all pages and returns the last. Throws an Error if there is none. */
async function lastPage<Page>(pages: AsyncIterable<Page>): Promise<Page> {
  let last: Page | undefined;
  for await (const page of pages) last = page;
  if (!last) throw new Error('no row was looked at');
  return last;
}
