import { ACMClient, DescribeCertificateCommand } from '@aws-sdk/client-acm';
import { APIGatewayClient, GetAccountCommand } from '@aws-sdk/client-api-gateway';
import {
  CloudTrailClient,
  DescribeTrailsCommand,
  GetEventSelectorsCommand,
  type GetEventSelectorsResponse,
  GetTrailStatusCommand,
} from '@aws-sdk/client-cloudtrail';
import {
  CognitoIdentityProviderClient,
  DescribeUserPoolCommand,
  ListGroupsCommand,
  ListUsersInGroupCommand,
} from '@aws-sdk/client-cognito-identity-provider';
import { DescribeContinuousBackupsCommand, DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { DescribeSecretCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { ListSubscriptionsByTopicCommand, SNSClient } from '@aws-sdk/client-sns';
import { undeployable } from '#infra/deployable.ts';
import { endsOf, isNear } from '#infra/ends.ts';
import { administrationOf, COPIED_WITHIN, COPIES, namesOf, prefixOf, type Stage } from '#infra/stages.ts';
import { DUTIES } from '#shared/administration/operation.ts';
import { type Day, dayInSaoPaulo } from '#shared/domain/values/clock.ts';
import { days, hours, type Instant } from '#shared/domain/values/time.ts';
import { type AwsAccess, awsCaller, completedJobs, deployedCommit, deployedStack } from './aws.ts';
import { CommandError, type Finding, lookedAt } from './errors.ts';
import { moment } from './table.ts';

/** ACM renews a certificate 60 days before its end, so 30 days before the end the renewal has failed. */
const ENDS_SOON_DAYS = 30;
const DAY_MS = 86_400_000;
/** Time limit for the health check at the stage's own host name, in milliseconds. */
const HEALTH_DEADLINE = 10_000;

/** `before`: the stage is not deployed yet, so only the bootstrap stack can be checked among the stacks. */
export async function awsFindings(at: {
  readonly access: AwsAccess;
  readonly stage: Stage;
  readonly before?: boolean;
}): Promise<Finding[]> {
  const { access, stage, before = false } = at;
  const { account } = await awsCaller(access);
  const faults = undeployable(stage, account).map(
    (fault): Finding => ({ check: 'stage values', state: 'MISSING', found: fault, cure: fault }),
  );
  const checks = [functionQuota(access, stage), gatewayQuota(access, stage), trail(access, stage)];
  if (stage.domain) checks.push(certificate(access, stage.domain.certificateArn));
  if (before)
    checks.push(stack(access, 'bootstrap', 'CDKToolkit', `npx cdk bootstrap aws://${account}/${stage.region}`));
  else checks.push(...deployedChecks(access, stage, account));
  return faults.concat(ends(stage, dayInSaoPaulo(Date.now())), await Promise.all(checks));
}

function ends(stage: Stage, today: Day): Finding {
  const all = endsOf(stage);
  const near = all.filter((end) => isNear(end, today));
  const [next] = near.concat(all);
  const check = 'days that end';
  const found = (near.length > 0 ? near : all.slice(0, 1)).map(({ day, what }) => `${day} ${what}`).join(', ');
  return near.length === 0 ? { check, state: 'ok', found } : { check, state: 'MISSING', found, cure: next?.cure ?? '' };
}

function deployedChecks(access: AwsAccess, stage: Stage, account: string): readonly Promise<Finding>[] {
  const checks = ['data', 'service', 'administration', 'watch'].map((part) => {
    const name = `${prefixOf(stage)}-${part}`;
    return stack(access, part, name, `npx cdk deploy ${name} -c stage=${stage.name}`);
  });
  checks.push(
    lookedAt('commit', async () => ({ state: 'ok', found: await deployedCommit(access, stage) })),
    recovery(access, stage),
    tableSizes(access, stage),
    people(access, stage),
    targets(access, stage, account, 'page'),
    targets(access, stage, account, 'ticket'),
  );
  if (stage.domain) checks.push(host(stage.domain.name));
  if (!stage.evidence) return checks;
  checks.push(lastCopy(access, stage, 'backup', prefixOf(stage)));
  const copyVault = stage.evidence.copyVaultArn;
  if (copyVault === undefined) return checks;
  checks.push(lastCopy(access, stage, 'copy', copyVault), monthlyCopy(access, stage, copyVault));
  const { keysSecret, retiredKeysSecret } = namesOf(stage);
  checks.push(keyCopy(access, keysSecret, copyVault), keyCopy(access, retiredKeysSecret, copyVault));
  return checks;
}

function stack(access: AwsAccess, part: string, name: string, cure: string): Promise<Finding> {
  return lookedAt(`stack ${part}`, async () => {
    const deployed = await deployedStack(access, name);
    if (!deployed) return { state: 'MISSING', found: 'not deployed', cure };
    const { status } = deployed;
    return /^(CREATE|UPDATE|IMPORT)_COMPLETE$/.test(status)
      ? { state: 'ok', found: status }
      : { state: 'MISSING', found: status, cure: `${cure} (first its events: infra/README.md)` };
  });
}

/** Throws a CommandError if AWS's answer lacks the value. */
function required<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new CommandError(`AWS does not return ${name}`);
  return value;
}

function functionQuota(access: AwsAccess, stage: Stage): Promise<Finding> {
  return lookedAt('quota of Lambda', async () => {
    const { AccountLimit } = await new LambdaClient(access).send(new GetAccountSettingsCommand({}));
    const runs = required(AccountLimit?.ConcurrentExecutions, 'ConcurrentExecutions');
    const { accountLimit } = stage.concurrency;
    const found = `${runs} concurrent runs; the stage is planned for ${accountLimit}`;
    const cure = `aws service-quotas request-service-quota-increase --service-code lambda --quota-code L-B99A9384 --desired-value ${accountLimit} --region ${stage.region}`;
    return runs >= accountLimit ? { state: 'ok', found } : { state: 'MISSING', found, cure };
  });
}

function gatewayQuota(access: AwsAccess, stage: Stage): Promise<Finding> {
  return lookedAt('quota of API Gateway', async () => {
    const { throttleSettings } = await new APIGatewayClient(access).send(new GetAccountCommand({}));
    const rateLimit = required(throttleSettings?.rateLimit, 'rateLimit');
    const burstLimit = required(throttleSettings?.burstLimit, 'burstLimit');
    const { rate, burst } = stage.throttle;
    const found = `${rateLimit} calls a second and ${burstLimit} at once; the stage is planned for ${rate} and ${burst}`;
    const cure = `aws service-quotas request-service-quota-increase --service-code apigateway --quota-code L-8A5B8E43 --desired-value ${rate} --region ${stage.region}`;
    return rateLimit >= rate && burstLimit >= burst ? { state: 'ok', found } : { state: 'MISSING', found, cure };
  });
}

/** Calls that wake somebody, by CloudTrail's kind of management event. */
const WATCHED_CALLS = [
  { calls: 'ReadOnly', meaning: 'use of the break-glass role' },
  { calls: 'WriteOnly', meaning: "new people in the panel's pool" },
] as const;

/**
 * Without a trail nobody is woken when the break-glass role is taken (a reading call), or when somebody adds a person
 * to the panel's pool (a writing call).
 */
function trail(access: AwsAccess, stage: Stage): Promise<Finding> {
  return lookedAt('trail of management events', async () => {
    const client = new CloudTrailClient(access);
    const { trailList = [] } = await client.send(new DescribeTrailsCommand({ includeShadowTrails: true }));
    const watching = new Map<string, string>();
    for (const { TrailARN: name = '' } of trailList) {
      const { IsLogging } = await client.send(new GetTrailStatusCommand({ Name: name }));
      if (!IsLogging) continue;
      const selected = await client.send(new GetEventSelectorsCommand({ TrailName: name }));
      for (const { calls, meaning } of WATCHED_CALLS)
        if (logsManagementCalls(selected, calls)) watching.set(meaning, name);
    }
    const unwatched = WATCHED_CALLS.filter(({ meaning }) => !watching.has(meaning)).map(({ meaning }) => meaning);
    if (unwatched.length === 0) return { state: 'ok', found: Array.from(new Set(watching.values())).join(' and ') };
    const cure = `a trail in ${stage.region} that logs management events, read and write (infra/README.md, The first deployment)`;
    return { state: 'MISSING', found: `none that shows ${unwatched.join(' or ')}`, cure };
  });
}

function logsManagementCalls(
  { EventSelectors = [], AdvancedEventSelectors = [] }: GetEventSelectorsResponse,
  kind: 'ReadOnly' | 'WriteOnly',
): boolean {
  const readOnly = String(kind === 'ReadOnly');
  return (
    EventSelectors.some(
      (entry) => entry.IncludeManagementEvents && [kind, 'All'].includes(entry.ReadWriteType ?? 'All'),
    ) ||
    AdvancedEventSelectors.some(({ FieldSelectors = [] }) => {
      const equals = (field: string) => FieldSelectors.find(({ Field }) => Field === field)?.Equals;
      return (
        equals('eventCategory')?.includes('Management') === true &&
        (equals('readOnly') ?? [readOnly]).includes(readOnly)
      );
    })
  );
}

/** Checks that nobody may sign up, and that the pool has a second factor, a group for each duty, and a manager. */
function people(access: AwsAccess, stage: Stage): Promise<Finding> {
  return lookedAt('people of the panel', async () => {
    const deployed = await deployedStack(access, administrationOf(stage));
    const UserPoolId = required(deployed?.outputs['PeoplePool']?.split('/').at(-1), 'the output PeoplePool');
    const client = new CognitoIdentityProviderClient(access);
    const { UserPool } = await client.send(new DescribeUserPoolCommand({ UserPoolId }));
    const { MfaConfiguration, AdminCreateUserConfig } = required(UserPool, 'the user pool');
    if (MfaConfiguration !== 'ON' || !AdminCreateUserConfig?.AllowAdminCreateUserOnly) {
      const cure = `npx cdk deploy ${administrationOf(stage)} -c stage=${stage.name} --revert-drift (somebody has changed the pool by hand)`;
      return { state: 'MISSING', found: `${UserPoolId} asks for no second factor, or lets people sign up`, cure };
    }
    const { Groups = [] } = await client.send(new ListGroupsCommand({ UserPoolId }));
    const lacking = DUTIES.filter((duty) => duty !== 'operator' && !Groups.some(({ GroupName }) => GroupName === duty));
    if (lacking.length > 0) {
      const cure = `npx cdk deploy ${administrationOf(stage)} -c stage=${stage.name}`;
      return { state: 'MISSING', found: `${UserPoolId} has no group ${lacking.join(', ')}`, cure };
    }
    const { Users = [] } = await client.send(new ListUsersInGroupCommand({ UserPoolId, GroupName: 'manager' }));
    const found = `${UserPoolId}: second factor, all groups, ${Users.length || 'no'} managers`;
    if (Users.length > 0) return { state: 'ok', found };
    return { state: 'MISSING', found, cure: 'the first manager (infra/README.md, People)' };
  });
}

function targets(access: AwsAccess, stage: Stage, account: string, channel: 'page' | 'ticket'): Promise<Finding> {
  return lookedAt(`${channel} targets`, async () => {
    const wanted = stage.alarmTargets[channel].length;
    if (wanted === 0) return { state: 'ok', found: 'none asked for by the stage' };
    const TopicArn = `arn:aws:sns:${stage.region}:${account}:${prefixOf(stage)}-${channel}`;
    const { Subscriptions = [] } = await new SNSClient(access).send(new ListSubscriptionsByTopicCommand({ TopicArn }));
    const confirmed = Subscriptions.filter((entry) => entry.SubscriptionArn?.startsWith('arn:')).length;
    const found = `${confirmed} of ${wanted} confirmed`;
    const cure = 'confirm the subscriptions that have arrived by e-mail; Slack: authorise the workspace in Amazon Q';
    return confirmed >= wanted ? { state: 'ok', found } : { state: 'MISSING', found, cure };
  });
}

const tablesOf = (stage: Stage): readonly string[] => [namesOf(stage).table, namesOf(stage).erasureLedger];

function recovery(access: AwsAccess, stage: Stage): Promise<Finding> {
  return lookedAt('recovery of the tables', async () => {
    const client = new DynamoDBClient(access);
    const wanted = stage.retention.recoveryDays;
    const reached = await Promise.all(
      tablesOf(stage).map(async (TableName) => {
        const answer = await client.send(new DescribeContinuousBackupsCommand({ TableName }));
        const { PointInTimeRecoveryStatus: status, RecoveryPeriodInDays: reach = 0 } = required(
          answer.ContinuousBackupsDescription?.PointInTimeRecoveryDescription,
          'the point-in-time recovery',
        );
        return { days: status === 'ENABLED' ? reach : 0, words: `${TableName} ${status}, ${reach} days` };
      }),
    );
    const found = reached.map(({ words }) => words).join('; ');
    if (reached.every((table) => table.days >= wanted)) return { state: 'ok', found };
    const cure = `npx cdk deploy ${prefixOf(stage)}-data -c stage=${stage.name} --revert-drift (infra/RUNBOOK.md, break-glass: who changed it?)`;
    return { state: 'MISSING', found, cure };
  });
}

/** DynamoDB measures the sizes about every six hours. */
function tableSizes(access: AwsAccess, stage: Stage): Promise<Finding> {
  return lookedAt('size of the tables', async () => {
    const client = new DynamoDBClient(access);
    const sizes = await Promise.all(
      tablesOf(stage).map(async (TableName) => {
        const { Table } = await client.send(new DescribeTableCommand({ TableName }));
        return { TableName, bytes: required(Table?.TableSizeBytes, 'the size of a table') };
      }),
    );
    const gb = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`;
    const found = sizes.map(({ TableName, bytes }) => `${TableName} ${gb(bytes)}`).join('; ');
    if (sizes.every(({ bytes }) => bytes < COPIES.largestTable)) return { state: 'ok', found };
    const cure = `another plan of copies from ${gb(COPIES.largestTable)} on (infra/DECISIONS.md, Evidence and recovery)`;
    return { state: 'MISSING', found, cure };
  });
}

function lastCopy(access: AwsAccess, stage: Stage, kind: 'backup' | 'copy', vault: string): Promise<Finding> {
  return lookedAt(`last ${kind} of the tables`, async () => {
    const jobs = await completedJobs(access, kind, vault, Date.now() - COPIED_WITHIN);
    const { without, found } = lastJobs(stage, jobs);
    if (without.length === 0) return { state: 'ok', found };
    return {
      state: 'MISSING',
      found: `no job of ${without.join(', ')} was completed in the last ${COPIED_WITHIN / hours(1)} hours`,
      cure: 'infra/RUNBOOK.md, upkeep; on a new stage wait for the first night',
    };
  });
}

/** Time for which AWS Backup lists a job. Source: its API reference, ListBackupJobs. */
const LISTED_FOR = days(30);

/** Whether each table has its newest monthly copy, which the other account keeps for years if it is of January. */
function monthlyCopy(access: AwsAccess, stage: Stage, vault: string): Promise<Finding> {
  return lookedAt('last monthly copy of the tables', async () => {
    const now = Date.now();
    const jobs = await completedJobs(access, 'copy', vault, now - LISTED_FOR);
    if (jobs.length > 0 && jobs.every(({ keptDays }) => keptDays === undefined))
      return { state: 'unknown', found: 'AWS Backup does not say for how long copies are kept' };
    const made = monthlyCopyBefore(now);
    const { keptDays: wanted } = new Date(made).getUTCMonth() === 0 ? COPIES.yearly : COPIES.monthly;
    const kept = jobs.filter(({ keptDays = 0 }) => keptDays >= wanted);
    const { without, found } = lastJobs(stage, kept);
    if (without.length === 0) return { state: 'ok', found };
    const none = `no copy of ${without.join(', ')} that is kept for ${wanted} days is listed`;
    const age = now - made;
    if (age < COPIED_WITHIN || age > LISTED_FOR)
      return { state: 'unknown', found: none, cure: 'ask again on the 3rd of the month: older jobs are not listed' };
    return { state: 'MISSING', found: none, cure: 'infra/RUNBOOK.md, upkeep; on a new stage wait for the next 1st' };
  });
}

function monthlyCopyBefore(now: Instant): Instant {
  const today = new Date(now);
  const ofMonth = (month: number) => Date.UTC(today.getUTCFullYear(), month, COPIES.monthly.day, COPIES.monthly.hour);
  const thisMonth = ofMonth(today.getUTCMonth());
  return thisMonth <= now ? thisMonth : ofMonth(today.getUTCMonth() - 1);
}

function lastJobs(stage: Stage, jobs: Awaited<ReturnType<typeof completedJobs>>) {
  const endOf = (name: string) =>
    Math.max(...jobs.filter(({ resource }) => resource.endsWith(`:table/${name}`)).map(({ at }) => at));
  const ends = tablesOf(stage).map((name) => ({ name, at: endOf(name) }));
  const done = ends.filter(({ at }) => Number.isFinite(at));
  return {
    without: ends.filter((end) => !done.includes(end)).map(({ name }) => name),
    found: done.map(({ name, at }) => `${name} ${moment(at)}`).join(', '),
  };
}

/** Only version ids are read, never a value. */
function keyCopy(access: AwsAccess, name: string, vaultArn: string): Promise<Finding> {
  return lookedAt(`copy of ${name}`, async () => {
    const client = new SecretsManagerClient(access);
    const current = async (SecretId: string) => {
      const { VersionIdsToStages = {} } = await client.send(new DescribeSecretCommand({ SecretId }));
      return Object.entries(VersionIdsToStages).find(([, labels]) => labels.includes('AWSCURRENT'))?.[0];
    };
    const other = `${vaultArn.split(':')[4]}`;
    const copied =
      (await current(name)) === (await current(`arn:aws:secretsmanager:${access.region}:${other}:secret:${name}`));
    if (copied) return { state: 'ok', found: `account ${other} has the current version` };
    const cure = `copy ${name} to account ${other} (infra/README.md, Copies in another account)`;
    return { state: 'MISSING', found: `account ${other} has another version`, cure };
  });
}

function certificate(access: AwsAccess, arn: string): Promise<Finding> {
  return lookedAt('certificate', async () => {
    const asked = new DescribeCertificateCommand({ CertificateArn: arn });
    const { Certificate } = await new ACMClient(access).send(asked);
    const { Status: status, DomainName: name, NotAfter: until } = required(Certificate, 'the certificate');
    const found = `${status} for ${name}${until ? ` until ${until.toISOString().slice(0, 10)}` : ''}`;
    if (status !== 'ISSUED') {
      return { state: 'MISSING', found, cure: 'write the CNAME of ACM into the DNS of the name, and wait' };
    }
    const soon = until !== undefined && until.getTime() - Date.now() < ENDS_SOON_DAYS * DAY_MS;
    return soon
      ? { state: 'MISSING', found, cure: 'ACM has not renewed it: is its CNAME still in the DNS?' }
      : { state: 'ok', found };
  });
}

function host(name: string): Promise<Finding> {
  const cure = "point the name at the service stack's output DomainTarget (CNAME, or an alias in Route 53)";
  return lookedAt('host name', async () => {
    try {
      const { status } = await fetch(`https://${name}/health`, {
        redirect: 'error',
        signal: AbortSignal.timeout(HEALTH_DEADLINE),
      });
      const found = `https://${name}/health answers ${status}`;
      return status === 200 ? { state: 'ok', found } : { state: 'MISSING', found, cure };
    } catch {
      return { state: 'MISSING', found: `https://${name}/health does not answer`, cure };
    }
  });
}
