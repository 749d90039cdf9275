import { type Command, Option } from 'commander';
import type { AnswerOf } from '../../shared/administration/operations.ts';
import { example, whole } from './arguments.ts';
import { CommandError } from './errors.ts';
import { failWhereBroken, lastOfRewrite, rowPages } from './row-pages.ts';
import type { Session } from './session.ts';
import type { Shown } from './shown.ts';
import { moment } from './table.ts';

/** The verbs of `keys` about the service's own index key, by which CPFs and Idempotency-Keys are found. */
export function indexing(noun: Command, session: Session): void {
  noun
    .command('rotate-index')
    .description('make a new index key beside the old one: rows are found by both')
    .addHelpText('after', example('keys rotate-index --reason "leaked" --local'))
    .action(async () => {
      session.needsReason();
      const { name } = await indexKeys(session);
      await session.confirm('CPFs and Idempotency-Keys are found by two index keys until keys retire-index.');
      const { next } = (await session.ask('rotate-index-key', { name })).index;
      if (!next) throw new CommandError('the API names no new index key: look at keys reindex --dry-run');
      session.note(
        `Rows are written under it from ${moment(next.takesOverAt)} on; after ${moment(next.settledAt)}: keys reindex.`,
      );
      session.print(next, () => 'a new index key stands beside the old one\n');
    });

  noun
    .command('reindex')
    .description('move CPFs to the new index key; ended at any point, the next run goes on')
    .option('--rate <units>', 'capacity units that a second may take', whole(1, 40_000), 200)
    // Counting has a pace of its own.
    .addOption(new Option('--dry-run', 'only count what lies under the old one').conflicts('rate'))
    .addHelpText('after', example('keys reindex --rate 500 --local', 'keys reindex --dry-run --local'))
    .action(async ({ rate, dryRun }: { readonly rate: number; readonly dryRun?: true }) => {
      if (dryRun) return showOlder(session, await indexKeys(session));
      const pages = session.pages('reindex-rows', { units_per_second: rate });
      showEnd(session, await lastOfRewrite(rowPages(session, pages)));
    });

  noun
    .command('retire-index')
    .description('take the old index key away, once nothing lies under it')
    .addHelpText('after', example('keys retire-index --reason "rows are moved" --local'))
    .action(async () => {
      session.needsReason();
      const { name } = await indexKeys(session);
      await session.confirm(
        'The old index key goes for good: in a table restored to a time before its rows were moved nobody is found by it.',
      );
      for await (const _ of rowPages(session, session.pages('retire-index-key', { name })));
      session.print({ retired: name }, () => 'the old index key is gone\n');
    });
}

/** The index keys by name. Throws a CommandError where the service has no keys yet. */
async function indexKeys(session: Session) {
  const { index } = await session.ask('show-sealing-keys', {});
  if (index === undefined) throw new CommandError('the service has no keys yet: keys init writes them');
  return index;
}

/** What lies under the older index key, and how far its rotation is. */
async function showOlder(session: Session, { next }: Awaited<ReturnType<typeof indexKeys>>): Promise<void> {
  let [cpfs, records, recordsUntil] = [0, 0, 0];
  for await (const page of rowPages(session, session.pages('count-older-rows', {}), 'added')) {
    cpfs += page.cpfs;
    records += page.records;
    recordsUntil = Math.max(recordsUntil, page.recordsUntil ?? 0);
  }
  const until = records > 0 ? recordsUntil : undefined;
  session.printRecord({ cpfs, records, recordsUntil: until, ...next }, [
    ['the new one takes over', moment(next?.takesOverAt)],
    ['CPFs may be moved from', moment(next?.settledAt)],
    ['CPFs under the old one', cpfs],
    ['Idempotency-Keys under it', records],
    ['the last of those until', moment(until)],
  ]);
}

function showEnd(
  session: Session,
  { seen, moved, removed, broken, brokenCount }: Shown<AnswerOf<'reindex-rows'>>,
): void {
  session.printRecord({ seen, moved, removed, broken, brokenCount, done: true }, [
    ['rows looked at', seen],
    ['CPFs moved', moved],
    ['taken away', removed],
    ['not to be moved', brokenCount],
  ]);
  failWhereBroken({ broken, brokenCount }, 'CPFs could not be moved');
}
