import { STSClient } from '@aws-sdk/client-sts';
import { afterEach, expect, it, vi } from 'vitest';
import { accessTo } from '#bin/manager/aws.ts';
import { awsFindings } from '#bin/manager/doctor-aws.ts';
import type { Finding } from '#bin/manager/errors.ts';
import { type Stage, stageValues } from '#infra/stages.ts';

// The answers of AWS are given by the name of each command of its SDK.

const stage: Stage = {
  ...stageValues('dev', {}),
  domain: { name: 'api.partner.invalid', certificateArn: 'arn:aws:acm:sa-east-1:000000000000:certificate/1' },
  alarmTargets: { page: [{ kind: 'email', address: 'plantao@operator.example' }], ticket: [] },
};
const NO_STACK = Object.assign(new Error('Stack does not exist'), { name: 'ValidationError' });
const DENIED = Object.assign(new Error('You may not ask that'), { name: 'AccessDeniedException' });

type Command = { readonly constructor: { readonly name: string }; readonly input: Readonly<Record<string, unknown>> };

afterEach(() => void vi.restoreAllMocks());

/**
 * Returns the findings by check. `stacks` are the statuses of the deployed stacks, `told` the answers of AWS by
 * command. AWS refuses any other command.
 */
async function find(
  told: Record<string, object>,
  stacks: Record<string, string> = {},
  before = false,
  changes: Partial<Stage> = {},
  fetched: (url: URL) => Promise<Response> = () => Promise.reject(new TypeError('fetch failed')),
) {
  vi.stubGlobal('fetch', fetched);
  // All clients of the SDK send with the same method of one class.
  vi.spyOn(Object.getPrototypeOf(STSClient.prototype), 'send').mockImplementation(async (sent) => {
    const { input } = sent as Command;
    const name = (sent as Command).constructor.name;
    if (name === 'GetCallerIdentityCommand') return { Account: '000000000000', Arn: 'arn:aws:iam::0:user/a' };
    if (name === 'DescribeStacksCommand') {
      const StackStatus = stacks[String(input['StackName'])];
      if (StackStatus === undefined) throw NO_STACK;
      const OutputValue = 'https://cognito-idp.sa-east-1.amazonaws.com/sa-east-1_AbC';
      return { Stacks: [{ StackStatus, Outputs: [{ OutputKey: 'PeoplePool', OutputValue }] }] };
    }
    if (!(name in told)) throw DENIED;
    const answer = told[name];
    return typeof answer === 'function' ? answer(input) : answer;
  });
  const found = await awsFindings({ access: accessTo(stage.region), stage: { ...stage, ...changes }, before });
  vi.unstubAllGlobals();
  return Object.fromEntries(found.map((finding) => [finding.check, finding]));
}

const runs = (ConcurrentExecutions: number) => {
  return { GetAccountSettingsCommand: { AccountLimit: { ConcurrentExecutions } } };
};
const subscribed = (SubscriptionArn: string) => {
  return { ListSubscriptionsByTopicCommand: { Subscriptions: [{ Endpoint: 'e', SubscriptionArn }] } };
};
const certificate = (Status: string, days: number) => {
  const NotAfter = new Date(Date.now() + days * 86_400_000);
  return { DescribeCertificateCommand: { Certificate: { Status, DomainName: 'api.partner.invalid', NotAfter } } };
};

it('awsFindings reports stacks, quotas, targets, certificate and host name that the stage lacks', async () => {
  const GetAccountCommand = { throttleSettings: { rateLimit: 10_000, burstLimit: 5_000 } };
  const askedFor = { ...subscribed('PendingConfirmation'), ...certificate('PENDING_VALIDATION', 300) };
  const found = await find(
    { ...runs(10), GetAccountCommand, ...askedFor },
    {
      'partner-credit-dev-data': 'UPDATE_COMPLETE',
      'partner-credit-dev-service': 'ROLLBACK_COMPLETE',
      'partner-credit-dev-administration': 'CREATE_COMPLETE',
    },
  );
  const missing = (more: object) => ({ state: 'MISSING', ...more });
  expect(found).toMatchObject({
    'stack data': { state: 'ok' },
    'stack service': missing({ found: 'ROLLBACK_COMPLETE' }),
    'stack watch': missing({ cure: 'npx cdk deploy partner-credit-dev-watch -c stage=dev' }),
    'quota of Lambda': missing({ cure: expect.stringContaining('L-B99A9384') }),
    'quota of API Gateway': { state: 'ok' },
    'page targets': missing({ found: '0 of 1 confirmed' }),
    'ticket targets': { state: 'ok' },
    certificate: missing({ cure: expect.stringContaining('CNAME') }),
    'host name': missing({ cure: expect.stringContaining('DomainTarget') }),
  });
});

it('awsFindings reports ok if all is in order, and unknown if AWS refuses or does not answer', async () => {
  const arn = 'arn:aws:sns:sa-east-1:000000000000:partner-credit-dev-page:1';
  const found = await find({ ...runs(1000), ...subscribed(arn), ...certificate('ISSUED', 200), GetAccountCommand: {} });
  expect(found).toMatchObject({
    'quota of Lambda': { state: 'ok' },
    'page targets': { state: 'ok', found: '1 of 1 confirmed' },
    certificate: { state: 'ok' },
    'quota of API Gateway': { state: 'unknown', found: 'AWS does not return rateLimit' },
    'trail of management events': { state: 'unknown', found: 'AWS refuses: You may not ask that' },
  });
  const { certificate: ending } = await find(certificate('ISSUED', 5));
  expect(ending).toMatchObject({ state: 'MISSING', cure: expect.stringContaining('renewed') });
});

const GROUPS = ['manager', 'support', 'privacy', 'security', 'auditor'].map((GroupName) => ({ GroupName }));

it.each<[string, object, object[], object[], object]>([
  ['is as it was deployed', {}, GROUPS, [{}], { state: 'ok', found: expect.stringContaining('1 managers') }],
  ['asks for no second factor', { MfaConfiguration: 'OPTIONAL' }, GROUPS, [{}], { state: 'MISSING' }],
  ['lets people sign up', { AdminCreateUserConfig: {} }, GROUPS, [{}], { state: 'MISSING' }],
  ['lacks a duty', {}, GROUPS.slice(1), [{}], { state: 'MISSING', found: expect.stringContaining('group manager') }],
  ['has no manager', {}, GROUPS, [], { state: 'MISSING', cure: expect.stringContaining('first manager') }],
])('awsFindings judges a user pool of the panel that %s', async (_, changes, Groups, Users, finding) => {
  const pool = { MfaConfiguration: 'ON', AdminCreateUserConfig: { AllowAdminCreateUserOnly: true }, ...changes };
  const asked = (answer: object) => (input: { UserPoolId: string }) => {
    expect(input.UserPoolId).toBe('sa-east-1_AbC');
    return answer;
  };
  const found = await find(
    {
      DescribeUserPoolCommand: asked({ UserPool: pool }),
      ListGroupsCommand: asked({ Groups }),
      ListUsersInGroupCommand: asked({ Users }),
    },
    { 'partner-credit-dev-administration': 'CREATE_COMPLETE' },
  );
  expect(found['people of the panel']).toMatchObject(finding);
});

const MANAGEMENT = { Field: 'eventCategory', Equals: ['Management'] };
const basic = (IncludeManagementEvents: boolean, ReadWriteType: string) => ({
  EventSelectors: [{ IncludeManagementEvents, ReadWriteType }],
});
const advanced = (...FieldSelectors: object[]) => ({ AdvancedEventSelectors: [{ FieldSelectors }] });

it.each<[string, string, boolean, object]>([
  ['ok', 'logs all management events', true, basic(true, 'All')],
  ['ok', 'selects management events', true, advanced(MANAGEMENT)],
  ['MISSING', 'is switched off', false, basic(true, 'All')],
  ['MISSING', 'logs only data events', true, basic(false, 'All')],
  ['MISSING', 'logs only reads', true, basic(true, 'ReadOnly')],
  ['MISSING', 'selects only reads', true, advanced(MANAGEMENT, { Field: 'readOnly', Equals: ['true'] })],
  ['MISSING', 'logs only writes', true, basic(true, 'WriteOnly')],
  ['MISSING', 'selects only writes', true, advanced(MANAGEMENT, { Field: 'readOnly', Equals: ['false'] })],
])(
  'awsFindings reports %s for the trail of management events if the only trail %s',
  async (state, _, IsLogging, selectors) => {
    const found = await find({
      DescribeTrailsCommand: { trailList: [{ TrailARN: 'arn:aws:cloudtrail:sa-east-1:000000000000:trail/all' }] },
      GetTrailStatusCommand: { IsLogging },
      GetEventSelectorsCommand: selectors,
    });
    expect(found['trail of management events']).toMatchObject({ state });
  },
);

it('awsFindings reports ok if one trail logs the reading calls and another one the writing calls', async () => {
  const selectors: Readonly<Record<string, object>> = {
    reads: basic(true, 'ReadOnly'),
    writes: basic(true, 'WriteOnly'),
  };
  const found = await find({
    DescribeTrailsCommand: { trailList: Object.keys(selectors).map((TrailARN) => ({ TrailARN })) },
    GetTrailStatusCommand: { IsLogging: true },
    GetEventSelectorsCommand: ({ TrailName }: { TrailName: string }) => selectors[TrailName],
  });
  expect(found['trail of management events']).toMatchObject({ state: 'ok', found: 'reads and writes' });
});

it('awsFindings reports MISSING if the other account has an older version of the keys', async () => {
  const copyVaultArn = 'arn:aws:backup:sa-east-1:444455556666:backup-vault:copies';
  const evidence = { copyVaultArn, secondRegion: undefined, vaultLock: 'compliance' } as const;
  const [keys, retired] = ['keys', 'retired-keys'].map((name) => `partner-credit-dev/${name}`);
  const versions = (here: object, there: object) => ({
    DescribeSecretCommand: ({ SecretId }: { SecretId: string }) => {
      if (SecretId.endsWith(`:${retired}`) || SecretId === retired) return {};
      return {
        VersionIdsToStages: SecretId === `arn:aws:secretsmanager:sa-east-1:444455556666:secret:${keys}` ? there : here,
      };
    },
  });
  const of = async (told: object) => find(told as Readonly<Record<string, object>>, {}, false, { evidence });
  const [older, newer] = [{ a: ['AWSCURRENT'] }, { a: ['AWSPREVIOUS'], b: ['AWSCURRENT'] }];
  expect(await of(versions(newer, older))).toMatchObject({
    [`copy of ${keys}`]: { state: 'MISSING', cure: expect.stringContaining('to account 444455556666') },
    [`copy of ${retired}`]: { state: 'ok' },
  });
  expect(await of(versions(newer, newer))).toMatchObject({ [`copy of ${keys}`]: { state: 'ok' } });
  expect(await of({})).toMatchObject({ [`copy of ${keys}`]: { state: 'unknown' } });
});

it.each([
  [
    'ok',
    'has a completed job of each table',
    200,
    ['partner-credit-dev', 'partner-credit-dev-erasures'],
    /-erasures 2026-11-27 05:40:00Z/,
  ],
  ['MISSING', 'has no completed job of the ledger of erasures', 200, ['partner-credit-dev'], /-erasures was completed/],
  ['unknown', 'is refused', 403, [], /AWS Backup refuses: 403/],
] as const)(
  'awsFindings reports %s for the last copy of the tables if AWS Backup %s',
  async (state, _, status, tables, found) => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIAIOSFODNN7EXAMPLE');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'an-example-of-a-secret-key');
    const copyVaultArn = 'arn:aws:backup:sa-east-1:444455556666:backup-vault:copies';
    const evidence = { copyVaultArn, secondRegion: undefined, vaultLock: 'compliance' } as const;
    const asked: URL[] = [];
    const jobs = tables.map((table) => ({
      ResourceArn: `arn:aws:dynamodb:sa-east-1:000000000000:table/${table}`,
      CompletionDate: Date.parse('2026-11-27T05:40:00Z') / 1_000,
    }));
    const findings = await find({}, {}, false, { evidence }, async (url) => {
      asked.push(url);
      return Response.json({ BackupJobs: jobs, CopyJobs: jobs }, { status });
    });
    vi.unstubAllEnvs();
    for (const kind of ['backup', 'copy'])
      expect(findings[`last ${kind} of the tables`]).toMatchObject({ state, found: expect.stringMatching(found) });
    const [backups, copies] = asked.filter(({ host }) => host === 'backup.sa-east-1.amazonaws.com');
    expect(backups?.pathname).toBe('/backup-jobs/');
    expect(backups?.searchParams.get('backupVaultName')).toBe('partner-credit-dev');
    expect(copies?.pathname).toBe('/copy-jobs/');
    expect(copies?.searchParams.get('destinationVaultArn')).toBe(copyVaultArn);
    for (const url of [backups, copies]) {
      expect(url?.searchParams.get('state')).toBe('COMPLETED');
      const since = Date.parse(url?.searchParams.get('completeAfter') ?? '');
      expect(Date.now() - since - 26 * 3_600_000).toBeLessThan(60_000);
    }
  },
);

const TABLES = ['partner-credit-dev', 'partner-credit-dev-erasures'];
const recovers = (status: string, RecoveryPeriodInDays: number) => ({
  ContinuousBackupsDescription: {
    PointInTimeRecoveryDescription: { PointInTimeRecoveryStatus: status, RecoveryPeriodInDays },
  },
});

it.each<[Finding['state'], string, object]>([
  ['ok', 'is on', recovers('ENABLED', 7)],
  ['MISSING', 'is off for the ledger', recovers('DISABLED', 7)],
  ['MISSING', 'reaches back less far for the ledger', recovers('ENABLED', 6)],
  ['unknown', 'is not in the answer', {}],
])('awsFindings reports %s for the recovery of the tables if it %s', async (state, _, ledger) => {
  const found = await find({
    DescribeContinuousBackupsCommand: ({ TableName }: { TableName: string }) =>
      TableName === TABLES[1] ? ledger : recovers('ENABLED', 7),
  });
  expect(found['recovery of the tables']).toMatchObject({ state });
});

it.each<[Finding['state'], number, string]>([
  ['ok', 499.94e9, '499.9 GB'],
  ['MISSING', 500e9, '500.0 GB'],
])('awsFindings reports %s for the size of the tables if the largest has %s bytes', async (state, bytes, size) => {
  const found = await find({
    DescribeTableCommand: ({ TableName }: { TableName: string }) => ({
      Table: { TableSizeBytes: TableName === TABLES[0] ? bytes : 0 },
    }),
  });
  expect(found['size of the tables']).toMatchObject({
    state,
    found: `partner-credit-dev ${size}; partner-credit-dev-erasures 0.0 GB`,
  });
});

it.each<[Finding['state'], string, string, readonly (number | undefined)[], RegExp]>([
  ['ok', 'both tables have one', '2026-11-20T09:00:00Z', [122, 122], /-erasures 2026-11-01 12:40:00Z/],
  ['MISSING', 'the ledger has only a nightly one', '2026-11-20T09:00:00Z', [122, 7], /no copy of .*-erasures that/],
  ['MISSING', 'that of January is kept for months', '2027-01-20T09:00:00Z', [122, 122], /is kept for 1827 days/],
  ['ok', 'that of January is kept for years', '2027-01-20T09:00:00Z', [1827, 1827], /-erasures 2026-11-01/],
  ['MISSING', 'both have only nightly ones', '2026-11-20T09:00:00Z', [7, 7], /credit-dev, partner-credit-dev-erasures/],
  ['unknown', 'AWS does not say for how long copies are kept', '2026-11-20T09:00:00Z', [undefined], /does not say/],
  ['MISSING', 'none was made on the 1st of the month before', '2026-12-01T11:00:00Z', [], /no copy/],
  ['unknown', 'the 1st has only begun', '2026-12-01T12:30:00Z', [], /no copy/],
  ['unknown', 'the jobs of the 1st are no longer listed', '2026-10-31T13:00:00Z', [], /no copy/],
])('awsFindings reports %s for the monthly copy of the tables if %s', async (state, _, now, kept, found) => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIAIOSFODNN7EXAMPLE');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'an-example-of-a-secret-key');
  vi.useFakeTimers({ now: Date.parse(now), toFake: ['Date'] });
  const copyVaultArn = 'arn:aws:backup:sa-east-1:444455556666:backup-vault:copies';
  const evidence = { copyVaultArn, secondRegion: undefined, vaultLock: 'compliance' } as const;
  const CopyJobs = kept.map((DeleteAfterDays, index) => ({
    ResourceArn: `arn:aws:dynamodb:sa-east-1:000000000000:table/${TABLES[index]}`,
    CompletionDate: Date.parse('2026-11-01T12:40:00Z') / 1_000,
    DestinationRecoveryPointLifecycle: { DeleteAfterDays },
  }));
  const asked: URL[] = [];
  const findings = await find({}, {}, false, { evidence }, async (url) => {
    asked.push(url);
    return Response.json({ CopyJobs });
  });
  vi.useRealTimers();
  vi.unstubAllEnvs();
  const finding = findings['last monthly copy of the tables'];
  expect(finding).toMatchObject({ state, found: expect.stringMatching(found) });
  const ofBackup = asked.filter(({ host }) => host === 'backup.sa-east-1.amazonaws.com');
  const since = ofBackup.map(({ searchParams }) => Date.parse(searchParams.get('completeAfter') ?? ''));
  expect(Math.min(...since)).toBe(Date.parse(now) - 30 * 86_400_000);
});

it('awsFindings looks for no copies of the tables on a stage that keeps no evidence', async () => {
  const found = await find({});
  expect(Object.keys(found).filter((check) => check.startsWith('last '))).toEqual([]);
});

it('awsFindings before a deployment checks what the deployment needs, and nothing that it makes', async () => {
  const found = await find({ ...runs(10), ...certificate('ISSUED', 300) }, {}, true);
  expect(found).toMatchObject({
    'stack bootstrap': { state: 'MISSING', cure: 'npx cdk bootstrap aws://000000000000/sa-east-1' },
    'quota of Lambda': { state: 'MISSING' },
    certificate: { state: 'ok' },
  });
  expect(Object.keys(found).filter((check) => /targets|host|data/.test(check))).toEqual([]);
});

it.each([
  ['ok', '2026-06-30', '2027-10-31 security.txt'],
  ['MISSING', '2028-05-01', '2028-04-30 support of nodejs24.x'],
])('awsFindings reports %s on %s for the days that end', async (state, today, found) => {
  vi.useFakeTimers({ now: Date.parse(`${today}T15:00:00Z`), toFake: ['Date'] });
  const findings = await find({}, {}, true);
  vi.useRealTimers();
  expect(findings['days that end']).toMatchObject({ state, found: expect.stringContaining(found) });
});
