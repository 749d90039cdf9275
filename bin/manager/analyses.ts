import { type Command, Option } from 'commander';
import type { AdministrationOperation, AnswerOf } from '#shared/administration/operations.ts';
import type { Shown } from '#shared/administration/wire.ts';
import { BANKS, type Bank } from '#shared/domain/values/bank.ts';
import type { AnalysisId, PartnerId, UnitId } from '#shared/domain/values/ids.ts';
import type { Environment } from '#shared/domain/values/tenancy.ts';
import { command, environment, id, verb } from './arguments.ts';
import type { Session } from './session.ts';
import { moment } from './table.ts';

interface Place {
  readonly unitId: UnitId;
  readonly environment: Environment;
}

const named = (analysisId: AnalysisId, { unitId, environment: of }: Place) => ({
  analysis_id: analysisId,
  unit_id: unitId,
  environment: of,
});

interface ListOptions {
  readonly partnerId?: PartnerId;
  readonly bank?: Bank;
  readonly unanswerable?: true;
}

/** An analysis as the API shows it; JSON calls its id `id`. */
type ShownAnalysis = Shown<AnswerOf<'show-analysis'>>['analysis'];

const ROW = [
  ['analysis', 'analysisId'],
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
] as const satisfies readonly (readonly [string, keyof ShownAnalysis])[];

const asJson = ({ analysisId, ...analysis }: ShownAnalysis) => ({ id: analysisId, ...analysis });

function show(session: Session, analysis: ShownAnalysis): void {
  session.printRecord(asJson(analysis), [
    ...ROW.map(([title, field]) => [title, analysis[field] === '' ? '-' : analysis[field]] as const),
    ['created', moment(analysis.createdAt)],
  ]);
}

const OUTCOMES: Readonly<Record<string, string>> = {
  no_news: 'the operator has no news',
  note: 'still pending, with a new number or text',
  change: 'the operator has an outcome: booked, with its event',
  overtaken: 'the poller was faster: nothing was left to do',
};

export function analyses(root: Command, session: Session): void {
  const noun = command(root, 'analyses', 'credit analyses at the banks', 'analyses list --local');

  verb(noun, 'list', 'list-pending-analyses', 'analyses list --bank itau --local')
    .option('--partner <id>', 'only of a partner', id<PartnerId>)
    .addOption(new Option('--bank <name>', 'only at a bank').choices(BANKS))
    .option('--unanswerable', 'only those for which the operator has no usable answer, while it answers for others')
    .action((options: ListOptions) => list(options, session));

  /** A verb about one analysis, which its id, unit and environment name. */
  const ofOne = (called: string, operation: AdministrationOperation, rest = '') =>
    verb(noun, called, operation, `analyses ${called} 789 --unit 456 --environment producao ${rest}--local`)
      .argument('<analysis>', 'its id', id<AnalysisId>)
      .requiredOption('--unit <id>', 'whose', id<UnitId>)
      .addOption(environment().makeOptionMandatory());

  ofOne('show', 'show-analysis').action(async (analysisId: AnalysisId, place: Place) => {
    show(session, (await session.ask('show-analysis', named(analysisId, place))).analysis);
  });

  ofOne('poll', 'poll-analysis').action(async (analysisId: AnalysisId, place: Place) => {
    const { outcome, analysis } = await session.ask('poll-analysis', named(analysisId, place));
    session.note(OUTCOMES[outcome]!);
    show(session, analysis);
  });

  ofOne('close', 'close-analysis', '--as cancelado --reason "INC-42" ')
    .addOption(new Option('--as <situation>', 'as what it ends').choices(['cancelado']).makeOptionMandatory())
    .action(async (analysisId: AnalysisId, { as, ...place }: Place & { readonly as: 'cancelado' }) => {
      await session.confirm(`Analysis ${analysisId} ends as ${as}, for good, and its partner is told.`);
      const { analysis } = await session.ask('close-analysis', { ...named(analysisId, place), situation: as });
      show(session, analysis);
    });
}

async function list({ partnerId, bank, unanswerable }: ListOptions, session: Session): Promise<void> {
  const found: ShownAnalysis[] = [];
  const pages = session.pages('list-pending-analyses', { partner_id: partnerId, bank, unanswerable });
  for await (const page of session.tracked('partitions', pages, ({ done }) => done)) found.push(...page.analyses);
  found.sort((a, b) => a.createdAt - b.createdAt);
  session.printTable(
    found,
    [
      { title: 'analysis', value: (row) => row.analysisId },
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
    found.map(asJson),
  );
}
