import type { Template } from 'aws-cdk-lib/assertions';
import { expect, it } from 'vitest';
import { everythingOn, type Synthesised } from '../makers/synthesised.ts';

/** Paths of properties that say how long something is valid, is kept or stays hidden. */
const LIFETIME = /Validity|Retention|Days$|MaxSession|MaximumEventAge|VisibilityTimeout/i;

/** Returns each lifetime below a value, with the path of its property. */
function lifetimesIn(value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) => {
    const here = `${path}.${name}`;
    if (typeof part !== 'number' && typeof part !== 'string') return lifetimesIn(part, here);
    return LIFETIME.test(here) ? [`${here} = ${part}`] : [];
  });
}

function lifetimesOf(template: Template): string[] {
  const resources: Readonly<Record<string, { readonly Type: string; readonly Properties?: unknown }>> =
    template.toJSON()['Resources'];
  return Object.values(resources).flatMap(({ Type, Properties }) => lifetimesIn(Properties, Type.replace('AWS::', '')));
}

/** The lifetimes of prod with everything that is off by default. Periods are in seconds if their name has no unit. */
const LIFETIMES = {
  data: [
    'Backup::BackupPlan.BackupPlan.BackupPlanRule.0.CopyActions.0.Lifecycle.DeleteAfterDays = 7',
    'Backup::BackupPlan.BackupPlan.BackupPlanRule.0.Lifecycle.DeleteAfterDays = 2',
    'Backup::BackupPlan.BackupPlan.BackupPlanRule.1.CopyActions.0.Lifecycle.DeleteAfterDays = 122',
    'Backup::BackupPlan.BackupPlan.BackupPlanRule.1.CopyActions.0.Lifecycle.MoveToColdStorageAfterDays = 1',
    'Backup::BackupPlan.BackupPlan.BackupPlanRule.1.Lifecycle.DeleteAfterDays = 2',
    'Backup::BackupPlan.BackupPlan.BackupPlanRule.2.CopyActions.0.Lifecycle.DeleteAfterDays = 1827',
    'Backup::BackupPlan.BackupPlan.BackupPlanRule.2.CopyActions.0.Lifecycle.MoveToColdStorageAfterDays = 1',
    'Backup::BackupPlan.BackupPlan.BackupPlanRule.2.Lifecycle.DeleteAfterDays = 2',
    'Backup::BackupVault.LockConfiguration.MaxRetentionDays = 35',
    'Backup::BackupVault.LockConfiguration.MinRetentionDays = 2',
    'DynamoDB::GlobalTable.Replicas.0.PointInTimeRecoverySpecification.RecoveryPeriodInDays = 35',
  ],
  service: [
    'Events::Rule.Targets.0.RetryPolicy.MaximumEventAgeInSeconds = 60',
    'Events::Rule.Targets.1.RetryPolicy.MaximumEventAgeInSeconds = 60',
    'Events::Rule.Targets.2.RetryPolicy.MaximumEventAgeInSeconds = 60',
    'Events::Rule.Targets.3.RetryPolicy.MaximumEventAgeInSeconds = 60',
    'Events::Rule.Targets.4.RetryPolicy.MaximumEventAgeInSeconds = 60',
    'Lambda::EventInvokeConfig.MaximumEventAgeInSeconds = 60',
    'Lambda::Function.Environment.Variables.CONSENT_DAYS = 180',
    'Lambda::Function.Environment.Variables.LEAD_RETENTION = {"sandboxDays":90,"monthsWithoutAnalysis":24,"yearsAfterAnalysis":5}',
    'Lambda::Function.Environment.Variables.RATE_DAYS = 365',
    'Logs::LogGroup.RetentionInDays = 14',
    'Logs::LogGroup.RetentionInDays = 365',
    'SQS::Queue.MessageRetentionPeriod = 1209600',
    'SQS::Queue.VisibilityTimeout = 180',
  ],
  administration: [
    'Cognito::UserPool.Policies.PasswordPolicy.TemporaryPasswordValidityDays = 3',
    'Cognito::UserPoolClient.AccessTokenValidity = 60',
    'Cognito::UserPoolClient.IdTokenValidity = 60',
    'Cognito::UserPoolClient.RefreshTokenValidity = 480',
    'Cognito::UserPoolClient.TokenValidityUnits.AccessToken = minutes',
    'Cognito::UserPoolClient.TokenValidityUnits.IdToken = minutes',
    'Cognito::UserPoolClient.TokenValidityUnits.RefreshToken = minutes',
    'IAM::Role.MaxSessionDuration = 3600',
    'Lambda::Function.Environment.Variables.CONSENT_DAYS = 180',
    'Lambda::Function.Environment.Variables.COPY_DAYS = 1827',
    'Lambda::Function.Environment.Variables.RATE_DAYS = 365',
    'Logs::LogGroup.RetentionInDays = 14',
    'Logs::LogGroup.RetentionInDays = 365',
  ],
  watch: [],
} as const satisfies Partial<Record<keyof Synthesised, readonly string[]>>;

it.each(['data', 'service', 'administration', 'watch'] as const)(
  'each lifetime in the template of the %s stack is the one that is written here',
  (stack) => {
    const found = new Set(lifetimesOf(everythingOn()[stack]));
    expect(Array.from(found).sort()).toEqual(LIFETIMES[stack]);
  },
);
