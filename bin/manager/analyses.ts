import type { Command } from 'commander';
import { Option } from 'commander';
import { readStatus } from '../../shared/banks/statuses.ts';
import { eventOf } from '../../shared/contract/event.ts';
import { type Analysis, isPending, SLOTS } from '../../shared/domain/analysis.ts';
import { BANKS, type Bank } from '../../shared/domain/bank.ts';
import { followUp } from '../../shared/domain/follow-up.ts';
import type { AnalysisId, PartnerId, UnitId } from '../../shared/domain/ids.ts';
import type { Environment } from '../../shared/domain/partner.ts';
import { sendBooked } from '../../shared/queue/send-booked.ts';
import { OperatorError } from '../../shared/runtime/log.ts';
import * as wiring from '../../shared/runtime/wiring.ts';
import { environment, example, id } from './arguments.ts';
import type { Session } from './session.ts';
import { moment } from './table.ts';

/** Milliseconds that the desk may take for one analysis. */
const ONE_ANALYSIS = 10_000;

interface Place {
  readonly unit: UnitId;
  readonly environment: Environment;
}

async function existing(place: Place, analysis: AnalysisId): Promise<Analysis> {
  const found = await wiring.analyses().get(place, analysis);
  if (!found) {
    throw new OperatorError(
      `unit ${place.unit} has no analysis ${analysis} in ${place.environment}: check unit and environment`,
    );
  }
  return found;
}

const ROW = [
  ['analysis', 'id'],
  ['unit', 'unit'],
  ['environment', 'environment'],
  ['partner', 'partner'],
  ['lead', 'lead'],
  ['bank', 'bank'],
  ['submission', 'submission'],
  ['situation', 'situation'],
  ['query number', 'queryNumber'],
  ['bank says', 'rawStatus'],
  ['events', 'sequence'],
] as const;

function show(session: Session, analysis: Analysis): void {
  session.printRecord(analysis, [
    ...ROW.map(([title, field]) => [title, analysis[field] === '' ? '-' : analysis[field]] as const),
    ['created', moment(analysis.createdAt)],
  ]);
}

/** Asks the desk as the poller does, and books what it says. */
async function poll(analysis: Analysis, now: number): Promise<string> {
  const analyses = wiring.analyses();
  const found = await followUp(analysis, {
    desk: wiring.desks()(analysis.environment),
    analyses,
    form: () => analyses.form(analysis, analysis.submission),
    read: readStatus,
    event: eventOf,
    clock: wiring.clock(),
    signal: AbortSignal.timeout(ONE_ANALYSIS),
  });
  if (found.kind === 'unavailable') {
    throw new OperatorError(
      'the desk gave no usable answer: it may take calls from the service alone; the poller goes on',
    );
  }
  if (found.kind === 'note') await analyses.note(analysis, found.queryNumber, found.rawStatus);
  if (found.kind === 'change') {
    if (!(await analyses.conclude(found.change))) return 'overtaken';
    if (found.change.delivery) await sendBooked(wiring.deliveryQueue(), [found.change.delivery], now);
  }
  return found.kind;
}

const OUTCOMES: Readonly<Record<string, string>> = {
  no_news: 'the desk has no news',
  note: 'still pending, with a new number or text',
  change: 'the desk has an outcome: booked, with its event',
  overtaken: 'the poller was faster: nothing was left to do',
};

export function analyses(root: Command, session: Session): void {
  const noun = root
    .command('analyses')
    .description('credit analyses at the banks')
    .addHelpText('after', example('analyses list --local'));

  noun
    .command('list')
    .description('pending analyses, oldest first')
    .option('--partner <id>', 'only of a partner', id<PartnerId>)
    .addOption(new Option('--bank <name>', 'only at a bank').choices(BANKS))
    .addHelpText('after', example('analyses list --bank itau --local'))
    .action(async ({ partner, bank }: { partner?: PartnerId; bank?: Bank }) => {
      const found: Analysis[] = [];
      const progress = session.progress('slots', SLOTS);
      for (let slot = 0; slot < SLOTS; slot++) {
        let after: string | undefined;
        do {
          const page = await wiring.analyses().pending(slot, { from: 0, to: Number.MAX_SAFE_INTEGER }, after);
          found.push(
            ...page.items.filter((one) => (partner ?? one.partner) === one.partner && (bank ?? one.bank) === one.bank),
          );
          after = page.next;
        } while (after !== undefined);
        progress.step();
      }
      progress.end();
      session.printTable(
        found.sort((a, b) => a.createdAt - b.createdAt),
        [
          { title: 'analysis', value: (row) => row.id },
          { title: 'unit', value: (row) => row.unit },
          { title: 'env', value: (row) => row.environment },
          { title: 'bank', value: (row) => row.bank },
          { title: 'created', value: (row) => moment(row.createdAt).slice(5, 16) },
          { title: 'number', value: (row) => row.queryNumber || '-', shrinks: true },
        ],
      );
    });

  noun
    .command('show')
    .description('one analysis; nothing personal')
    .argument('<analysis>', 'its id', id<AnalysisId>)
    .requiredOption('--unit <id>', 'whose', id<UnitId>)
    .addOption(environment().makeOptionMandatory())
    .addHelpText('after', example('analyses show 789 --unit 456 --environment producao --local'))
    .action(async (analysis: AnalysisId, place: Place) => show(session, await existing(place, analysis)));

  noun
    .command('poll')
    .description('ask the desk about a pending analysis now, not at its next turn')
    .argument('<analysis>', 'its id', id<AnalysisId>)
    .requiredOption('--unit <id>', 'whose', id<UnitId>)
    .addOption(environment().makeOptionMandatory())
    .addHelpText('after', example('analyses poll 789 --unit 456 --environment producao --local'))
    .action(async (analysis: AnalysisId, place: Place) => {
      const found = await existing(place, analysis);
      if (!isPending(found.situation)) {
        throw new OperatorError(`analysis ${analysis} is final (${found.situation}): a final outcome does not change`);
      }
      await session.queues();
      const outcome = await session.change(
        found.partner,
        { analysis, unit: place.unit, environment: place.environment },
        () => poll(found, session.clock()),
        (kind) => ({ outcome: kind }),
      );
      session.note(OUTCOMES[outcome]!);
      show(session, await existing(place, analysis));
    });
}
