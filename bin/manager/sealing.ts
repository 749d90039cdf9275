import { setTimeout as wait } from 'node:timers/promises';
import type { Command } from 'commander';
import type { SealingKeys } from '../../shared/domain/sealing/ports.ts';
import { SafeError } from '../../shared/runtime/log.ts';
import { forgetServiceKeys } from '../../shared/table/encryption.ts';
import { encryptionsOf, percentOfLimit } from '../../shared/table/key-use.ts';
import {
  approximateRows,
  countSealed,
  forgetResealing,
  type Pace,
  type Resealing,
  resealRows,
  type SealedRows,
} from '../../shared/table/reencryption.ts';
import { retireSealingKey, rotateSealingKey, sealingKeys } from '../../shared/table/service-keys.ts';
import { example, whole } from './arguments.ts';
import type { Session } from './session.ts';
import { moment } from './table.ts';

interface Speed {
  /** Capacity units a second. */
  readonly rate: number;
}

const paceOf = ({ rate }: Speed): Pace => ({ unitsPerSecond: rate, pause: (milliseconds) => wait(milliseconds) });

/** The verbs of `keys` about the service's own sealing key. */
export function sealing(noun: Command, session: Session): void {
  const paced = (command: Command) =>
    command.option('--rate <units>', 'capacity units that a second may take', whole(1, 40_000), 200);

  noun
    .command('rotate-sealing')
    .description('make a new sealing key: new rows take it, the old ones still open')
    .addHelpText('after', example('keys rotate-sealing --reason "yearly" --local'))
    .action(async () => {
      session.needsReason();
      const { current } = await sealingKeys();
      await session.confirm(`Rows are sealed by a new key from now on; version ${current} goes on opening its rows.`);
      const version = await session.change(
        'service',
        { replaced: current },
        () => rotateSealingKey(),
        (made) => ({
          version: made,
        }),
      );
      const { settledAt } = await sealingKeys();
      session.note(`Functions take it up by ${moment(settledAt)}; then: keys reencrypt.`);
      session.print({ current: version, replaced: current }, () => `sealing key version ${version} is current\n`);
    });

  paced(noun.command('reencrypt').alias('reseal'))
    .description('seal rows of older keys anew; ended at any point, the next run goes on')
    .option('--dry-run', 'only count the rows of each key')
    .option('--restart', 'from the first row, not from where the last run ended')
    .addHelpText('after', example('keys reencrypt --rate 500 --local', 'keys reencrypt --dry-run --local'))
    .action(async (options: Speed & { dryRun?: true; restart?: true }) => {
      forgetServiceKeys();
      const keys = await sealingKeys();
      if (options.dryRun) {
        const rows = await count(session, options);
        return showCounts(session, keys, rows, await encryptionsOf(keys.versions));
      }
      if (options.restart) await forgetResealing();
      const end = await session.change(
        'service',
        { version: keys.current },
        () => run(session, keys.current, options),
        ({ seen, resealed, brokenCount }) => ({ seen, resealed, broken: brokenCount }),
      );
      showEnd(session, keys, end);
    });

  paced(noun.command('retire-sealing'))
    .description('take an old sealing key away, once no row needs it')
    .argument('<version>', 'as keys reencrypt --dry-run shows it', whole(1, 65_535))
    .addHelpText('after', example('keys retire-sealing 1 --reason "rows are resealed" --local'))
    .action(async (version: number, speed: Speed) => {
      session.needsReason();
      await session.confirm(
        `Version ${version} goes for good: the table restored to a time before its rows were resealed could not be read.`,
      );
      await session.change('service', { version }, () =>
        retireSealingKey(version, async () => sum((await count(session, speed)).get(version)), session.clock()),
      );
      session.print({ retired: version }, () => `sealing key version ${version} is gone\n`);
    });
}

const sum = (kinds: ReadonlyMap<string, number> | undefined) =>
  [...(kinds?.values() ?? [])].reduce((total, rows) => total + rows, 0);

async function about(session: Session): Promise<number> {
  // Only a bar needs to know how many there are.
  return session.terminal.interactive ? approximateRows() : 0;
}

async function run(session: Session, current: number, speed: Speed): Promise<Resealing> {
  const progress = session.progress('rows', await about(session));
  let last: Resealing | undefined;
  let shown = 0;
  try {
    for await (last of resealRows(current, paceOf(speed))) {
      progress.step(last.seen - shown);
      shown = last.seen;
    }
  } finally {
    progress.end();
  }
  if (!last) throw new Error('no row was looked at');
  return last;
}

async function count(session: Session, speed: Speed): Promise<SealedRows> {
  const progress = session.progress('rows', await about(session));
  let found: SealedRows = new Map();
  let shown = 0;
  for await (const { seen, rows } of countSealed(paceOf(speed))) {
    progress.step(seen - shown);
    [shown, found] = [seen, rows];
  }
  progress.end();
  return found;
}

function showCounts(
  session: Session,
  { current, versions }: SealingKeys,
  rows: SealedRows,
  encryptions: ReadonlyMap<number, number>,
): void {
  // Rows sealed by a version whose key is gone must not be overlooked.
  const all = [...new Set([...versions, ...rows.keys()])].sort((a, b) => a - b);
  const state = (version: number) =>
    version === current ? 'current' : versions.includes(version) ? 'opens only' : 'GONE: its rows do not open';
  const found = all.map((version) => ({
    version,
    state: state(version),
    rows: sum(rows.get(version)),
    encryptions: encryptions.get(version) ?? 0,
    kinds: Object.fromEntries([...(rows.get(version) ?? [])].sort(([a], [b]) => a.localeCompare(b))),
  }));
  session.printTable(found, [
    { title: 'version', value: (row) => row.version },
    { title: 'state', value: (row) => row.state },
    { title: 'rows', value: (row) => row.rows },
    { title: 'used', value: (row) => `${percentOfLimit(row.encryptions).toPrecision(2)} %` },
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

function showEnd(session: Session, { current, settledAt }: SealingKeys, end: Resealing): void {
  if (session.clock() < settledAt) {
    session.note(`Functions may still seal by an older key until ${moment(settledAt)}: run it once more then.`);
  }
  session.printRecord({ version: current, ...end }, [
    ['sealed by version', current],
    ['rows looked at', end.seen],
    ['sealed anew', end.resealed],
    ['do not open', end.brokenCount],
  ]);
  if (end.brokenCount > 0) {
    const named = end.broken.map(({ pk, sk }) => `${pk} ${sk}`).join('; ');
    throw new SafeError(`${end.brokenCount} rows do not open, among them: ${named}`);
  }
}
