import type { Command } from 'commander';
import { type Cpf, formatCpf, parseCpf } from '../../shared/domain/values/cpf.ts';
import type { LeadId, PartnerId, UnitId } from '../../shared/domain/values/ids.ts';
import { ENVIRONMENTS, type Environment, type Tenancy } from '../../shared/domain/values/tenancy.ts';
import { SafeError } from '../../shared/runtime/log.ts';
import { cpfPseudonym, eraseLead, leadByCpf, personalData } from '../../shared/table/lead-erasure.ts';
import { listPartners, listUnits } from '../../shared/table/partner-register.ts';
import { environment, example, id } from './arguments.ts';
import { UsageError, verdict } from './errors.ts';
import { existing } from './partners.ts';
import type { Session } from './session.ts';

interface Where {
  readonly partnerId?: PartnerId;
  readonly unitId?: UnitId;
  readonly environment?: Environment;
}

interface Found {
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
  const text = await (interactive ? session.terminal.ask('CPF: ') : session.terminal.input());
  const cpf = parseCpf(text.trim());
  if (!cpf) throw new UsageError('that is no CPF: 11 digits, or ddd.ddd.ddd-dd, on standard input');
  return cpf;
}

/** Where a person is known: in one unit and environment, or in all of them. */
async function find(session: Session, cpf: Cpf, where: Where): Promise<Found[]> {
  if (where.unitId !== undefined && where.partnerId === undefined) throw new UsageError('--unit needs its --partner');
  const partners = where.partnerId === undefined ? await listPartners() : [await existing(where.partnerId)];
  const progress = session.progress('partners', partners.length);
  const found: Found[] = [];
  for (const { id: partnerId } of partners) {
    for (const { id: unitId } of await listUnits(partnerId)) {
      if ((where.unitId ?? unitId) !== unitId) continue;
      for (const of of ENVIRONMENTS) {
        const tenancy: Tenancy = { unitId, environment: of };
        const leadId = (where.environment ?? of) === of ? await leadByCpf(tenancy, cpf) : undefined;
        if (leadId !== undefined) found.push({ partnerId, tenancy, leadId });
      }
    }
    progress.step();
  }
  progress.end();
  if (found.length === 0) throw new SafeError('nobody with this CPF is known there: nothing to do');
  return found;
}

/** The person as the audit names them. */
async function target({ tenancy, leadId }: Found, cpf: Cpf) {
  const { unitId, environment: of } = tenancy;
  return { unit: unitId, environment: of, lead: leadId, cpf: await cpfPseudonym(tenancy, cpf) };
}

async function exportOne(session: Session, found: Found, cpf: Cpf) {
  const data = await session.change(found.partnerId, await target(found, cpf), () =>
    personalData(found.tenancy, found.leadId),
  );
  if (!data) throw new SafeError('the person was erased meanwhile');
  const { lead, ...rest } = data;
  return { partner: found.partnerId, ...found.tenancy, lead: { ...lead, cpf: formatCpf(lead.cpf) }, ...rest };
}

export function leads(root: Command, session: Session): void {
  const noun = root
    .command('leads')
    .description('what a person may ask for under the LGPD')
    .addHelpText('after', example('leads export --reason "LGPD-7" --local < cpf.txt'));
  const places = (command: Command) =>
    command
      .option('--partner <id>', 'only at a partner', id<PartnerId>)
      .option('--unit <id>', "only in one of the partner's units", id<UnitId>)
      .addOption(environment('only in one environment'));

  places(noun.command('export'))
    .description('everything that is kept of a person, as JSON')
    .addHelpText('after', `${CPF_HELP}${example('leads export --reason "LGPD-7" --local < cpf.txt > person.json')}`)
    .action(async (where: Where) => {
      session.needsReason();
      const cpf = await readCpf(session);
      const all = [];
      for (const found of await find(session, cpf, where)) all.push(await exportOne(session, found, cpf));
      session.terminal.out(`${JSON.stringify(all, null, 2)}\n`);
    });

  places(noun.command('erase'))
    .description('erase a person: consents and credit queries stay as evidence, without a name')
    .addHelpText(
      'after',
      `${CPF_HELP}
Erased: the lead's data, its simulations, the forms sent to banks, the way from
the CPF to the lead. Kept: consents (5 years) and the analyses they allowed,
under the lead's number. Answers kept for replays expire within 30 days, backups
within 35.
${example('leads erase --reason "LGPD-8" --yes --local < cpf.txt')}`,
    )
    .action(async (where: Where) => {
      session.needsReason();
      const cpf = await readCpf(session);
      const all = await find(session, cpf, where);
      await session.confirm(`The person is erased in ${all.length} unit(s) and environment(s), for good.`);
      const progress = session.progress('erasing', all.length);
      const erased = [];
      const failed: string[] = [];
      for (const found of all) {
        const place = { partner: found.partnerId, ...found.tenancy, lead: found.leadId };
        try {
          const erasure = await session.change(
            found.partnerId,
            await target(found, cpf),
            () => eraseLead(found.tenancy, found.leadId, cpf, session.clock()),
            ({ lead, ...counts }) => ({ became: lead, ...counts }),
          );
          const { lead: became, ...counts } = erasure;
          erased.push({ ...place, became, ...counts });
        } catch (error) {
          failed.push(`unit ${found.tenancy.unitId}, ${found.tenancy.environment}: ${verdict(error).line}`);
        }
        progress.step();
      }
      progress.end();
      session.printTable(erased, [
        { title: 'unit', value: (row) => row.unitId },
        { title: 'env', value: (row) => row.environment },
        { title: 'lead', value: (row) => row.became },
        { title: 'simulations', value: (row) => row.opportunities },
        { title: 'forms', value: (row) => row.forms },
        { title: 'kept', value: (row) => `${row.analysesKept} analyses, ${row.consentsKept} consents`, shrinks: true },
      ]);
      if (failed.length > 0) throw new SafeError(failed.join('; '));
    });
}
