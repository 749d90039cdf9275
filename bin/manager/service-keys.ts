import type { Command } from 'commander';
import type { AnswerOf } from '#shared/administration/operations.ts';
import type { Shown } from '#shared/administration/wire.ts';
import { wholeNumber } from './arguments.ts';
import { CommandError } from './errors.ts';
import type { Session } from './session.ts';
import { moment } from './table.ts';
import { verb } from './verb.ts';

// The verbs of `keys` for the service's own keys. Some of them go through all rows of the table, with a progress bar.

/** Number of rows of each kind. */
type Kinds = ReadonlyMap<string, number>;
/** Number of rows of each kind, by the version of the key that seals them. */
type SealedRows = ReadonlyMap<number, Kinds>;

/** Adds the verbs of `keys` for the service's own sealing key. */
export function sealing(noun: Command, session: Session): void {
  verb(noun, 'rotate-sealing', 'rotate-sealing-key', 'keys rotate-sealing --reason "yearly" --local').run(async () => {
    session.needsReason();
    const { current: before } = await sealingKeys(session);
    await session.confirm(`From now on, rows are sealed by a new key. Version ${before} still opens its rows.`);
    const { current, replaced, settledAt } = await session.ask('rotate-sealing-key', { current: before });
    session.note(
      `Run keys reencrypt in 6 minutes. Version ${replaced} can be retired after ${moment(settledAt)}: until then, a function that cannot read its secrets may use it.`,
    );
    session.print({ current, replaced }, () => `sealing key version ${current} is current\n`);
  });

  verb(noun, 'reencrypt', 'reencrypt-rows', 'keys reencrypt --rate 500 --local', 'keys reencrypt --dry-run --local')
    .takes({
      units_per_second: 'capacity units that a second may take',
      // A count has its own pace and always begins with the first row, so neither of these options applies.
      dryRun: {
        flags: '--dry-run',
        about: 'only count the rows of each key',
        conflicts: ['units_per_second', 'restart'],
      },
      restart: 'begin with the first row, not where the last run ended',
    })
    .run(async ({ dryRun, ...given }) => {
      if (dryRun) return showCounts(session, await sealingKeys(session), await count(session));
      showReencrypted(session, await lastPage(rowPages(session, session.pages('reencrypt-rows', given))));
    });

  verb(noun, 'retire-sealing', 'retire-sealing-key', 'keys retire-sealing 1 --reason "rows are resealed" --local')
    .takes({
      version: {
        flags: '<version>',
        about: 'version of the key, as keys reencrypt --dry-run shows it',
        parse: wholeNumber(1, 65_535),
      },
    })
    .run(async ({ version }) => {
      await session.confirm(
        `Version ${version} is taken from all functions. In a restored copy of the table, only keys reencrypt reads its rows.`,
      );
      const { keptUntil } = await lastPage(rowPages(session, session.pages('retire-sealing-key', { version })));
      const text = `sealing key version ${version} is retired; copies of the table keep it until ${moment(keptUntil)}\n`;
      session.print({ retired: version, keptUntil }, () => text);
    });
}

/** Returns the versions of the sealing key and their use. Throws a CommandError if the service has no keys yet. */
async function sealingKeys(session: Session) {
  const { current, versions, use, retired } = await session.ask('show-sealing-keys', {});
  if (current === undefined) throw new CommandError('the service has no keys yet: keys init writes them');
  return { current, versions, use, retired };
}

async function count(session: Session): Promise<SealedRows> {
  const found = new Map<number, Map<string, number>>();
  for await (const page of rowPages(session, session.pages('count-sealed-rows', {}), 'added')) {
    for (const { version, kind, rows } of page.rows) {
      const kinds = found.get(version) ?? new Map<string, number>();
      found.set(version, kinds.set(kind, (kinds.get(kind) ?? 0) + rows));
    }
  }
  return found;
}

const NO_ROWS: Kinds = new Map();

const sum = (kinds: Kinds) => Array.from(kinds.values()).reduce((total, rows) => total + rows, 0);

function showCounts(
  session: Session,
  { current, versions, use, retired }: Awaited<ReturnType<typeof sealingKeys>>,
  rows: SealedRows,
): void {
  // The list includes versions whose key is gone: their rows do not open, and must not be overlooked.
  const kept = new Map(retired.map(({ version, keptUntil }) => [version, keptUntil]));
  const known = new Set(versions);
  for (const version of kept.keys()) known.add(version);
  for (const version of rows.keys()) known.add(version);
  const all = Array.from(known).sort((a, b) => a - b);
  const state = (version: number) => {
    if (versions.includes(version)) return version === current ? 'current' : 'opens only';
    return kept.has(version) ? `retired, kept until ${moment(kept.get(version))}` : 'GONE: its rows do not open';
  };
  const used = (version: number) => use.find((entry) => entry.version === version);
  const found = all.map((version) => {
    const kinds = rows.get(version) ?? NO_ROWS;
    return {
      version,
      state: state(version),
      rows: sum(kinds),
      encryptions: used(version)?.encryptions ?? 0,
      kinds: Object.fromEntries(Array.from(kinds).sort(([a], [b]) => a.localeCompare(b))),
    };
  });
  session.printTable(found, [
    { title: 'version', value: (row) => row.version },
    { title: 'state', value: (row) => row.state },
    { title: 'rows', value: (row) => row.rows },
    { title: 'used', value: (row) => `${(used(row.version)?.percentOfLimit ?? 0).toPrecision(2)} %` },
    {
      title: 'of which',
      value: (row) =>
        Object.entries(row.kinds)
          .map(([kind, number]) => `${number} ${kind}`)
          .join(', ') || '-',
      shrinks: true,
    },
  ]);
}

function showReencrypted(session: Session, end: Shown<AnswerOf<'reencrypt-rows'>>): void {
  const { version, seen, resealed, broken, brokenCount, settledAt } = end;
  if (session.clock() < settledAt) {
    session.note(`Functions may still seal rows with an older key until ${moment(settledAt)}: run this again then.`);
  }
  session.printRecord({ version, seen, resealed, broken, brokenCount, done: true }, [
    ['sealed by version', version],
    ['rows looked at', seen],
    ['sealed again', resealed],
    ['do not open', brokenCount],
  ]);
  failWhereBroken(brokenCount, broken, 'rows do not open');
}

/** Adds the verbs of `keys` for the service's own index key, by which CPFs and Idempotency-Keys are found. */
export function indexing(noun: Command, session: Session): void {
  verb(noun, 'rotate-index', 'rotate-index-key', 'keys rotate-index --reason "leaked" --local').run(async () => {
    session.needsReason();
    const { name } = await indexKeys(session);
    await session.confirm('CPFs and Idempotency-Keys are found by two index keys until keys retire-index.');
    const { next } = (await session.ask('rotate-index-key', { name })).index;
    if (!next) throw new CommandError('the API names no new index key: look at keys reindex --dry-run');
    session.note(
      `Rows are written under the new key from ${moment(next.takesOverAt)} on. Run keys reindex after ${moment(next.settledAt)}.`,
    );
    session.print(next, () => 'there is a new index key next to the old one\n');
  });

  verb(noun, 'reindex', 'reindex-rows', 'keys reindex --rate 500 --local', 'keys reindex --dry-run --local')
    .takes({
      units_per_second: 'capacity units that a second may take',
      // A count has its own pace, so this option does not apply.
      dryRun: {
        flags: '--dry-run',
        about: 'only count the rows under the old index key',
        conflicts: ['units_per_second'],
      },
    })
    .run(async ({ dryRun, ...given }) => {
      if (dryRun) return showOlder(session, await indexKeys(session));
      showReindexed(session, await lastPage(rowPages(session, session.pages('reindex-rows', given))));
    });

  verb(noun, 'retire-index', 'retire-index-key', 'keys retire-index --reason "rows are moved" --local').run(
    async () => {
      session.needsReason();
      const { name } = await indexKeys(session);
      await session.confirm(
        'The old index key is removed for good. In a table that is restored to a time before its rows were moved, nobody is found.',
      );
      await lastPage(rowPages(session, session.pages('retire-index-key', { name })));
      session.print({ retired: name }, () => 'the old index key is gone\n');
    },
  );
}

/**
 * Returns the current index key and, during a rotation, the next one. Throws a CommandError if
 * the service has no keys yet.
 */
async function indexKeys(session: Session) {
  const { index } = await session.ask('show-sealing-keys', {});
  if (index === undefined) throw new CommandError('the service has no keys yet: keys init writes them');
  return index;
}

/** Prints how many rows are still found by the older index key, and when the next one takes over. */
async function showOlder(session: Session, { next }: Awaited<ReturnType<typeof indexKeys>>): Promise<void> {
  let [cpfs, records, recordsUntil] = [0, 0, 0];
  for await (const page of rowPages(session, session.pages('count-older-rows', {}), 'added')) {
    cpfs += page.cpfs;
    records += page.records;
    recordsUntil = Math.max(recordsUntil, page.recordsUntil ?? 0);
  }
  const until = records > 0 ? recordsUntil : undefined;
  session.printRecord({ cpfs, records, recordsUntil: until, ...next }, [
    ['new key takes over at', moment(next?.takesOverAt)],
    ['CPFs can be moved after', moment(next?.settledAt)],
    ['CPFs under the old key', cpfs],
    ['rows that end by themselves', records],
    ['the last of these ends at', moment(until)],
  ]);
}

function showReindexed(
  session: Session,
  { seen, moved, removed, broken, brokenCount }: Shown<AnswerOf<'reindex-rows'>>,
): void {
  session.printRecord({ seen, moved, removed, broken, brokenCount, done: true }, [
    ['rows looked at', seen],
    ['CPFs moved', moved],
    ['removed', removed],
    ['could not be moved', brokenCount],
  ]);
  failWhereBroken(brokenCount, broken, 'CPFs could not be moved');
}

/**
 * A page of a pass over all rows of the table: rows looked at, and about how many rows the table has
 * (undefined if nobody has counted).
 */
interface RowPage {
  readonly seen: number;
  readonly total: number | undefined;
}

/**
 * Returns the pages of a pass over all rows, and shows a progress bar meanwhile. `counted` says which rows the `seen`
 * of a page counts: with `so far`, those of this page and all pages before it; with `added`, only those of this page.
 */
function rowPages<Page extends RowPage>(
  session: Session,
  pages: AsyncIterable<Page>,
  counted: 'so far' | 'added' = 'so far',
): AsyncGenerator<Page> {
  return session.tracked('rows', pages, ({ seen }, before) => (counted === 'added' ? before + seen : seen));
}

/** Reads all pages and returns the last. Throws an Error if there is none. */
async function lastPage<Page extends RowPage>(pages: AsyncIterable<Page>): Promise<Page> {
  let last: Page | undefined;
  for await (const page of pages) last = page;
  if (!last) throw new Error('no row was looked at');
  return last;
}

/**
 * Throws a CommandError if a run has found broken rows. It says how many, what is wrong with them (`what`), and names
 * some of them.
 */
function failWhereBroken(brokenCount: number, broken: readonly string[], what: string): void {
  if (brokenCount > 0) throw new CommandError(`${brokenCount} ${what}, among them: ${broken.join('; ')}`);
}
