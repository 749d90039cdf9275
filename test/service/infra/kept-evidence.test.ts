import { describe, expect, it } from 'vitest';
import { keyholders } from '../../../infra/constructs/kept-evidence.ts';
import { stageValues } from '../../../infra/stages.ts';
import { FILLED_IN, filledInProd, type Resource, Synthesised } from '../../makers/synthesised.ts';

const data = filledInProd().data;
const ofType = (type: string, template = data) =>
  Object.entries(template.findResources(type) as Record<string, Resource>);
const propertiesOf = (type: string) => ofType(type).map(([, { Properties }]) => Properties);

describe('the copies of the tables', () => {
  it('are made daily, for 35 days here and 7 in another account’s vault, and there monthly for five years', () => {
    const [plan] = propertiesOf('AWS::Backup::BackupPlan');
    const { BackupPlanRule: rules } = (plan as { BackupPlan: { BackupPlanRule: Record<string, unknown>[] } })
      .BackupPlan;
    expect(rules).toMatchObject([
      {
        RuleName: 'daily',
        ScheduleExpression: 'cron(0 5 * * ? *)',
        Lifecycle: { DeleteAfterDays: 35 },
        CopyActions: [
          { DestinationBackupVaultArn: FILLED_IN.evidence!.copyVaultArn, Lifecycle: { DeleteAfterDays: 7 } },
        ],
      },
      {
        RuleName: 'monthly-copy',
        ScheduleExpression: 'cron(0 6 1 * ? *)',
        CopyActions: [
          {
            DestinationBackupVaultArn: FILLED_IN.evidence!.copyVaultArn,
            Lifecycle: { DeleteAfterDays: 5 * 365 + 2 },
          },
        ],
      },
    ]);
  });

  it('are of the table and of the ledger of the erased, without which a copy would bring people back', () => {
    const [selection] = propertiesOf('AWS::Backup::BackupSelection') as unknown as {
      BackupSelection: { Resources: { 'Fn::GetAtt': [string, string] }[] };
    }[];
    const tables = ofType('AWS::DynamoDB::GlobalTable').map(([id]) => id);
    expect(selection!.BackupSelection.Resources.map((arn) => arn['Fn::GetAtt'][0]).sort()).toEqual(tables.sort());
  });

  it('outlive the stack and the zeal of an administrator, under our own key', () => {
    const [[, vault] = []] = ofType('AWS::Backup::BackupVault');
    expect([vault!.DeletionPolicy, vault!.UpdateReplacePolicy]).toEqual(['Retain', 'Retain']);
    expect(JSON.stringify(vault!.Properties['EncryptionKeyArn'])).toContain('DataKey');
    expect(vault!.Properties['AccessPolicy']).toMatchObject({
      Statement: [
        { Effect: 'Deny', Action: ['backup:DeleteRecoveryPoint', 'backup:UpdateRecoveryPointLifecycle'] },
        { Effect: 'Allow', Action: 'backup:CopyIntoBackupVault' },
      ],
    });
    expect(JSON.stringify(vault!.Properties['AccessPolicy'])).toContain(':iam::444455556666:root');
  });

  it('can be opened by the other account, by way of its AWS Backup alone', () => {
    const keys = propertiesOf('AWS::KMS::Key') as unknown as { KeyPolicy: { Statement: { Sid?: string }[] } }[];
    const statements = keys.flatMap(({ KeyPolicy }) => KeyPolicy.Statement);
    expect(statements.filter(({ Sid }) => Sid === 'CopiesToTheOtherAccount')).toMatchObject([
      {
        Effect: 'Allow',
        Action: ['kms:CreateGrant', 'kms:Decrypt', 'kms:DescribeKey'],
        Condition: { StringLike: { 'kms:ViaService': 'backup.*.amazonaws.com' } },
      },
    ]);
    expect(JSON.stringify(statements)).toContain(':iam::444455556666:root');
  });

  it('are not made where nothing is evidence', () => {
    for (const name of ['dev', 'staging'] as const)
      expect(ofType('AWS::Backup::BackupPlan', Synthesised.of(name).data)).toEqual([]);
  });
});

describe('the service’s own keys', () => {
  it('are copied to a second region', () => {
    const copied = propertiesOf('AWS::SecretsManager::Secret').filter((secret) => secret['ReplicaRegions']);
    expect(copied).toMatchObject([{ Name: 'partner-credit-prod/keys', ReplicaRegions: [{ Region: 'us-east-1' }] }]);
  });

  it('are denied to all but their holders, by patterns without a reference to another stack', () => {
    const [policy, ...more] = propertiesOf('AWS::SecretsManager::ResourcePolicy');
    expect(more).toEqual([]);
    expect(policy).toMatchObject({
      BlockPublicPolicy: true,
      ResourcePolicy: {
        Statement: [
          {
            Effect: 'Deny',
            Principal: { AWS: '*' },
            Action: ['GetSecretValue', 'PutSecretValue', 'UpdateSecret', 'UpdateSecretVersionStage'].map(
              (action) => `secretsmanager:${action}`,
            ),
            Condition: {
              ArnNotLike: {
                'aws:PrincipalArn': keyholders(stageValues('prod', {})).map(
                  (name) => `arn:aws:iam::111122223333:role/${name}`,
                ),
              },
            },
          },
        ],
      },
    });
  });

  it.each(['dev', 'staging', 'prod'] as const)(
    'have holders of %s whatever CloudFormation leaves of a stack’s name',
    (name) => {
      const matches = (role: string) =>
        keyholders(stageValues(name, {})).some((pattern) => role.startsWith(pattern.replace(/\*$/, '')));
      for (const stack of ['service', 'administration']) {
        const whole = `partner-credit-${name}-${stack}`;
        for (const role of [`${whole}-getleadRole1A2B-X`, `${whole.slice(0, 24)}-getleadRole1A2B-X`])
          expect([role, matches(role)]).toEqual([role, true]);
      }
      for (const role of [
        `partner-credit-${name}-watch-x`,
        `partner-credit-${name}-data-x`,
        'AWSReservedSSO_Administrator',
      ])
        expect([role, matches(role)]).toEqual([role, false]);
    },
  );
});

it('a vault for copies that is none is refused', () => {
  const evidence = { secondRegion: 'us-east-1', copyVaultArn: 'arn:aws:s3:::x' };
  expect(() => new Synthesised('prod', { evidence })).toThrow(/no ARN of a backup vault/);
});
