import type { Command } from 'commander';
import { Option } from 'commander';
import { eventOf } from '../../shared/contract/event.ts';
import { type Analysis, isPending } from '../../shared/domain/analyses/analysis.ts';
import { pollAnalysis } from '../../shared/domain/analyses/poll-analysis.ts';
import { POLL_PARTITIONS } from '../../shared/domain/analyses/poll-schedule.ts';
import { BANKS, type Bank } from '../../shared/domain/values/bank.ts';
import type { AnalysisId, PartnerId, UnitId } from '../../shared/domain/values/ids.ts';
import type { Environment } from '../../shared/domain/values/tenancy.ts';
import { readStatus } from '../../shared/operator/statuses.ts';
import { publishOutbox } from '../../shared/queue/publish-outbox.ts';
import { SafeError } from '../../shared/runtime/log.ts';
import * as wiring from '../../shared/wiring.ts';
import { environment, example, id } from './arguments.ts';
import type { Session } from './session.ts';
import { moment } from './table.ts';

/** Milliseconds that the operator may take for one analysis. */
const ONE_ANALYSIS = 10_000;

interface Place {
  readonly unitId: UnitId;
  readonly environment: Environment;
}

async function existing(place: Place, analysisId: AnalysisId): Promise<Analysis> {
  const found = await wiring.analyses().get(place, analysisId);
  if (!found) {
    throw new SafeError(
      `unit ${place.unitId} has no analysis ${analysisId} in ${place.environment}: check unit and environment`,
    );
  }
  return found;
}

const ROW = [
  ['analysis', 'id'],
  ['unit', 'unitId'],
  ['environment', 'environment'],
  ['partner', 'partnerId'],
  ['lead', 'leadId'],
  ['bank', 'bank'],
  ['submission', 'submissionId'],
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

interface ListOptions {
  readonly partnerId?: PartnerId;
  readonly bank?: Bank;
  readonly unanswerable?: true;
}

/** Asks the operator as the poller does, and books what it says. */
async function poll(analysis: Analysis, now: number): Promise<string> {
  const analyses = wiring.analyses();
  const found = await pollAnalysis(analysis, {
    operator: wiring.operators()(analysis.environment),
    analyses,
    form: () => analyses.form(analysis, analysis.submissionId),
    read: readStatus,
    event: eventOf,
    clock: wiring.clock(),
    signal: AbortSignal.timeout(ONE_ANALYSIS),
  });
  if (found.kind === 'unavailable') {
    throw new SafeError(
      'the operator gave no usable answer: it may take calls from the service alone; the poller goes on',
    );
  }
  if (found.kind === 'note') await analyses.note(analysis, found.queryNumber, found.rawStatus);
  if (found.kind === 'no_news' && analysis.unanswerableSince !== undefined)
    await analyses.markUnanswerable(analysis, undefined);
  if (found.kind === 'change') {
    if (!(await analyses.conclude(found.change))) return 'overtaken';
    if (found.change.delivery) await publishOutbox(wiring.deliveryQueue(), [found.change.delivery], now);
  }
  return found.kind;
}

const OUTCOMES: Readonly<Record<string, string>> = {
  no_news: 'the operator has no news',
  note: 'still pending, with a new number or text',
  change: 'the operator has an outcome: booked, with its event',
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
    .option('--unanswerable', 'only those for which the operator has no usable answer, while it answers for others')
    .addHelpText('after', example('analyses list --bank itau --local'))
    .action(async ({ partnerId, bank, unanswerable }: ListOptions) => {
      const found: Analysis[] = [];
      const partitions = POLL_PARTITIONS.filter((one) => (bank ?? one.bank) === one.bank);
      const progress = session.progress('partitions', partitions.length);
      for (const partition of partitions) {
        let after: string | undefined;
        do {
          const page = await wiring.analyses().pending(partition, { from: 0, to: Number.MAX_SAFE_INTEGER }, after);
          found.push(
            ...page.items.filter(
              (one) =>
                (partnerId ?? one.partnerId) === one.partnerId &&
                (!unanswerable || one.unanswerableSince !== undefined),
            ),
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
          { title: 'unit', value: (row) => row.unitId },
          { title: 'env', value: (row) => row.environment },
          { title: 'bank', value: (row) => row.bank },
          { title: 'created', value: (row) => moment(row.createdAt).slice(5, 16) },
          { title: 'number', value: (row) => row.queryNumber || '-', shrinks: true },
          {
            title: 'unanswerable since',
            value: (row) => (row.unanswerableSince === undefined ? '-' : moment(row.unanswerableSince).slice(5, 16)),
          },
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
    .action(async (analysisId: AnalysisId, place: Place) => show(session, await existing(place, analysisId)));

  noun
    .command('poll')
    .description('ask the operator about a pending analysis now, not at its next turn')
    .argument('<analysis>', 'its id', id<AnalysisId>)
    .requiredOption('--unit <id>', 'whose', id<UnitId>)
    .addOption(environment().makeOptionMandatory())
    .addHelpText('after', example('analyses poll 789 --unit 456 --environment producao --local'))
    .action(async (analysisId: AnalysisId, place: Place) => {
      const found = await existing(place, analysisId);
      if (!isPending(found.situation)) {
        throw new SafeError(`analysis ${analysisId} is final (${found.situation}): a final outcome does not change`);
      }
      await session.queues();
      const outcome = await session.change(
        found.partnerId,
        { analysis: analysisId, unit: place.unitId, environment: place.environment },
        () => poll(found, session.clock()),
        (kind) => ({ outcome: kind }),
      );
      session.note(OUTCOMES[outcome]!);
      show(session, await existing(place, analysisId));
    });
}
