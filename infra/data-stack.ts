import { CfnOutput, RemovalPolicy, Stack, type StackProps, Validations } from 'aws-cdk-lib';
import { AttributeType, Billing, ProjectionType, TableEncryptionV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { CfnEIP } from 'aws-cdk-lib/aws-ec2';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { CfnSecret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import { KeptEvidence } from './constructs/kept-evidence.ts';
import type { SecretName } from './permissions.ts';
import { logGroupNameOf, namesOf, prefixOf, type Stage } from './stages.ts';

export interface EgressAddress {
  readonly allocationId: string;
  readonly ip: string;
}

const NOT_ROTATED: Readonly<Record<SecretName, string>> = {
  keys: 'Old versions must still open old rows: the manager rotates the keys together with the rows.',
  retiredKeys: 'These keys open older copies of the table; a new key could open none.',
  operator: 'Only the operator can issue a new token.',
  probe: 'A sandbox key, which the manager rotates as the keys of partners.',
};

/** Resources that must survive every deployment. */
export class DataStack extends Stack {
  readonly table: TableV2;
  readonly erasureLedger: TableV2;
  readonly key: Key;
  /** Key of logs and topics. People who may decrypt logs cannot decrypt a row with this key. */
  readonly operationsKey: Key;
  readonly secrets: Readonly<Record<SecretName, string>>;
  /** Addresses from which calls to the operator and to partners leave. Empty if the stage has no fixed addresses. */
  readonly egressAddresses: readonly EgressAddress[];

  constructor(scope: Construct, id: string, stage: Stage, props: StackProps) {
    super(scope, id, { ...props, terminationProtection: true });

    this.key = new Key(this, 'DataKey', {
      alias: `${prefixOf(stage)}-data`,
      description: 'Rows of the table and the secrets of the partner credit service',
      enableKeyRotation: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });

    this.operationsKey = this.keyOfLogsAndTopics(stage);

    this.table = new TableV2(this, 'Table', {
      tableName: namesOf(stage).table,
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      sortKey: { name: 'sk', type: AttributeType.STRING },
      ...this.keptTable(stage),
      timeToLiveAttribute: 'expiresAt',
      globalSecondaryIndexes: [
        {
          // Lists: the deliveries of a partner, the outcomes of a unit, stored answers about a lead, failing endpoints.
          indexName: 'byList',
          partitionKey: { name: 'listPk', type: AttributeType.STRING },
          sortKey: { name: 'listSk', type: AttributeType.STRING },
          projectionType: ProjectionType.INCLUDE,
          nonKeyAttributes:
            'id bank situation eventId unitId environment type state attempts createdAt expiresAt'.split(' '),
        },
        {
          // Only rows that pollers look for, or that wait for a person, have the keys of this index.
          indexName: 'byDue',
          partitionKey: { name: 'duePk', type: AttributeType.STRING },
          sortKey: { name: 'dueSk', type: AttributeType.STRING },
          projectionType: ProjectionType.INCLUDE,
          nonKeyAttributes:
            'id unitId environment partnerId leadId bank submissionId situation queryNumber rawStatus sequence createdAt forced requestId unanswerableSince eventId dueAttempt dueAt'.split(
              ' ',
            ),
        },
      ],
    });

    this.erasureLedger = this.ledgerOfErasures(stage);

    const about = 'Sealing keys and index key; versions are written through the administration';
    const keys = this.emptySecret(stage, 'keys', about);
    const retiredKeys = this.emptySecret(stage, 'retiredKeys', 'Sealing keys that only copies of the table still need');
    this.secrets = {
      keys: keys.ref,
      retiredKeys: retiredKeys.ref,
      operator: this.emptySecret(stage, 'operator', 'Bearer token of the operator; written through the administration')
        .ref,
      probe: this.emptySecret(stage, 'probe', 'Sandbox key of the outside probe; written through the administration')
        .ref,
    };
    if (stage.evidence) {
      const { evidence } = stage;
      const tables = [this.table.tableArn, this.erasureLedger.tableArn];
      const secrets = { keys, retiredKeys };
      new KeptEvidence(this, 'Evidence', { stage, evidence, tables, key: this.key, secrets });
    }
    this.egressAddresses = stage.egressAddresses ? [this.address('A'), this.address('B')] : [];
  }

  private keptTable(stage: Stage) {
    return {
      billing: Billing.onDemand(),
      encryption: TableEncryptionV2.customerManagedKey(this.key),
      pointInTimeRecoverySpecification: {
        pointInTimeRecoveryEnabled: true,
        recoveryPeriodInDays: stage.retention.recoveryDays,
      },
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
    };
  }

  /** The ledger lies outside of the table: after a restore, the people in it are erased again before any traffic. */
  private ledgerOfErasures(stage: Stage): TableV2 {
    return new TableV2(this, 'ErasureLedger', {
      tableName: namesOf(stage).erasureLedger,
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      ...this.keptTable(stage),
    });
  }

  /**
   * Without the policy's first statement no log group can be made, without the second no alarm arrives. Names are
   * literals, because the groups and topics belong to stacks that depend on this stack.
   */
  private keyOfLogsAndTopics(stage: Stage): Key {
    const key = new Key(this, 'OperationsKey', {
      alias: `${prefixOf(stage)}-operations`,
      description: 'Logs and alarm topics of the partner credit service',
      enableKeyRotation: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
    const groups = [
      `/aws/lambda/${prefixOf(stage)}-*`,
      `/${prefixOf(stage)}/*`,
      logGroupNameOf(stage, 'firewall'),
      logGroupNameOf(stage, 'administration-firewall'),
      `API-Gateway-Execution-Logs_*/${stage.name}`,
    ];
    key.addToResourcePolicy(
      new PolicyStatement({
        sid: 'Logs',
        principals: [new ServicePrincipal(`logs.${stage.region}.amazonaws.com`)],
        actions: ['kms:Encrypt*', 'kms:Decrypt*', 'kms:ReEncrypt*', 'kms:GenerateDataKey*', 'kms:Describe*'],
        resources: ['*'],
        conditions: {
          ArnLike: {
            'kms:EncryptionContext:aws:logs:arn': groups.map(
              (group) => `arn:aws:logs:${stage.region}:${this.account}:log-group:${group}`,
            ),
          },
        },
      }),
    );
    key.addToResourcePolicy(
      new PolicyStatement({
        sid: 'Alarms',
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['kms:Decrypt', 'kms:GenerateDataKey*'],
        resources: ['*'],
        conditions: { StringEquals: { 'aws:SourceAccount': this.account } },
      }),
    );
    return key;
  }

  /** The address is never given up: banks and partners have it on their allowlists. */
  private address(zone: 'A' | 'B'): EgressAddress {
    const address = new CfnEIP(this, `EgressAddress${zone}`, { domain: 'vpc' });
    address.applyRemovalPolicy(RemovalPolicy.RETAIN);
    // Exported even if unused: a deployment could not remove an export that another stack still uses.
    this.exportValue(address.attrAllocationId);
    this.exportValue(address.ref);
    new CfnOutput(this, `Egress${zone}`, { value: address.ref, description: 'A fixed address, for allowlists' });
    return { allocationId: address.attrAllocationId, ip: address.ref };
  }

  /**
   * The secret starts empty. CloudFormation would replace a generated value when the definition changes, and stored
   * rows need the old value.
   */
  private emptySecret(stage: Stage, name: SecretName, description: string): CfnSecret {
    const secret = new CfnSecret(this, `Secret-${name}`, {
      name: namesOf(stage)[`${name}Secret`],
      description,
      kmsKeyId: this.key.keyArn,
    });
    secret.applyRemovalPolicy(RemovalPolicy.RETAIN);
    Validations.of(secret).acknowledge({ id: 'AwsSolutions-SMG4', reason: NOT_ROTATED[name] });
    return secret;
  }
}
