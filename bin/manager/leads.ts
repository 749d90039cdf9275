import type { Command } from 'commander';
import { joinPages } from '#shared/administration/leads.ts';
import type { AnswerOf, SentBody } from '#shared/administration/operations.ts';
import type { Shown } from '#shared/administration/wire.ts';
import { SECOND_PASS_AFTER } from '#shared/domain/leads/erasure.ts';
import type { Role } from '#shared/domain/personal-data/find-person.ts';
import { type Cpf, parseCpf } from '#shared/domain/values/cpf.ts';
import type { LeadId, PartnerId, UnitId } from '#shared/domain/values/ids.ts';
import type { Environment } from '#shared/domain/values/tenancy.ts';
import { minutes } from '#shared/domain/values/time.ts';
import { name, since } from './arguments.ts';
import { CommandError, UsageError, verdict } from './errors.ts';
import { collected, type Session } from './session.ts';
import { type Column, moment } from './table.ts';
import { command, verb } from './verb.ts';

/** Where to look for a person. `lead_id` names the person's lead itself. */
interface SearchPlace {
  readonly partner_id: PartnerId | undefined;
  readonly unit_id: UnitId | undefined;
  readonly environment: Environment | undefined;
  readonly lead_id?: LeadId | undefined;
}

/** A person in one unit and environment. The CPF is undefined if the lead was named by its id. */
type Found = SentBody<'erase-lead'> & { readonly role: Role };

type Erasure = Shown<AnswerOf<'erase-lead'>>['erasure'];
type Withdrawal = Shown<AnswerOf<'withdraw-lead-consent'>>;

const CPF_HELP = `
The CPF is read from standard input, or asked for at a terminal: an argument
would stay in the shell's history.
`;

const CORRECT_HELP = `
The right value is read from standard input, or asked for at a terminal: an
argument would stay in the shell's history. The lead is named by --lead.
`;

const WITHDRAW_HELP = `
From the given moment on, an analysis needs a newer consent. A pending analysis
that its bank has continues; one that its bank never received ends as cancelado.
A sending that is under way may still reach the bank, in about a minute.
The withdrawal is evidence and is kept for 5 years. --lead names the lead.
`;

const ERASE_HELP = `${CPF_HELP}
A spouse is erased from the forms that name them; the holder's lead stays.
Erased: the lead's data, its simulations, the forms sent to banks, the way from
the CPF to the lead. Kept: consents (5 years) and the analyses they allowed,
under the lead's number. While an analysis is pending, the erasure waits, and
then continues by itself. A second pass follows after ${SECOND_PASS_AFTER / minutes(1)} minutes, which also
deletes the answers kept for replays; a spouse's erasure has one pass. The same
command again shows how far the erasure is. Nightly copies end within 7 days.
Monthly backups are kept sealed for 5 years; after a restore of one, leads
apply-ledger erases the person again.
`;

async function readCpf(session: Session): Promise<Cpf> {
  const cpf = parseCpf(await session.secretInput('CPF (not shown): '));
  if (!cpf) throw new UsageError('that is no CPF: 11 digits, or ddd.ddd.ddd-dd, on standard input');
  return cpf;
}

const placeOf = (found: Found) => `partner ${found.partner_id}, unit ${found.unit_id}, ${found.environment}`;

/**
 * Does the same work at each place, and returns results and failures. A failure at one place does not stop the others,
 * and loses none of their results: some results cannot be had a second time.
 */
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

/**
 * Throws a CommandError that lists the places with a failure, if there are any. If there was only one place, throws the
 * error of that place.
 */
function failAfter(failed: readonly unknown[]): void {
  if (failed.length === 0) return;
  throw failed.every((failure) => typeof failure === 'string') ? new CommandError(failed.join('; ')) : failed[0];
}

const LEAD_ALONE = '--lead needs its --partner, --unit and --environment';

/** Returns the lead that the options name, or undefined if they do not name one completely. */
function namedLead({ partner_id, unit_id, environment, lead_id }: SearchPlace) {
  if (lead_id === undefined || partner_id === undefined || unit_id === undefined || environment === undefined) return;
  return { partner_id, unit_id, environment, lead_id };
}

/**
 * Returns where the person is known: at the lead that the options name, or at each lead with the CPF on standard input,
 * as holder or as spouse. Throws a UsageError if the options do not fit together, and a CommandError if the CPF is
 * known nowhere.
 */
async function find(session: Session, place: SearchPlace): Promise<Found[]> {
  if (place.unit_id !== undefined && place.partner_id === undefined) throw new UsageError('--unit needs its --partner');
  if (place.lead_id === undefined) return findByCpf(session, await readCpf(session), place);
  const lead = namedLead(place);
  if (!lead) throw new UsageError(LEAD_ALONE);
  return [{ ...lead, role: 'holder' }];
}

async function findByCpf(
  session: Session,
  cpf: Cpf,
  { partner_id, unit_id, environment }: SearchPlace,
): Promise<Found[]> {
  const pages = session.pages('find-leads', { cpf, partner_id, unit_id, environment });
  const places = await collected(
    session.tracked('partners', pages, ({ done }) => done),
    ({ found }) => found,
  );
  if (places.length === 0)
    throw new CommandError('nobody with this CPF is known there (a person who was erased is found by --lead)');
  return places.map(({ partnerId, unitId, environment: of, leadId, role }) => {
    return { cpf, partner_id: partnerId, unit_id: unitId, environment: of, lead_id: leadId, role };
  });
}

const sum = (erasure: Erasure, count: 'opportunities' | 'forms') =>
  erasure.passes.reduce((total, pass) => total + pass[count], 0);
const evidence = ({ passes }: Erasure) => {
  const last = passes.at(-1);
  return last ? `${last.analyses} analyses, ${last.consents} consents` : '-';
};

const STEPS: Readonly<Record<Erasure['state'], (erasure: Erasure) => string>> = {
  aguardando: ({ pending }) => `waits for ${pending} pending analyses; then continues by itself`,
  apagando: () => 'was interrupted; continues by itself',
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

/** Options that narrow the search for a person. All four together name the lead, and then no CPF is read. */
const WHERE = {
  partner_id: { about: 'only at a partner', needed: false },
  unit_id: { about: "only in one of the partner's units", needed: false },
  lead_id: { about: 'by the id of the lead instead of the CPF', needed: false },
  environment: { about: 'only in one environment', needed: false },
} as const;

export function leads(root: Command, session: Session): void {
  const noun = command(
    root,
    'leads',
    "a person's rights under the LGPD",
    'leads export --reason "LGPD-7" --local < cpf.txt',
  );

  verb(noun, 'find', 'find-leads', 'leads find --reason "LGPD-7" --local < cpf.txt')
    .help(CPF_HELP)
    .takes({ partner_id: WHERE.partner_id, unit_id: WHERE.unit_id, environment: WHERE.environment })
    .run(async (place) => {
      session.needsReason();
      const found = await find(session, place);
      const rows = found.map(({ partner_id: partner, unit_id: unit, environment, lead_id: lead, role }) => {
        return { partner, unit, environment, lead, as: role };
      });
      session.printTable(rows, [
        { title: 'partner', value: (row) => row.partner },
        { title: 'unit', value: (row) => row.unit },
        { title: 'env', value: (row) => row.environment },
        { title: 'lead', value: (row) => row.lead },
        { title: 'as', value: (row) => row.as },
      ]);
    });

  verb(noun, 'export', 'export-lead', 'leads export --reason "LGPD-7" --local < cpf.txt > person.json')
    .help(CPF_HELP)
    .takes({
      ...WHERE,
      raw: 'as the service stores it: centavos, milliseconds, its own names',
      token: 'the same call with the same token needs no further approval',
    })
    .run(async ({ raw, token, ...place }) => {
      session.needsReason();
      const { done, failed } = await atEach(session, 'exporting', await find(session, place), async (found) => {
        const pages = session.pagesOnce('export-lead', { ...found, raw, token });
        return (await collected(pages, ({ person }) => [person])).reduce(joinPages);
      });
      if (done.length > 0) session.terminal.out(`${JSON.stringify(done, null, 2)}\n`);
      failAfter(failed);
    });

  verb(
    noun,
    'correct',
    'correct-lead',
    'leads correct cpf --lead 7001 --partner 123 --unit 456 --environment producao --reason "LGPD-9" --local < cpf.txt',
  )
    .help(CORRECT_HELP)
    .takes({ ...WHERE, field: { flags: '<field>', about: 'the field to correct', choices: ['cpf', 'birth-date'] } })
    .run(async ({ field, ...place }) => {
      session.needsReason();
      if (place.lead_id === undefined)
        throw new UsageError('--lead, --partner, --unit and --environment name the lead');
      const lead = namedLead(place);
      if (!lead) throw new UsageError(LEAD_ALONE);
      const value =
        field === 'cpf'
          ? { cpf: await readCpf(session) }
          : { birth_date: (await session.secretInput('Birth date, YYYY-MM-DD (not shown): ')).trim() };
      const { corrected } = await session.ask('correct-lead', { ...lead, ...value });
      session.print({ corrected }, () =>
        corrected.length > 0 ? `corrected: ${field}\n` : 'nothing changed: the value was already right\n',
      );
    });

  verb(
    noun,
    'withdraw-consent',
    'withdraw-lead-consent',
    'leads withdraw-consent --lead 70 --partner 12 --unit 45 --environment producao --at 2h --channel e-mail --reason "LGPD-10" --local',
  )
    .help(WITHDRAW_HELP)
    .takes({
      ...WHERE,
      withdrawn_at: {
        flags: '--at <moment>',
        about: 'when the holder withdrew: 2026-11-20T09:00:00-03:00, or 90m, 2h, 3d ago',
        parse: since(session.clock),
      },
      channel: { flags: '--channel <text>', about: 'by which channel: e-mail, letter, telephone', parse: name },
    })
    .run(async ({ withdrawn_at: at, channel, ...place }) => {
      session.needsReason();
      const lead = namedLead(place);
      if (!lead) throw new UsageError('--lead, --partner, --unit and --environment name the lead');
      await session.confirm(`The consents of lead ${lead.lead_id} up to ${moment(at)} end for good.`);
      const body = { ...lead, withdrawn_at: new Date(at).toISOString(), channel };
      const withdrawal = await session.ask('withdraw-lead-consent', body);
      session.print(withdrawal, () => withdrawalText(withdrawal));
    });

  verb(
    noun,
    'erase',
    'erase-lead',
    'leads erase --reason "LGPD-8" --yes --local < cpf.txt',
    'leads erase --lead 7001 --partner 123 --unit 456 --environment producao --reason "LGPD-8" --local',
  )
    .help(ERASE_HELP)
    .takes(WHERE)
    .run(async (place) => {
      session.needsReason();
      const all = await find(session, place);
      const places = all.map((found) => `${placeOf(found)}, lead ${found.lead_id} as ${found.role}`).join('; ');
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
  ).run(() => applyLedger(session));
}

function withdrawalText({ withdrawalId, withdrawnAt, isNew, analyses }: Withdrawal): string {
  const first = isNew ? `recorded: withdrawal ${withdrawalId}` : `already known: withdrawal ${withdrawalId}`;
  const lines = analyses.map(({ analysisId, bank, isSent }) => {
    const what = isSent ? 'the bank has the query, it continues' : 'ends as cancelado, unless the bank has it';
    return `analysis ${analysisId}, ${bank}: ${what}`;
  });
  return `${[`${first} of ${moment(withdrawnAt)}`].concat(lines).join('\n')}\n`;
}

async function applyLedger(session: Session): Promise<void> {
  await session.confirm('Everyone in the ledger of erasures is erased from this table, for good.');
  const erasures: Erasure[] = [];
  const failed: string[] = [];
  let entries = 0;
  let unreadable = 0;
  for await (const page of session.pages('apply-erasure-ledger', {})) {
    entries += page.entries;
    unreadable += page.unreadable;
    erasures.push(...page.erasures);
    failed.push(...page.failed.map((lead) => `unit ${lead.unitId}, ${lead.environment}, lead ${lead.leadId}`));
  }
  session.note(`${entries} in the ledger, ${erasures.length} of them in this table`);
  session.printTable(erasures, COLUMNS);
  for (const name of failed) session.note(`interrupted: ${name}`);
  if (failed.length > 0)
    throw new CommandError(
      `${failed.length} erasures were interrupted, named above: run this again until none is interrupted`,
    );
  if (unreadable > 0)
    throw new CommandError(`${unreadable} entries of the ledger cannot be read: see section erasure of the runbook`);
  const waiting = erasures.filter(({ state }) => state === 'aguardando').length;
  if (waiting > 0)
    throw new CommandError(
      `${waiting} still wait for banks and can be read: keep traffic away, let the pollers run, and run this again`,
    );
}
