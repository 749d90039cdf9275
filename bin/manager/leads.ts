import type { Command } from 'commander';
import { personalDataBody } from '../../shared/contract/personal-data.ts';
import { applyLedger, erasePerson } from '../../shared/domain/leads/erase-person.ts';
import type { Erasure } from '../../shared/domain/leads/erasure.ts';
import { type Cpf, parseCpf } from '../../shared/domain/values/cpf.ts';
import type { LeadId, PartnerId, UnitId } from '../../shared/domain/values/ids.ts';
import { ENVIRONMENTS, type Environment, type Tenancy } from '../../shared/domain/values/tenancy.ts';
import { SafeError } from '../../shared/runtime/log.ts';
import { tableErasureLedger } from '../../shared/table/erasure-ledger.ts';
import { tableErasures } from '../../shared/table/lead-erasure.ts';
import { listPartners, listUnits } from '../../shared/table/partner-register.ts';
import { cpfPseudonym, leadByCpf, personalData } from '../../shared/table/personal-data.ts';
import { environment, example, id } from './arguments.ts';
import { UsageError, verdict } from './errors.ts';
import { existing } from './partners.ts';
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
interface Found {
  readonly cpf: Cpf | undefined;
  readonly partnerId: PartnerId;
  readonly tenancy: Tenancy;
  readonly leadId: LeadId;
}

const CPF_HELP = `
The CPF is read from standard input, or asked for at a terminal: an argument
would stay in the shell's history.
`;

async function readCpf(session: Session): Promise<Cpf> {
  const { interactive } = session.terminal;
  const text = await (interactive ? session.terminal.askSecretly('CPF (not shown): ') : session.terminal.input());
  const cpf = parseCpf(text.trim());
  if (!cpf) throw new UsageError('that is no CPF: 11 digits, or ddd.ddd.ddd-dd, on standard input');
  return cpf;
}

/** The person that the options name by a lead, or standard input by a CPF: in one unit and environment, or in all. */
async function find(session: Session, where: Where): Promise<Found[]> {
  const { partnerId, unitId, leadId, environment: of } = where;
  if (unitId !== undefined && partnerId === undefined) throw new UsageError('--unit needs its --partner');
  if (leadId === undefined) return findByCpf(session, await readCpf(session), where);
  if (partnerId === undefined || unitId === undefined || of === undefined) {
    throw new UsageError('--lead needs its --partner, --unit and --environment');
  }
  await existing(partnerId);
  const units = await listUnits(partnerId);
  if (!units.some(({ id: known }) => known === unitId))
    throw new SafeError(`partner ${partnerId} has no unit ${unitId}`);
  return [{ partnerId, tenancy: { unitId, environment: of }, leadId, cpf: undefined }];
}

async function findByCpf(session: Session, cpf: Cpf, where: Where): Promise<Found[]> {
  const partners = where.partnerId === undefined ? await listPartners() : [await existing(where.partnerId)];
  const progress = session.progress('partners', partners.length);
  const found: Found[] = [];
  for (const { id: partnerId } of partners) {
    for (const { id: unitId } of await listUnits(partnerId)) {
      if ((where.unitId ?? unitId) !== unitId) continue;
      for (const of of ENVIRONMENTS) {
        const tenancy: Tenancy = { unitId, environment: of };
        const leadId = (where.environment ?? of) === of ? await leadByCpf(tenancy, cpf) : undefined;
        if (leadId !== undefined) found.push({ partnerId, tenancy, leadId, cpf });
      }
    }
    progress.step();
  }
  progress.end();
  if (found.length === 0)
    throw new SafeError('nobody with this CPF is known there: nothing to do (one who was erased is found by --lead)');
  return found;
}

/** The person as the audit names them. */
async function target({ tenancy, leadId, cpf }: Found) {
  const { unitId, environment: of } = tenancy;
  const pseudonym = cpf && { cpf: await cpfPseudonym(tenancy, cpf) };
  return { unit: unitId, environment: of, lead: leadId, ...pseudonym };
}

async function exportOne(session: Session, found: Found, raw: boolean) {
  const data = await session.change(found.partnerId, await target(found), () =>
    personalData(found.tenancy, found.leadId),
  );
  if (!data) throw new SafeError(`there is no lead ${found.leadId} there`);
  const { unitId: unidade, environment: ambiente } = found.tenancy;
  const place = { parceiro: found.partnerId, unidade, ambiente };
  return raw ? { ...place, ...data } : { ...place, ...personalDataBody(data) };
}

const sum = (erasure: Erasure, count: 'opportunities' | 'forms') =>
  erasure.passes.reduce((total, pass) => total + pass[count], 0);
const kept = ({ passes }: Erasure) => {
  const last = passes.at(-1);
  return last ? `${last.analyses} analyses, ${last.consents} consents` : '-';
};

const STEPS: Readonly<Record<Erasure['state'], (erasure: Erasure) => string>> = {
  aguardando: ({ pending }) => `waits for ${pending} pending analyses; goes on by itself`,
  apagando: () => 'broke off; goes on by itself',
  apagado: ({ nextCheckAt }) =>
    nextCheckAt === undefined ? 'finished, both passes' : `second pass after ${moment(nextCheckAt).slice(11)}`,
};

const COLUMNS: readonly Column<Erasure>[] = [
  { title: 'unit', value: (row) => row.unitId },
  { title: 'env', value: (row) => row.environment },
  { title: 'lead', value: (row) => row.leadId },
  { title: 'state', value: (row) => row.state },
  { title: 'simulations', value: (row) => sum(row, 'opportunities') },
  { title: 'forms', value: (row) => sum(row, 'forms') },
  { title: 'kept', value: kept, shrinks: true },
  { title: 'now', value: (row) => STEPS[row.state](row), shrinks: true },
];

export function leads(root: Command, session: Session): void {
  const noun = root
    .command('leads')
    .description('what a person may ask for under the LGPD')
    .addHelpText('after', example('leads export --reason "LGPD-7" --local < cpf.txt'));
  const places = (command: Command) =>
    command
      .option('--partner <id>', 'only at a partner', id<PartnerId>)
      .option('--unit <id>', "only in one of the partner's units", id<UnitId>)
      .option('--lead <id>', 'by the id of the lead instead of the CPF', id<LeadId>)
      .addOption(environment('only in one environment'));

  places(noun.command('export'))
    .description('everything that is kept of a person: reais, ISO dates, Portuguese names')
    .option('--raw', 'as the service keeps it: centavos, milliseconds, its own names')
    .addHelpText('after', `${CPF_HELP}${example('leads export --reason "LGPD-7" --local < cpf.txt > person.json')}`)
    .action(async (where: Where) => {
      session.needsReason();
      const all = [];
      for (const found of await find(session, where)) all.push(await exportOne(session, found, where.raw === true));
      session.terminal.out(`${JSON.stringify(all, null, 2)}\n`);
    });

  places(noun.command('erase'))
    .description('erase a person: consents and credit queries stay as evidence, without a name')
    .addHelpText(
      'after',
      `${CPF_HELP}
Erased: the lead's data, its simulations, the forms sent to banks, the way from
the CPF to the lead. Kept: consents (5 years) and the analyses they allowed,
under the lead's number. While an analysis is pending the erasure waits and goes
on by itself; a second pass follows after 15 minutes. Run again, it says how far
it is. Answers kept for replays expire within 30 days, backups within 35.
${example(
  'leads erase --reason "LGPD-8" --yes --local < cpf.txt',
  'leads erase --lead 7001 --partner 123 --unit 456 --environment producao --reason "LGPD-8" --local',
)}`,
    )
    .action(async (where: Where) => {
      session.needsReason();
      const all = await find(session, where);
      await session.confirm(`The person is erased in ${all.length} unit(s) and environment(s), for good.`);
      const progress = session.progress('erasing', all.length);
      const erased: Erasure[] = [];
      const failed: string[] = [];
      for (const found of all) {
        try {
          erased.push(await eraseOne(session, found));
        } catch (error) {
          failed.push(`unit ${found.tenancy.unitId}, ${found.tenancy.environment}: ${verdict(error).line}`);
        }
        progress.step();
      }
      progress.end();
      session.printTable(erased, COLUMNS);
      if (failed.length > 0) throw new SafeError(failed.join('; '));
    });

  noun
    .command('apply-ledger')
    .description('after a restore, before any traffic: erase again everyone who had been erased')
    .addHelpText('after', example('leads apply-ledger --reason "INC-42, table restored" --yes --local'))
    .action(async () => {
      session.needsReason();
      await session.confirm('Everyone in the ledger of erasures is erased from this table, for good.');
      const { entries, erasures } = await session.change(
        'service',
        {},
        () => applyLedger(erasureDeps(session)),
        (report) => ({ entries: report.entries, leads: report.erasures.length }),
      );
      session.note(`${entries} in the ledger, ${erasures.length} of them in this table`);
      session.printTable(erasures, COLUMNS);
    });
}

const erasureDeps = ({ clock }: Session) => ({
  erasures: tableErasures(clock),
  ledger: tableErasureLedger(),
  clock,
});

async function eraseOne(session: Session, found: Found): Promise<Erasure> {
  const { partnerId, tenancy, leadId } = found;
  const work = async () => {
    const erasure = await erasePerson({ partnerId, ...tenancy, leadId }, erasureDeps(session));
    if (!erasure) throw new SafeError(`there is no lead ${leadId}`);
    return erasure;
  };
  return session.change(partnerId, await target(found), work, (erasure) => ({
    state: erasure.state,
    pending: erasure.pending,
    opportunities: sum(erasure, 'opportunities'),
    forms: sum(erasure, 'forms'),
  }));
}
