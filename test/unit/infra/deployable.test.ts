import { expect, it } from 'vitest';
import { undeployable } from '#infra/deployable.ts';
import { type Stage, stageValues } from '#infra/stages.ts';

const filledIn: Stage = {
  ...stageValues('prod', {}),
  pinnedAccount: '111122223333',
  operatorUrl: 'https://operator.bank-desk.com.br',
  operatorContact: 'plantao@bank-desk.com.br',
  runbookUrl: 'https://git.bank-desk.com.br/runbook.md',
  domain: { name: 'api.bank-desk.com.br', certificateArn: 'arn' },
  alarmTargets: { page: [{ kind: 'https', url: 'https://pager.bank-desk.com.br/a' }], ticket: [] },
  support: { email: 'suporte@bank-desk.com.br', hours: 'sempre', contactUntil: '2027-10-31' },
  dataProtectionOfficer: { name: 'Pessoa encarregada', email: 'encarregada@bank-desk.com.br' },
  evidence: { ...stageValues('prod', {}).evidence!, copyVaultArn: 'arn:aws:backup:sa-east-1:444455556666:vault:a' },
};

it('undeployable returns a sentence for everything that is missing', () => {
  expect(undeployable(stageValues('prod', {}), '111122223333')).toEqual([
    'prod: pin its account: set pinnedAccount in infra/stages.ts to its 12 digits.',
    'prod: nobody is woken by a page: set alarmTargets.page in infra/stages.ts.',
    'prod: it has no host name of its own: set domain in infra/stages.ts.',
    'prod: no copy of its evidence leaves this account: set evidence.copyVaultArn in infra/stages.ts.',
    'prod: operatorUrl is still a placeholder (.example): set it in infra/stages.ts.',
    'prod: operatorContact is still a placeholder (.example): set it in infra/stages.ts.',
    'prod: runbookUrl is still a placeholder (.example): set it in infra/stages.ts.',
    'prod: support.email is still a placeholder (.example): set it in infra/stages.ts.',
    'prod: dataProtectionOfficer.name is still a placeholder (.example): set it in infra/stages.ts.',
    'prod: dataProtectionOfficer.email is still a placeholder (.example): set it in infra/stages.ts.',
  ]);
});

it('undeployable refuses a stage without its own account, and credentials of another account', () => {
  expect(undeployable(filledIn, '444455556666')).toEqual([
    'prod: it belongs to account 111122223333, but these credentials are of 444455556666: use credentials of its account.',
  ]);
  expect(undeployable(stageValues('staging', {}), undefined)).toEqual([
    'staging: pin its account: set pinnedAccount in infra/stages.ts to its 12 digits.',
  ]);
});

const { support } = filledIn;
it.each<[string, Partial<Stage>]>([
  ['alarmTargets.page', { alarmTargets: { page: [{ kind: 'email', address: 'a@desk.example' }], ticket: [] } }],
  ['support.statusPage', { support: { ...support, statusPage: 'https://status.desk.example' } }],
  ['domain.name', { domain: { name: 'api.desk.example', certificateArn: 'arn' } }],
])('undeployable refuses a placeholder in %s', (value, changes) => {
  expect(undeployable({ ...filledIn, ...changes }, '111122223333')).toEqual([
    `prod: ${value} is still a placeholder (.example): set it in infra/stages.ts.`,
  ]);
});

it.each(['2027-10-31', '2026-10-30'])('undeployable refuses a contactUntil of 2027-10-31 on %s', (today) => {
  expect(undeployable(filledIn, '111122223333', today)).toEqual([
    'prod: security.txt has expired, or ends more than a year ahead: set support.contactUntil in infra/stages.ts to a day within a year.',
  ]);
});

it('undeployable accepts a prod with all values, and dev as it is', () => {
  expect(undeployable(filledIn, '111122223333', '2027-10-30')).toEqual([]);
  expect(undeployable(filledIn, undefined)).toEqual([]);
  expect(undeployable(stageValues('dev', {}), '111122223333')).toEqual([]);
});

it.each([
  { name: '', email: 'dpo@bank-desk.com.br' },
  { name: 'Encarregado', email: ' ' },
])('undeployable refuses a stage that names nobody for questions about personal data: %o', (dataProtectionOfficer) => {
  expect(undeployable({ ...filledIn, dataProtectionOfficer }, '111122223333')).toEqual([
    'prod: nobody is named for questions about personal data: set dataProtectionOfficer in infra/stages.ts.',
  ]);
});
