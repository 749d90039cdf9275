import { describe, expect, it } from 'vitest';
import { copyDays, keyholders } from '#infra/constructs/kept-evidence.ts';
import { stageValues } from '#infra/stages.ts';
import { everythingOn, FILLED_IN, filledInProd, type Resource, Synthesised } from '../makers/synthesised.ts';

const data = filledInProd().data;
const ofType = (type: string, template = data) =>
  Object.entries(template.findResources(type) as Record<string, Resource>);
const propertiesOf = (type: string) => ofType(type).map(([, { Properties }]) => Properties);

describe('KeptEvidence', () => {
  interface Rule {
    readonly RuleName: string;
    readonly ScheduleExpression: string;
    readonly StartWindowMinutes: number;
    readonly Lifecycle: Lifecycle;
    readonly CopyActions: readonly { readonly DestinationBackupVaultArn: string; readonly Lifecycle: Lifecycle }[];
  }
  interface Lifecycle {
    readonly DeleteAfterDays: number;
    readonly MoveToColdStorageAfterDays?: number;
  }
  const [plan] = propertiesOf('AWS::Backup::BackupPlan') as unknown as { BackupPlan: { BackupPlanRule: Rule[] } }[];
  const rules = plan!.BackupPlan.BackupPlanRule;

  it('the plan copies each night for 7 days, each month for 122, and each January for five years', () => {
    const there = (Lifecycle: object) => [
      { DestinationBackupVaultArn: FILLED_IN.evidence!.copyVaultArn, Lifecycle: expect.objectContaining(Lifecycle) },
    ];
    const cold = { MoveToColdStorageAfterDays: 1 };
    expect(rules).toMatchObject([
      { RuleName: 'nightly', ScheduleExpression: 'cron(0 5 * * ? *)', CopyActions: there({ DeleteAfterDays: 7 }) },
      {
        RuleName: 'monthly',
        ScheduleExpression: 'cron(0 12 1 2-12 ? *)',
        CopyActions: there({ ...cold, DeleteAfterDays: 122 }),
      },
      {
        RuleName: 'yearly',
        ScheduleExpression: 'cron(0 12 1 1 ? *)',
        CopyActions: there({ ...cold, DeleteAfterDays: 5 * 365 + 2 }),
      },
    ]);
    for (const { Lifecycle, StartWindowMinutes } of rules) {
      expect(Lifecycle).toEqual({ DeleteAfterDays: 2 });
      // AWS Backup makes one backup for rules whose windows overlap.
      expect(StartWindowMinutes).toBe(60);
    }
  });

  // Source: AWS Backup, API reference, Lifecycle.
  it('copies stay in cold storage for at least 90 days', () => {
    const cold = rules.flatMap(({ CopyActions }) =>
      CopyActions.flatMap(({ Lifecycle: { DeleteAfterDays, MoveToColdStorageAfterDays: moved } }) =>
        moved === undefined ? [] : [DeleteAfterDays - moved],
      ),
    );
    expect(cold).toHaveLength(2);
    expect(Math.min(...cold)).toBeGreaterThanOrEqual(90);
  });

  it('copies contain the ledger of erasures with the table, so that no restore brings erased people back', () => {
    const [selection] = propertiesOf('AWS::Backup::BackupSelection') as unknown as {
      BackupSelection: { Resources: { 'Fn::GetAtt': [string, string] }[] };
    }[];
    const tables = ofType('AWS::DynamoDB::GlobalTable').map(([id]) => id);
    expect(selection!.BackupSelection.Resources.map((arn) => arn['Fn::GetAtt'][0]).sort()).toEqual(tables.sort());
  });

  it('only AWS Backup may take the role that reads the tables for a copy', () => {
    const [selection] = propertiesOf('AWS::Backup::BackupSelection') as unknown as {
      BackupSelection: { IamRoleArn: { 'Fn::GetAtt': [string, string] } };
    }[];
    const [role] = selection!.BackupSelection.IamRoleArn['Fn::GetAtt'];
    const { AssumeRolePolicyDocument } = data.findResources('AWS::IAM::Role')[role]!['Properties'];
    const Principal = { Service: 'backup.amazonaws.com' };
    expect(AssumeRolePolicyDocument.Statement).toEqual([{ Action: 'sts:AssumeRole', Effect: 'Allow', Principal }]);
  });

  it('copies are locked for the days of the plan, and prod’s lock is final after three days', () => {
    const locks = [filledInProd(), everythingOn()].map((stage) => ofType('AWS::Backup::BackupVault', stage.data));
    const kept = { MinRetentionDays: 2, MaxRetentionDays: 35 };
    expect(locks.map((vaults) => vaults[0]![1].Properties['LockConfiguration'])).toEqual([
      { ...kept, ChangeableForDays: 3 },
      kept,
    ]);
  });

  it('copyDays returns the days until no copy of a state is left', () => {
    expect(copyDays(stageValues('dev', {}))).toBe(35);
    expect(copyDays({ evidence: FILLED_IN.evidence })).toBe(1827);
  });

  it('the vault outlives the stack, uses our own key, and accepts copies back only from the other account', () => {
    const [[, vault] = []] = ofType('AWS::Backup::BackupVault');
    expect(vault!.DeletionPolicy).toBe('Retain');
    expect(vault!.UpdateReplacePolicy).toBe('Retain');
    expect(JSON.stringify(vault!.Properties['EncryptionKeyArn'])).toContain('DataKey');
    expect(vault!.Properties['AccessPolicy']).toMatchObject({
      Statement: [{ Effect: 'Allow', Action: 'backup:CopyIntoBackupVault' }],
    });
    expect(JSON.stringify(vault!.Properties['AccessPolicy'])).toContain(':iam::444455556666:root');
  });

  it('the other account can open copies only through AWS Backup', () => {
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

  it('dev and staging make no copies', () => {
    for (const name of ['dev', 'staging'] as const)
      expect(ofType('AWS::Backup::BackupPlan', Synthesised.of(name).data)).toEqual([]);
  });
});

describe('guardKeys', () => {
  it('the service’s keys stay in the region unless the stage names a second one', () => {
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

  it('only one role of the other account may decrypt the keys, and only through Secrets Manager', () => {
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
    ['keys', [COPIER]],
    ['retiredKeys', [COPIER]],
  ] as const)(
    'the secret %s denies all roles but the holders, without a reference to another stack',
    (which, copiers) => {
      const policies = propertiesOf('AWS::SecretsManager::ResourcePolicy');
      expect(policies).toHaveLength(2);
      const [policy, ...more] = policies.filter(
        ({ SecretId }) => JSON.stringify(SecretId) === JSON.stringify({ Ref: `Secret${which}` }),
      );
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
                  'aws:PrincipalArn': [
                    ...keyholders(stageValues('prod', {}), which).map(
                      (name) => `arn:aws:iam::111122223333:role/${name}`,
                    ),
                    ...copiers,
                  ],
                },
              },
            },
            ...copiers.map(() => ({ ...byCopier, Effect: 'Allow', Action: 'secretsmanager:GetSecretValue' })),
          ],
        },
      });
    },
  );

  it.each(['dev', 'staging', 'prod'] as const)(
    'keyholders matches the roles of %s, however CloudFormation cuts the stack’s name',
    (name) => {
      const matches = (role: string, which: Parameters<typeof keyholders>[1] = 'keys') =>
        keyholders(stageValues(name, {}), which).some((pattern) => role.startsWith(pattern.replace(/\*$/, '')));
      for (const stack of ['service', 'administration']) {
        const whole = `partner-credit-${name}-${stack}`;
        // Functions that serve calls never read a retired key.
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

it('a copyVaultArn that names no backup vault is refused', () => {
  const evidence = { ...FILLED_IN.evidence!, copyVaultArn: 'arn:aws:s3:sa-east-1:444455556666:x' };
  expect(() => Synthesised.with('prod', { evidence })).toThrow(/no ARN of a backup vault/);
});
