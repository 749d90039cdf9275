import { Argument, type Command } from 'commander';
import type { AnswerOf, SentBody } from '#shared/administration/operations.ts';
import type { Shown } from '#shared/administration/wire.ts';
import type { Role } from '#shared/domain/personal-data/find-person.ts';
import { type Cpf, parseCpf } from '#shared/domain/values/cpf.ts';
import type { LeadId, PartnerId, UnitId } from '#shared/domain/values/ids.ts';
import type { Environment } from '#shared/domain/values/tenancy.ts';
import { command, environment, example, id, verb } from './arguments.ts';
import { CommandError, UsageError, verdict } from './errors.ts';
import type { Session } from './session.ts';
import { type Column, moment } from './table.ts';

interface Where {
  readonly partnerId?: PartnerId;
  readonly unitId?: UnitId;
  readonly environment?: Environment;
  readonly leadId?: LeadId;
  readonly raw?: true;
}

/** A person in one unit and environment; the CPF is unknown where the lead was named by its id. */
type Found = SentBody<'export-lead'> & { readonly role: Role };

type Erasure = Shown<AnswerOf<'erase-lead'>>['erasure'];

const CPF_HELP = `
The CPF is read from standard input, or asked for at a terminal: an argument
would stay in the shell's history.
`;

async function readCpf(session: Session): Promise<Cpf> {
  const cpf = parseCpf(await session.secretInput('CPF (not shown): '));
  if (!cpf) throw new UsageError('that is no CPF: 11 digits, or ddd.ddd.ddd-dd, on standard input');
  return cpf;
}

const placeOf = (found: Found) => `partner ${found.partner_id}, unit ${found.unit_id}, ${found.environment}`;

/** The same work at each place. One that fails keeps nothing from the others: what is done may not be to be had again. */
async function atEach<T>(session: Session, doing: string, all: readonly Found[], work: (found: Found) => Promise<T>) {
  const progress = session.progress(doing, all.length);
  const done: T[] = [];
  const failed: unknown[] = [];
  for (const found of all) {
    try {
      done.push(await work(found));
    } catch (error) {
      failed.push(all.length === 1 ? error : `${placeOf(found)}: ${verdict(error).line}`);
    }
    progress.step();
  }
  progress.end();
  return { done, failed };
}

/** Ends a command whose work failed at some places, or at its only one, by that one's own error. */
function failAfter(failed: readonly unknown[]): void {
  if (failed.length === 0) return;
  throw failed.every((one) => typeof one === 'string') ? new CommandError(failed.join('; ')) : failed[0];
}

/** The person that the options name by a lead, or standard input by a CPF: in one unit and environment, or in all. */
async function find(session: Session, where: Where): Promise<Found[]> {
  const { partnerId, unitId, leadId, environment: of } = where;
  if (unitId !== undefined && partnerId === undefined) throw new UsageError('--unit needs its --partner');
  if (leadId === undefined) return findByCpf(session, await readCpf(session), where);
  if (partnerId === undefined || unitId === undefined || of === undefined) {
    throw new UsageError('--lead needs its --partner, --unit and --environment');
  }
  return [{ partner_id: partnerId, unit_id: unitId, environment: of, lead_id: leadId, role: 'holder' }];
}

async function findByCpf(session: Session, cpf: Cpf, where: Where): Promise<Found[]> {
  const place = { partner_id: where.partnerId, unit_id: where.unitId, environment: where.environment };
  const all: Found[] = [];
  const pages = session.pages('find-leads', { cpf, ...place });
  for await (const { found } of session.tracked('partners', pages, ({ done }) => done)) {
    for (const { partnerId, unitId, environment: of, leadId, role } of found) {
      all.push({ cpf, partner_id: partnerId, unit_id: unitId, environment: of, lead_id: leadId, role });
    }
  }
  if (all.length === 0)
    throw new CommandError('no lead there is of a person with this CPF (one who was erased is found by --lead)');
  return all;
}

const sum = (erasure: Erasure, count: 'opportunities' | 'forms') =>
  erasure.passes.reduce((total, pass) => total + pass[count], 0);
const evidence = ({ passes }: Erasure) => {
  const last = passes.at(-1);
  return last ? `${last.analyses} analyses, ${last.consents} consents` : '-';
};

const STEPS: Readonly<Record<Erasure['state'], (erasure: Erasure) => string>> = {
  aguardando: ({ pending }) => `waits for ${pending} pending analyses; goes on by itself`,
  apagando: () => 'broke off; goes on by itself',
  apagado: ({ nextCheckAt }) =>
    nextCheckAt === undefined ? 'finished' : `second pass after ${moment(nextCheckAt).slice(11)}`,
};

const COLUMNS: readonly Column<Erasure>[] = [
  { title: 'unit', value: (row) => row.unitId },
  { title: 'env', value: (row) => row.environment },
  { title: 'lead', value: (row) => row.leadId },
  { title: 'by', value: (row) => row.cause ?? 'request' },
  { title: 'state', value: (row) => row.state },
  { title: 'simulations', value: (row) => sum(row, 'opportunities') },
  { title: 'forms', value: (row) => sum(row, 'forms') },
  { title: 'kept', value: evidence, shrinks: true },
  { title: 'now', value: (row) => STEPS[row.state](row), shrinks: true },
];

export function leads(root: Command, session: Session): void {
  const noun = command(
    root,
    'leads',
    'what a person may ask for under the LGPD',
    'leads export --reason "LGPD-7" --local < cpf.txt',
  );
  const inUnit = (command: Command) =>
    command
      .option('--partner <id>', 'only at a partner', id<PartnerId>)
      .option('--unit <id>', "only in one of the partner's units", id<UnitId>);
  const places = (command: Command) =>
    inUnit(command)
      .option('--lead <id>', 'by the id of the lead instead of the CPF', id<LeadId>)
      .addOption(environment('only in one environment'));

  inUnit(verb(noun, 'find', 'find-leads'))
    .addOption(environment('only in one environment'))
    .addHelpText('after', `${CPF_HELP}${example('leads find --reason "LGPD-7" --local < cpf.txt')}`)
    .action(async (where: Where) => {
      session.needsReason();
      const rows = (await find(session, where)).map(
        ({ partner_id: partner, unit_id: unit, lead_id: lead, ...row }) => ({
          ...{ partner, unit, environment: row.environment, lead, as: row.role },
        }),
      );
      session.printTable(rows, [
        { title: 'partner', value: (row) => row.partner },
        { title: 'unit', value: (row) => row.unit },
        { title: 'env', value: (row) => row.environment },
        { title: 'lead', value: (row) => row.lead },
        { title: 'as', value: (row) => row.as },
      ]);
    });

  places(verb(noun, 'export', 'export-lead'))
    .option('--raw', 'as the service keeps it: centavos, milliseconds, its own names')
    .addHelpText('after', `${CPF_HELP}${example('leads export --reason "LGPD-7" --local < cpf.txt > person.json')}`)
    .action(async (where: Where) => {
      session.needsReason();
      const raw = where.raw ?? false;
      const { done, failed } = await atEach(session, 'exporting', await find(session, where), async (found) => {
        return (await session.ask('export-lead', { ...found, raw })).person;
      });
      if (done.length > 0) session.terminal.out(`${JSON.stringify(done, null, 2)}\n`);
      failAfter(failed);
    });

  places(verb(noun, 'correct', 'correct-lead'))
    .addArgument(new Argument('<field>', 'what is wrong').choices(['cpf', 'birth-date']))
    .addHelpText(
      'after',
      `
The right value is read from standard input, or asked for at a terminal: an
argument would stay in the shell's history. The lead is named by --lead.
${example('leads correct cpf --lead 7001 --partner 123 --unit 456 --environment producao --reason "LGPD-9" --local < cpf.txt')}`,
    )
    .action(async (field: 'cpf' | 'birth-date', where: Where) => {
      session.needsReason();
      if (where.leadId === undefined) throw new UsageError('--lead, --partner, --unit and --environment name the lead');
      const [{ role, ...place }] = (await find(session, where)) as [Found];
      const value =
        field === 'cpf'
          ? { cpf: await readCpf(session) }
          : { birth_date: (await session.secretInput('Birth date, YYYY-MM-DD (not shown): ')).trim() };
      const { corrected } = await session.ask('correct-lead', { ...place, ...value });
      session.print({ corrected }, () => (corrected.length > 0 ? `corrected: ${field}\n` : 'it stood so already\n'));
    });

  places(verb(noun, 'erase', 'erase-lead'))
    .addHelpText(
      'after',
      `${CPF_HELP}
A spouse is erased from the forms that name them; the holder's lead stays.
Erased: the lead's data, its simulations, the forms sent to banks, the way from
the CPF to the lead. Kept: consents (5 years) and the analyses they allowed,
under the lead's number. While an analysis is pending the erasure waits and goes
on by itself; a second pass follows after 15 minutes. Run again, it says how far
it is. Answers kept for replays expire within 30 days, daily backups within 35;
monthly ones are kept sealed for 5 years, and whoever restores one erases again.
${example(
  'leads erase --reason "LGPD-8" --yes --local < cpf.txt',
  'leads erase --lead 7001 --partner 123 --unit 456 --environment producao --reason "LGPD-8" --local',
)}`,
    )
    .action(async (where: Where) => {
      session.needsReason();
      const all = await find(session, where);
      const places = all.map((one) => `${placeOf(one)}, lead ${one.lead_id} as ${one.role}`).join('; ');
      await session.confirm(`The person is erased for good: ${places}.`);
      const { done, failed } = await atEach(session, 'erasing', all, async (found) => {
        return (await session.ask('erase-lead', found)).erasure;
      });
      session.printTable(done, COLUMNS);
      failAfter(failed);
    });

  verb(
    noun,
    'apply-ledger',
    'apply-erasure-ledger',
    'leads apply-ledger --reason "INC-42, table restored" --yes --local',
  ).action(async () => {
    await session.confirm('Everyone in the ledger of erasures is erased from this table, for good.');
    const erasures: Erasure[] = [];
    const failed: string[] = [];
    let [entries, unreadable] = [0, 0];
    for await (const page of session.pages('apply-erasure-ledger', {})) {
      entries += page.entries;
      unreadable += page.unreadable;
      erasures.push(...page.erasures);
      failed.push(...page.failed.map((one) => `unit ${one.unitId}, ${one.environment}, lead ${one.leadId}`));
    }
    session.note(`${entries} in the ledger, ${erasures.length} of them in this table`);
    session.printTable(erasures, COLUMNS);
    for (const one of failed) session.note(`broke off: ${one}`);
    if (failed.length > 0)
      throw new CommandError(`${failed.length} erasures broke off, named above: run it again until none does`);
    if (unreadable > 0)
      throw new CommandError(`${unreadable} entries of the ledger cannot be read: see section erasure of the runbook`);
    const waiting = erasures.filter(({ state }) => state === 'aguardando').length;
    if (waiting > 0)
      throw new CommandError(
        `${waiting} still wait for banks and can be read: keep traffic away, let the pollers run, and run it again`,
      );
  });
}
