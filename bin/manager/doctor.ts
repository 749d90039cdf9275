import type { Command } from 'commander';
import type { AnswerOf } from '#shared/administration/operations.ts';
import { WARNING_DAYS } from '#shared/domain/simulations/pricing/notices.ts';
import { addDays, dayInSaoPaulo } from '#shared/domain/values/clock.ts';
import { example } from './command.ts';
import { CommandError, type Finding, lookedAt, UsageError } from './errors.ts';
import { through } from './pages.ts';
import type { Session } from './session.ts';

async function serviceFindings(session: Session): Promise<Finding[]> {
  return Promise.all([
    lookedAt('service keys', async () => {
      const { initialised, current } = await session.ask('show-service-keys', {});
      if (!initialised)
        return {
          state: 'MISSING',
          found: 'none: every call of a partner is refused',
          cure: 'service-keys init --reason "first deployment"',
        };
      return { state: 'ok', found: `sealing key version ${current}` };
    }),
    lookedAt('operator token', async () => {
      const { url, token_set } = await session.ask('show-operator', {});
      if (token_set) return { state: 'ok', found: `set, for ${url}` };
      const cure = 'operator set-token --reason "first deployment" < token.txt';
      return { state: 'MISSING', found: 'none: nothing can be submitted', cure };
    }),
    lookedAt('bank rates', () => bankRates(session)),
    lookedAt('first partner', () => firstPartner(session)),
    lookedAt('incident contacts', () => incidentContacts(session)),
  ]);
}

async function bankRates(session: Session): Promise<Omit<Finding, 'check'>> {
  const { rates, figures, unknown } = await session.ask('list-bank-rates', {});
  const today = dayInSaoPaulo(session.clock());
  const lasting = rates.filter(({ bank, segment, used_from, refused_from }) => {
    const isReplaced = (one: (typeof rates)[number]) =>
      one.bank === bank && one.segment === segment && one.used_from > used_from && one.used_from <= refused_from;
    return !rates.some(isReplaced);
  });
  const ends = lasting
    .map(({ bank, segment, refused_from }) => ({ day: refused_from, what: `${bank} ${segment}`, notice: WARNING_DAYS }))
    .concat(figures.map(({ day, of, kind }) => ({ day, what: `${of} ${kind}`, notice: 0 })))
    .sort((a, b) => (a.day < b.day ? -1 : 1));
  const near = ends.filter(({ day, notice }) => day <= addDays(today, notice));
  const texts = (list: typeof ends) => list.map(({ day, what }) => `${day} ${what}`);
  const dropped = unknown > 0 ? [`${unknown} rates that this release does not know`] : [];
  const found = dropped.concat(texts(near));
  if (found.length === 0) return { state: 'ok', found: texts(ends.slice(0, 1)).join() };
  return {
    state: 'MISSING',
    found: found.join(', '),
    cure: 'bank-rates list, then infra/RUNBOOK.md: pricing-tables-old, or upkeep if one is unknown',
  };
}

async function firstPartner(session: Session): Promise<Omit<Finding, 'check'>> {
  const why = '--reason "first partner"';
  const { partners } = await session.ask('list-partners', { limit: 1 });
  const [first] = partners;
  if (!first) return { state: 'MISSING', found: 'none', cure: `partners create --name "..." ${why}` };
  const { partner } = await session.ask('show-partner', { partner_id: first.partner_id });
  const option = `--partner ${partner.partner_id} ${why}`;
  const [unit] = partner.units;
  const found = `${partner.name} (${partner.partner_id})`;
  if (!unit) return { state: 'MISSING', found: `${found} has no unit`, cure: `units create ${option} --name "..."` };
  if (partner.keys.live === 0) {
    const cure = `keys create ${option} --unit ${unit.unit_id}`;
    return { state: 'MISSING', found: `${found} has no live key`, cure };
  }
  return { state: 'ok', found };
}

/** Looks only at partners with production: a partner that has only the sandbox has no personal data. */
async function incidentContacts(session: Session): Promise<Omit<Finding, 'check'>> {
  const open: AnswerOf<'list-partners'>['partners'] = [];
  for await (const { partners } of through((cursor) => session.ask('list-partners', { limit: 200 }, { cursor })))
    open.push(...partners.filter(({ validated_at }) => validated_at !== null));
  const without = open.filter(({ incident_contact }) => incident_contact === null);
  const [first] = without;
  if (!first) return { state: 'ok', found: `partners with production: ${open.length}, each with a contact` };
  return {
    state: 'MISSING',
    found: `partners with production: ${open.length}, without a contact: ${without.length}, first ${first.name} (${first.partner_id})`,
    cure: `partners incident-contact ${first.partner_id} --contact "..." --reason "first contact"`,
  };
}

export function doctor(root: Command, session: Session): void {
  root
    .command('doctor')
    .description('what a stage lacks after a deployment, and how to mend it; changes nothing')
    .option('--before', 'what the first deployment needs: values, quotas, bootstrap, trail, certificate')
    .addHelpText(
      'after',
      `
It asks the API as far as your duties allow. On AWS it also asks CloudFormation,
Lambda, API Gateway, DynamoDB, Cognito, CloudTrail, SNS, ACM, Secrets Manager
and Backup with your own credentials (ReadOnlyAccess is enough). A check that
you may not make is called unknown. Exit code 1 if something is missing.
${example('doctor --local', 'doctor --stage prod --json', 'doctor --before --stage prod')}`,
    )
    .action(async ({ before = false }: { before?: boolean }) => {
      const { aws } = session.stage;
      if (before && !aws) throw new UsageError('--before looks at AWS: name a --stage of it');
      // Imported here, so that no other command waits for the AWS clients that only `doctor` uses.
      const ofAws = aws ? await (await import('./doctor-aws.ts')).awsFindings({ ...aws, before }) : [];
      const findings = before ? ofAws : ofAws.concat(await serviceFindings(session));
      session.printTable(findings, [
        { title: 'check', value: (row) => row.check },
        { title: 'state', value: (row) => row.state },
        { title: 'found', value: (row) => row.found, shrinks: true },
      ]);
      const missing = findings.filter(({ state }) => state === 'MISSING');
      for (const { check, cure } of missing) session.note(`${check}: ${cure}`);
      if (missing.length > 0) throw new CommandError(`missing: ${missing.map(({ check }) => check).join(', ')}`);
    });
}
