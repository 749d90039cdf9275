import { setTimeout as wait } from 'node:timers/promises';
import type { Command } from 'commander';
import { SafeError } from '../../shared/runtime/log.ts';
import { forgetServiceKeys } from '../../shared/table/encryption.ts';
import type { Pace } from '../../shared/table/reencryption.ts';
import { countOlderRows, type Reindexing, reindexRows } from '../../shared/table/reindexing.ts';
import {
  indexRotation,
  type OlderRows,
  retireIndexKey,
  rotateIndexKey,
  settledIndexRotation,
} from '../../shared/table/service-keys.ts';
import { example, whole } from './arguments.ts';
import type { Session } from './session.ts';
import { moment } from './table.ts';

interface Speed {
  /** Capacity units a second. */
  readonly rate: number;
}

const paceOf = ({ rate }: Speed): Pace => ({ unitsPerSecond: rate, pause: (milliseconds) => wait(milliseconds) });

/** The verbs of `keys` about the service's own index key, by which CPFs and Idempotency-Keys are found. */
export function indexing(noun: Command, session: Session): void {
  const paced = (command: Command) =>
    command.option('--rate <units>', 'capacity units that a second may take', whole(1, 40_000), 200);

  noun
    .command('rotate-index')
    .description('make a new index key beside the old one: rows are found by both')
    .addHelpText('after', example('keys rotate-index --reason "leaked" --local'))
    .action(async () => {
      session.needsReason();
      await session.confirm('CPFs and Idempotency-Keys are found by two index keys until keys retire-index.');
      const { from, settledAt } = await session.change(
        'service',
        {},
        () => rotateIndexKey(session.clock()),
        (made) => ({ from: moment(made.from) }),
      );
      session.note(`Rows are written under it from ${moment(from)} on; after ${moment(settledAt)}: keys reindex.`);
      session.print({ from, settledAt }, () => 'a new index key stands beside the old one\n');
    });

  paced(noun.command('reindex'))
    .description('move CPFs to the new index key; ended at any point, the next run goes on')
    .option('--dry-run', 'only count what lies under the old one')
    .addHelpText('after', example('keys reindex --rate 500 --local', 'keys reindex --dry-run --local'))
    .action(async (options: Speed & { dryRun?: true }) => {
      forgetServiceKeys();
      if (options.dryRun) {
        if (!(await indexRotation())) throw new SafeError('there is one index key: keys rotate-index makes another');
        return showOlder(session, await countOlder(session, options));
      }
      await settledIndexRotation(session.clock());
      const end = await session.change(
        'service',
        {},
        () => run(options),
        ({ seen, moved, removed, brokenCount }) => ({ seen, moved, removed, broken: brokenCount }),
      );
      showEnd(session, end);
    });

  paced(noun.command('retire-index'))
    .description('take the old index key away, once nothing lies under it')
    .addHelpText('after', example('keys retire-index --reason "rows are moved" --local'))
    .action(async (speed: Speed) => {
      session.needsReason();
      forgetServiceKeys();
      await session.confirm(
        'The old index key goes for good: in a table restored to a time before its rows were moved nobody is found by it.',
      );
      const now = session.clock();
      await session.change('service', {}, () => retireIndexKey(() => countOlder(session, speed), now));
      session.print({ retired: true }, () => 'the old index key is gone\n');
    });
}

async function run(speed: Speed): Promise<Reindexing> {
  let last: Reindexing | undefined;
  for await (last of reindexRows(paceOf(speed)));
  if (!last) throw new Error('no row was looked at');
  return last;
}

async function countOlder(session: Session, speed: Speed): Promise<OlderRows> {
  let found: OlderRows = { cpfs: 0, records: 0, recordsEndAt: 0 };
  for await (found of countOlderRows(paceOf(speed), session.clock()));
  return found;
}

function showOlder(session: Session, older: OlderRows): void {
  const { cpfs, records, recordsEndAt } = older;
  session.printRecord({ cpfs, records, recordsEndAt }, [
    ['CPFs', cpfs],
    ['Idempotency-Keys', records],
    ['the last of those until', records > 0 ? moment(recordsEndAt) : '-'],
  ]);
}

function showEnd(session: Session, end: Reindexing): void {
  session.printRecord(end, [
    ['rows looked at', end.seen],
    ['CPFs moved', end.moved],
    ['taken away', end.removed],
    ['not to be moved', end.brokenCount],
  ]);
  if (end.brokenCount > 0) {
    const named = end.broken.map(({ pk, sk }) => `${pk} ${sk}`).join('; ');
    throw new SafeError(`${end.brokenCount} CPFs could not be moved, among them: ${named}`);
  }
}
