import { dayInSaoPaulo } from '../shared/domain/values/clock.ts';
import type { AlarmTarget, Stage } from './stages.ts';

/** A host with this ending belongs to nobody (RFC 2606). It marks values that must still be filled in. */
const PLACEHOLDER = /\.example(?![\w-])/;

const addressOf = (target: AlarmTarget): string =>
  target.kind === 'email' ? target.address : target.kind === 'https' ? target.url : '';

/** Returns the faults. `credentials`: AWS account of the person who deploys, if known. */
export function undeployable(
  stage: Stage,
  credentials: string | undefined,
  today: string = dayInSaoPaulo(Date.now()),
): readonly string[] {
  const { name, pinnedAccount } = stage;
  const faults = name === 'dev' ? [] : account(pinnedAccount, credentials);
  if (name === 'prod') faults.push(...production(stage, today));
  return faults.map((fault) => `${name}: ${fault}`);
}

function account(pinned: string | undefined, credentials: string | undefined): string[] {
  if (pinned === undefined) return ['pin its account: set pinnedAccount in infra/stages.ts to its 12 digits.'];
  if (credentials === undefined || credentials === pinned) return [];
  return [
    `it belongs to account ${pinned}, but these credentials are of ${credentials}: use credentials of its account.`,
  ];
}

const aYearAfter = (day: string) => `${Number(day.slice(0, 4)) + 1}${day.slice(4)}`;

function production(stage: Stage, today: string): string[] {
  const { domain, operatorUrl, operatorContact, runbookUrl } = stage;
  const { alarmTargets, support, dataProtectionOfficer, evidence } = stage;
  const values = {
    operatorUrl,
    operatorContact,
    runbookUrl,
    'domain.name': domain?.name ?? '',
    'alarmTargets.page': alarmTargets.page.map(addressOf).join(),
    'alarmTargets.ticket': alarmTargets.ticket.map(addressOf).join(),
    'support.email': support.email,
    'support.statusPage': support.statusPage ?? '',
    'dataProtectionOfficer.name': dataProtectionOfficer.name,
    'dataProtectionOfficer.email': dataProtectionOfficer.email,
  };
  const missing = {
    'nobody is woken by a page: set alarmTargets.page in infra/stages.ts.': alarmTargets.page.length === 0,
    'it has no host name of its own: set domain in infra/stages.ts.': !domain,
    'no copy of its evidence leaves this account: set evidence.copyVaultArn in infra/stages.ts.':
      !evidence?.copyVaultArn,
    'nobody is named for questions about personal data: set dataProtectionOfficer in infra/stages.ts.':
      dataProtectionOfficer.name.trim() === '' || dataProtectionOfficer.email.trim() === '',
    'security.txt has expired, or ends more than a year ahead: set support.contactUntil in infra/stages.ts to a day within a year.':
      support.contactUntil <= today || support.contactUntil > aYearAfter(today),
  };
  const faults = Object.entries(missing).flatMap(([fault, holds]) => (holds ? [fault] : []));
  for (const [name, value] of Object.entries(values)) {
    if (PLACEHOLDER.test(value)) faults.push(`${name} is still a placeholder (.example): set it in infra/stages.ts.`);
  }
  return faults;
}
