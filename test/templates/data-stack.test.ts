import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { STAGE_NAMES, stageValues } from '#infra/stages.ts';
import { everythingOn, filledInProd, type Resource, Synthesised } from '../makers/synthesised.ts';

describe.each(STAGE_NAMES)('DataStack of %s', (name) => {
  const stage = Synthesised.of(name);
  const resources = stage.data.toJSON()['Resources'] as Record<string, Resource>;
  const ledger = Object.values(resources).find(
    ({ Properties }) => Properties['TableName'] === `partner-credit-${name}-erasures`,
  )!;
  const only = (type: string): Resource => {
    const found = Object.values(resources).filter((one) => one.Type === type && one !== ledger);
    expect(found).toHaveLength(1);
    return found[0]!;
  };

  it('the table keeps its key schema and indexes, because a change could replace it with an empty table', () => {
    const { Properties } = only('AWS::DynamoDB::GlobalTable');
    expect(Properties['KeySchema']).toEqual([
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ]);
    const names = ['pk', 'sk', 'listPk', 'listSk', 'duePk', 'dueSk'];
    const defined = names.map((AttributeName) => ({ AttributeName, AttributeType: 'S' }));
    expect(Properties['AttributeDefinitions']).toEqual(defined);
    const index = (name: 'list' | 'due', fields: string) => ({
      IndexName: name === 'list' ? 'byList' : 'byDue',
      KeySchema: [
        { AttributeName: `${name}Pk`, KeyType: 'HASH' },
        { AttributeName: `${name}Sk`, KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: fields.split(' ') },
    });
    expect(Properties['GlobalSecondaryIndexes']).toEqual([
      index('list', 'id bank situation eventId unitId environment type state attempts createdAt expiresAt'),
      index(
        'due',
        'id unitId environment partnerId leadId bank submissionId situation queryNumber rawStatus sequence createdAt forced requestId unanswerableSince eventId dueAttempt dueAt',
      ),
    ]);
  });

  it('resources that hold data keep their logical ids', () => {
    expect(
      Object.entries(resources)
        .map(([id, { Type }]) => `${Type} ${id}`)
        .filter((line) => !/^AWS::KMS::Alias| Evidence/.test(line))
        .sort(),
    ).toEqual([
      'AWS::DynamoDB::GlobalTable ErasureLedger791B9DFD',
      'AWS::DynamoDB::GlobalTable TableCD117FA1',
      'AWS::KMS::Key DataKey17AFBB84',
      'AWS::KMS::Key OperationsKey2329F47A',
      'AWS::SecretsManager::Secret Secretkeys',
      'AWS::SecretsManager::Secret Secretoperator',
      'AWS::SecretsManager::Secret Secretprobe',
      'AWS::SecretsManager::Secret SecretretiredKeys',
    ]);
  });

  it('a stage has one on-demand table with point-in-time recovery, deletion protection and TTL', () => {
    const { Properties } = only('AWS::DynamoDB::GlobalTable');
    expect(Properties['TableName']).toBe(`partner-credit-${name}`);
    expect(Properties['BillingMode']).toBe('PAY_PER_REQUEST');
    expect(Properties['TimeToLiveSpecification']).toEqual({ AttributeName: 'expiresAt', Enabled: true });
    expect(Properties['Replicas']).toEqual([
      expect.objectContaining({
        DeletionProtectionEnabled: true,
        PointInTimeRecoverySpecification: {
          PointInTimeRecoveryEnabled: true,
          RecoveryPeriodInDays: stageValues(name, {}).retention.recoveryDays,
        },
        SSESpecification: { KMSMasterKeyId: { 'Fn::GetAtt': ['DataKey17AFBB84', 'Arn'] } },
      }),
    ]);
  });

  it('the ledger of erasures is a separate table, which no restore of the table touches', () => {
    const { KeySchema, GlobalSecondaryIndexes, TimeToLiveSpecification, Replicas } = ledger.Properties;
    expect(KeySchema).toEqual([{ AttributeName: 'pk', KeyType: 'HASH' }]);
    expect(GlobalSecondaryIndexes).toBeUndefined();
    expect(TimeToLiveSpecification).toBeUndefined();
    expect(Replicas).toEqual([
      expect.objectContaining({
        DeletionProtectionEnabled: true,
        PointInTimeRecoverySpecification: expect.objectContaining({ PointInTimeRecoveryEnabled: true }),
        SSESpecification: { KMSMasterKeyId: { 'Fn::GetAtt': ['DataKey17AFBB84', 'Arn'] } },
      }),
    ]);
  });

  it('everything that holds data is retained, and the stack is protected from deletion', () => {
    expect(stage.dataStackIsProtected).toBe(true);
    for (const [id, { Type, DeletionPolicy, UpdateReplacePolicy }] of Object.entries(resources)) {
      // Resources that hold no data.
      if (/^AWS::(KMS::Alias|Backup::BackupPlan|Backup::BackupSelection|IAM::Role)$/.test(Type)) continue;
      expect(DeletionPolicy, id).toBe('Retain');
      expect(UpdateReplacePolicy, id).toBe('Retain');
    }
    for (const { Properties } of Object.values(resources).filter(({ Type }) => Type === 'AWS::KMS::Key'))
      expect(Properties['EnableKeyRotation']).toBe(true);
  });

  it('secrets are made empty, because CloudFormation would replace a generated value', () => {
    const secrets = Object.values(resources).filter(({ Type }) => Type === 'AWS::SecretsManager::Secret');
    expect(secrets).toHaveLength(4);
    for (const { Properties } of secrets) {
      expect(Properties).not.toHaveProperty('GenerateSecretString');
      expect(Properties).not.toHaveProperty('SecretString');
      expect(Properties['KmsKeyId']).toEqual({ 'Fn::GetAtt': ['DataKey17AFBB84', 'Arn'] });
    }
  });
});

const { data } = filledInProd();
const kept = Object.values(data.toJSON()['Resources'] as Record<string, Resource>).filter(
  ({ DeletionPolicy }) => DeletionPolicy === 'Retain',
);
const readme = readFileSync('infra/README.md', 'utf8');
const recovery = /If a first deployment fails halfway.*?## People/s.exec(readme)![0];

it('the README names every resource that a failed first deployment of prod leaves under a fixed name', () => {
  const names = (type: string, field: string) =>
    kept.filter(({ Type }) => Type === type).map(({ Properties }) => String(Properties[field]));
  const tables = names('AWS::DynamoDB::GlobalTable', 'TableName');
  const secrets = names('AWS::SecretsManager::Secret', 'Name');
  const vaults = names('AWS::Backup::BackupVault', 'BackupVaultName');
  expect(tables).toHaveLength(2);
  expect(secrets).toHaveLength(4);
  expect(vaults).toHaveLength(1);
  for (const name of [...tables, ...secrets]) expect(recovery).toContain(`\`${name}\``);
  expect(recovery).toContain(`delete-backup-vault --backup-vault-name ${vaults[0]}\``);
  expect(readme).toMatch(/data stack: both tables, both KMS keys, four secrets, .* backup vault \|/);
});

it('the README says how to delete each kind of resource that a stack of prod keeps if its creation fails', () => {
  const all = everythingOn();
  const resources = [all.data, all.service, all.administration, all.watch].flatMap((stack): Resource[] =>
    Object.values(stack.toJSON()['Resources']),
  );
  const commands: Readonly<Record<string, string>> = {
    'AWS::DynamoDB::GlobalTable': 'aws dynamodb delete-table',
    'AWS::SecretsManager::Secret': 'aws secretsmanager delete-secret',
    'AWS::Backup::BackupVault': 'aws backup delete-backup-vault',
    'AWS::Cognito::UserPool': 'aws cognito-idp delete-user-pool',
    'AWS::EC2::EIP': 'aws ec2 release-address',
    'AWS::KMS::Key': 'aws kms schedule-key-deletion',
  };
  const types = new Set(resources.filter(({ DeletionPolicy }) => DeletionPolicy === 'Retain').map(({ Type }) => Type));
  // The policy of a secret ends with the secret.
  types.delete('AWS::SecretsManager::ResourcePolicy');
  expect(Array.from(types).sort()).toEqual(Object.keys(commands).sort());
  for (const command of Object.values(commands)) expect(recovery).toContain(`\`${command} `);
});

it('fixed addresses are retained under names that never change, because banks and partners allowlist them', () => {
  // Retained and exported even if unused. A later deployment then needs no new address, and need not remove an export
  // that is still in use.
  const { data } = Synthesised.with('prod', { egressAddresses: true });
  expect(Object.keys(data.findOutputs('*')).filter((id) => id.startsWith('ExportsOutput'))).toHaveLength(
    Object.keys(Synthesised.of('prod').data.findOutputs('*')).filter((id) => id.startsWith('ExportsOutput')).length +
      // For each address, the allocation id for the NAT gateway and the address itself for the documentation.
      4,
  );
  const addresses = Object.entries(data.findResources('AWS::EC2::EIP') as Record<string, Resource>);
  expect(addresses.map(([id]) => id).sort()).toEqual(['EgressAddressA', 'EgressAddressB']);
  for (const [id, { DeletionPolicy, UpdateReplacePolicy }] of addresses) {
    expect(DeletionPolicy, id).toBe('Retain');
    expect(UpdateReplacePolicy, id).toBe('Retain');
  }
});
