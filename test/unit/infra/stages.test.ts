import { expect, it } from 'vitest';
import { checkStage, type Stage, stageNamed, stageValues } from '#infra/stages.ts';
import { MAX_POLL_SHARDS } from '#shared/domain/analyses/poll-schedule.ts';

const prod = stageValues('prod', {});
/** Reserves runs for submissions, and 8 for the poller, of the account's 300. */
const reserving = (runs: number): Partial<Stage> => {
  const reserved = { 'submit-analyses': runs, 'poll-bank-outcomes': 8 };
  return { concurrency: { ...prod.concurrency, accountLimit: 300, reserved } };
};

const ACCOUNT = '111122223333';
const certified = (region: string, account: string) => ({
  name: 'api.operator.example',
  certificateArn: `arn:aws:acm:${region}:${account}:certificate/1`,
});
const copies = (account: string, region = 'sa-east-1', secondRegion: string | undefined = undefined) => ({
  evidence: {
    ...prod.evidence!,
    secondRegion,
    copyVaultArn: `arn:aws:backup:${region}:${account}:backup-vault:copies`,
  },
});
const OTHER = '999988887777';
const pushing = (account: string | undefined, burst = 1): Partial<Stage> => ({
  administration: { ...prod.administration, accounts: ['444455556666'] },
  operatorPush: { account, throttle: { rate: 1, burst } },
});
type Runs = Readonly<Record<string, number>>;
const warming = (provisioned: Runs, reserved: Runs = {}, accountLimit = 1000): Partial<Stage> => {
  return { concurrency: { accountLimit, reserved, provisioned } };
};
const TERMS = { sandboxDays: 90, monthsWithoutAnalysis: 24, yearsAfterAnalysis: 5 };
const ROOM = { kind: 'slack', workspaceId: 'T0', channelId: 'C0' } as const;

it.each<[string, Partial<Stage>, RegExp]>([
  ['a limit for one address below 10,000', { firewall: { perAddress: 9_999 } }, /perAddress/],
  ['reservations that leave fewer than 100 runs', reserving(193), /201 runs are reserved/],
  ['a poller without a shard', { pollShards: 0 }, /pollShards is not between 1 and 60/],
  ['more shards than the pending index can use', { pollShards: 61 }, /pollShards is not between 1 and 60/],
  ['consents that are refused before answers warn about them', { consentDays: 29 }, /consentDays/],
  ['rates that are refused before answers warn about them', { rateDays: 120 }, /rateDays is not above 120/],
  ['leads that end while an answer about them can be repeated', { leadRetention: { ...TERMS, sandboxDays: 60 } }, /61/],
  ['a term with a part of a month', { leadRetention: { ...TERMS, monthsWithoutAnalysis: 3.5 } }, /leadRetention/],
  ['a single webhook worker', { webhookConcurrency: 1 }, /webhookConcurrency/],
  ['more recovery than DynamoDB keeps', { retention: { recoveryDays: 36, keepsLogs: true } }, /recoveryDays/],
  ['fixed addresses that would be deleted later', { fixedEgress: true }, /fixedEgress without egressAddresses/],
  ['an API that nobody could call', { executeApi: false }, /executeApi is off without a domain/],
  ['a burst below the rate', { throttle: { rate: 10, burst: 5 } }, /burst/],
  ['a certificate of another region', { domain: certified('us-east-1', ACCOUNT) }, /not of sa-east-1/],
  ['a certificate of another account', { domain: certified('sa-east-1', '999988887777') }, /account 111122223333/],
  ['an operator without https', { operatorUrl: 'http://operator.example' }, /operatorUrl is not https/],
  ['copies in the account itself', copies(ACCOUNT), /copyVaultArn lies in the stage’s own account/],
  [
    'copies in a region that the stage does not name',
    copies(OTHER, 'us-east-1'),
    /copyVaultArn lies in us-east-1: set evidence.secondRegion to us-east-1, or a vault in sa-east-1/,
  ],
  [
    'a second region without the copies',
    copies(OTHER, 'sa-east-1', 'us-east-1'),
    /secondRegion is us-east-1, .*: set evidence.copyVaultArn to a vault there, or evidence.secondRegion to undefined/,
  ],
  [
    'a second region without any vault',
    { evidence: { ...prod.evidence!, secondRegion: 'us-east-1' } },
    /evidence.secondRegion is us-east-1/,
  ],
  ['copies in a third region', copies(OTHER, 'us-west-2', 'us-east-1'), /evidence.secondRegion is us-east-1/],
  ['a second region that is the stage’s own', copies(OTHER, 'sa-east-1', 'sa-east-1'), /own region/],
  ['an operator’s account without 12 digits', pushing('12345'), /does not have 12 digits/],
  ['an operator’s account that people use, too', pushing('444455556666'), /more than its one route/],
  ['an operator whose burst is below its rate', pushing(undefined, 0), /operatorPush.throttle.burst/],
  ['a warm function that does not exist', warming({ 'submit-analysis': 1 }), /there is no such operation/],
  ['more warm containers than may run', warming({ 'submit-analyses': 9 }, { 'submit-analyses': 8 }), /warms more of/],
  ['warm containers that leave fewer than 100', warming({ 'get-lead': 901 }), /901 runs are reserved or kept warm/],
  ['fewer runs of the poller than shards', warming({}, { 'poll-bank-outcomes': 3 }), /fewer runs than its 4 shards/],
  ['more workers than runs', { webhookConcurrency: 11, ...warming({}, {}, 10) }, /webhookConcurrency is above/],
  ['pages and tickets in one channel', { alarmTargets: { page: [ROOM], ticket: [ROOM] } }, /one Slack channel/],
  ['more calls than the account’s quota', { throttle: { rate: 10_001, burst: 20_000 } }, /above the account/],
  ['an unknown field', { pollShard: 2 } as Partial<Stage>, /nobody knows pollShard/],
])('checkStage refuses %s', (_, changes, message) => {
  expect(() => checkStage({ ...prod, account: ACCOUNT, ...changes })).toThrow(message);
});

it.each<[string, Partial<Stage>]>([
  ['the largest number of shards', { pollShards: MAX_POLL_SHARDS }],
  ['reservations that leave 100 runs', reserving(192)],
  ['copies of another account in the region itself', copies(OTHER)],
  ['copies in the second region', copies(OTHER, 'us-east-1', 'us-east-1')],
])('checkStage accepts %s', (_, changes) => {
  expect(() => checkStage({ ...prod, account: ACCOUNT, ...changes })).not.toThrow();
});

it('stageNamed finds a stage only by its exact name', () => {
  expect(stageNamed('prod')).toBe('prod');
  expect(() => stageNamed('production')).toThrow('use dev, staging, prod');
});
