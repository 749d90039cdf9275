import { describe, expect, it } from 'vitest';
import { copyDays, keyholders } from '#infra/constructs/kept-evidence.ts';
import { stageValues } from '#infra/stages.ts';
import { everythingOn, FILLED_IN, filledInProd, type Resource, Synthesised } from '../makers/synthesised.ts';

const data = filledInProd().data;
const ofType = (type: string, template = data) =>
  Object.entries(template.findResources(type) as Record<string, Resource>);
const propertiesOf = (type: string) => ofType(type).map(([, { Properties }]) => Properties);

describe('the copies of the tables', () => {
  it('are made daily, for 35 days here and 7 in another account’s vault, and there monthly for five years', () => {
    const [plan] = propertiesOf('AWS::Backup::BackupPlan');
    const { BackupPlanRule: rules } = (plan as { BackupPlan: { BackupPlanRule: Record<string, unknown>[] } })
      .BackupPlan;
    const DestinationBackupVaultArn = FILLED_IN.evidence!.copyVaultArn;
    const copied = (days: number) => [{ DestinationBackupVaultArn, Lifecycle: { DeleteAfterDays: days } }];
    const kept = { Lifecycle: { DeleteAfterDays: 35 }, StartWindowMinutes: 60 };
    expect(rules).toMatchObject([
      { ...kept, RuleName: 'daily', ScheduleExpression: 'cron(0 5 * * ? *)', CopyActions: copied(7) },
      { ...kept, RuleName: 'monthly-copy', ScheduleExpression: 'cron(0 12 1 * ? *)', CopyActions: copied(5 * 365 + 2) },
    ]);
  });

  it('are of the table and of the ledger of the erased, without which a copy would bring people back', () => {
    const [selection] = propertiesOf('AWS::Backup::BackupSelection') as unknown as {
      BackupSelection: { Resources: { 'Fn::GetAtt': [string, string] }[] };
    }[];
    const tables = ofType('AWS::DynamoDB::GlobalTable').map(([id]) => id);
    expect(selection!.BackupSelection.Resources.map((arn) => arn['Fn::GetAtt'][0]).sort()).toEqual(tables.sort());
  });

  it('are locked for as long as the plan keeps them, in prod beyond recall after three days of trial', () => {
    const locks = [filledInProd(), everythingOn()].map((stage) => ofType('AWS::Backup::BackupVault', stage.data));
    const kept = { MinRetentionDays: 35, MaxRetentionDays: 36 };
    expect(locks.map((vaults) => vaults[0]![1].Properties['LockConfiguration'])).toEqual([
      { ...kept, ChangeableForDays: 3 },
      kept,
    ]);
  });

  it('are counted in days until the last of a state is gone', () => {
    expect(copyDays(stageValues('dev', {}))).toBe(35);
    expect(copyDays({ evidence: FILLED_IN.evidence })).toBe(1827);
  });

  it('outlive the stack, under our own key, and come back from the other account alone', () => {
    const [[, vault] = []] = ofType('AWS::Backup::BackupVault');
    expect(vault!.DeletionPolicy).toBe('Retain');
    expect(vault!.UpdateReplacePolicy).toBe('Retain');
    expect(JSON.stringify(vault!.Properties['EncryptionKeyArn'])).toContain('DataKey');
    expect(vault!.Properties['AccessPolicy']).toMatchObject({
      Statement: [{ Effect: 'Allow', Action: 'backup:CopyIntoBackupVault' }],
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
  it('stay in the region, unless a second one is named', () => {
    const copied = (stage: Synthesised) =>
      ofType('AWS::SecretsManager::Secret', stage.data).flatMap(([, { Properties }]) =>
        Properties['ReplicaRegions'] ? [[Properties['Name'], Properties['ReplicaRegions']]] : [],
      );
    expect(copied(filledInProd())).toEqual([]);
    expect(copied(everythingOn())).toEqual(
      ['keys', 'retired-keys'].map((name) => [`partner-credit-prod/${name}`, [{ Region: 'us-east-1' }]]),
    );
  });

  const COPIER = 'arn:aws:iam::444455556666:role/partner-credit-prod-key-copy';
  const byCopier = { Principal: { AWS: 'arn:aws:iam::444455556666:root' } };

  it('are read in the other account by one role alone, by way of Secrets Manager alone', () => {
    const keys = propertiesOf('AWS::KMS::Key') as unknown as { KeyPolicy: { Statement: { Sid?: string }[] } }[];
    expect(keys.flatMap(({ KeyPolicy }) => KeyPolicy.Statement).filter(({ Sid }) => Sid === 'KeyCopy')).toMatchObject([
      {
        ...byCopier,
        Effect: 'Allow',
        Action: 'kms:Decrypt',
        Condition: {
          ArnEquals: { 'aws:PrincipalArn': COPIER },
          StringEquals: { 'kms:ViaService': 'secretsmanager.sa-east-1.amazonaws.com' },
        },
      },
    ]);
    expect(JSON.stringify(Synthesised.of('prod').data)).not.toContain('KeyCopy');
  });

  it.each([
    ['keys', 0],
    ['retiredKeys', 1],
  ] as const)('%s are denied to all but their holders, without a reference to another stack', (which, index) => {
    const policies = propertiesOf('AWS::SecretsManager::ResourcePolicy');
    expect(policies).toHaveLength(2);
    expect(policies[index]).toMatchObject({
      SecretId: { Ref: `Secret${which}` },
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
                'aws:PrincipalArn': [
                  ...keyholders(stageValues('prod', {}), which).map((name) => `arn:aws:iam::111122223333:role/${name}`),
                  COPIER,
                ],
              },
            },
          },
          { ...byCopier, Effect: 'Allow', Action: 'secretsmanager:GetSecretValue' },
        ],
      },
    });
  });

  it.each(['dev', 'staging', 'prod'] as const)(
    'have holders of %s whatever CloudFormation leaves of a stack’s name',
    (name) => {
      const matches = (role: string, which: Parameters<typeof keyholders>[1] = 'keys') =>
        keyholders(stageValues(name, {}), which).some((pattern) => role.startsWith(pattern.replace(/\*$/, '')));
      for (const stack of ['service', 'administration']) {
        const whole = `partner-credit-${name}-${stack}`;
        // What serves calls never reads a key that is retired.
        for (const role of [`${whole}-getleadRole1A2B-X`, `${whole.slice(0, 24)}-getleadRole1A2B-X`]) {
          expect(matches(role), role).toBe(true);
          expect(matches(role, 'retiredKeys'), role).toBe(stack !== 'service');
        }
      }
      for (const role of [
        `partner-credit-${name}-watch-x`,
        `partner-credit-${name}-data-x`,
        'AWSReservedSSO_Administrator',
      ])
        expect(matches(role), role).toBe(false);
    },
  );
});

it('a vault for copies that is none is refused', () => {
  const evidence = { ...FILLED_IN.evidence!, copyVaultArn: 'arn:aws:s3:sa-east-1:444455556666:x' };
  expect(() => new Synthesised('prod', { evidence })).toThrow(/no ARN of a backup vault/);
});
