import type { Command } from 'commander';
import type { AnswerOf } from '#shared/administration/operations.ts';
import type { Shown } from '#shared/administration/wire.ts';
import { UsageError } from './errors.ts';
import { collected, type Session } from './session.ts';
import { minuteText, moment } from './table.ts';
import { command, verb } from './verb.ts';

/** An analysis as the API returns it. The command line's JSON names its id `id`. */
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
    ['ended', moment(analysis.concludedAt)],
  ]);
}

const OUTCOMES: Readonly<Record<AnswerOf<'poll-analysis'>['outcome'], string>> = {
  no_news: 'the operator has no news',
  note: 'still pending, with a new number or text',
  change: 'the operator has an outcome: booked, with its event',
  overtaken: 'the poller was faster: nothing was left to do',
};

/** The argument and the options that name one analysis. */
const ANALYSIS = {
  analysis_id: { flags: '<analysis>', about: 'id of the analysis' },
  unit_id: 'id of the unit',
  environment: 'environment',
} as const;

export function analyses(root: Command, session: Session): void {
  const noun = command(root, 'analyses', 'credit analyses at the banks', 'analyses list --local');

  verb(noun, 'list', 'list-pending-analyses', 'analyses list --bank itau --local')
    .takes({
      partner_id: 'only of a partner',
      bank: 'only at a bank',
      unanswerable: 'only those for which the operator has no usable answer, while it answers for others',
    })
    .run(async (given) => {
      const pages = session.tracked('partitions', session.pages('list-pending-analyses', given), ({ done }) => done);
      list(await collected(pages, (page) => page.analyses), session);
    });

  verb(
    noun,
    'show',
    'show-analysis',
    'analyses show 789 --partner 123 --local',
    'analyses show 789 --unit 456 --environment producao --local',
  )
    .takes({
      analysis_id: ANALYSIS.analysis_id,
      partner_id: 'id of the partner: all of its units are searched',
      unit_id: 'only in a unit',
      environment: 'only in an environment',
    })
    .run(async (given) => {
      if (given.partner_id === undefined && given.unit_id === undefined)
        throw new UsageError('say whose analysis it is: --partner <id>, or --unit <id>');
      show(session, (await session.ask('show-analysis', given)).analysis);
    });

  verb(noun, 'poll', 'poll-analysis', 'analyses poll 789 --unit 456 --environment producao --local')
    .takes(ANALYSIS)
    .run(async (given) => {
      const { outcome, analysis } = await session.ask('poll-analysis', given);
      session.note(OUTCOMES[outcome]);
      show(session, analysis);
    });

  verb(
    noun,
    'close',
    'close-analysis',
    'analyses close 789 --unit 456 --environment producao --as cancelado --reason "INC-42" --local',
  )
    .takes({ ...ANALYSIS, situation: { flags: '--as <situation>', about: 'the situation in which the analysis ends' } })
    .run(async (given) => {
      const { analysis_id: analysis, situation } = given;
      await session.confirm(`Analysis ${analysis} ends as ${situation}, for good, and its partner is told.`);
      show(session, (await session.ask('close-analysis', given)).analysis);
    });
}

function list(found: ShownAnalysis[], session: Session): void {
  found.sort((a, b) => a.createdAt - b.createdAt);
  session.printTable(
    found,
    [
      { title: 'analysis', value: (row) => row.analysisId },
      { title: 'unit', value: (row) => row.unitId },
      { title: 'env', value: (row) => row.environment },
      { title: 'bank', value: (row) => row.bank },
      { title: 'created', value: (row) => minuteText(row.createdAt) },
      { title: 'number', value: (row) => row.queryNumber || '-', shrinks: true },
      {
        title: 'unanswerable since',
        value: (row) => (row.unanswerableSince === undefined ? '-' : minuteText(row.unanswerableSince)),
      },
    ],
    found.map(asJson),
  );
}
