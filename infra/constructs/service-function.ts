import { Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { SubnetType } from 'aws-cdk-lib/aws-ec2';
import { Effect, PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import {
  Alias,
  Architecture,
  type Code,
  type IFunction,
  type IVersion,
  Function as LambdaFunction,
  Runtime,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { FunctionRow } from '../functions.ts';
import type { Permission, SecretName } from '../permissions.ts';
import { functionNameOf, logGroupNameOf, type Reservable, type Stage } from '../stages.ts';
import type { FixedEgress } from './fixed-egress.ts';
import type { GradualRelease } from './gradual-release.ts';
import { logGroupOf } from './log-group.ts';
import type { WorkQueue } from './work-queue.ts';

/** What functions may be allowed to touch. */
export interface Touchable {
  readonly table: TableV2;
  /** Who was erased. */
  readonly erasureLedger: TableV2;
  readonly key: IKey;
  /** Secrets Manager ARNs. */
  readonly secrets: Readonly<Record<SecretName, string>>;
  readonly deliveries: WorkQueue;
}

export interface ServiceFunctionProps {
  readonly stage: Stage;
  readonly row: FunctionRow;
  readonly permission: Permission;
  readonly touchable: Touchable;
  readonly code: Code;
  /** Base URL of the service, for the function that calls it. */
  readonly serviceUrl?: string;
  /** Of the log group. */
  readonly logsKey: IKey;
  /** Moves callers to new versions; undefined for a function whose callers have the new code at once. */
  readonly release: GradualRelease | undefined;
  /** The network of functions that call out; undefined where the stage fixes no addresses. */
  readonly egress: FixedEgress | undefined;
  /** Environment variables beside those that follow from the permission. */
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * A function with a log group and a role that holds its row of the permissions and nothing else. Where a release moves
 * its callers they use an alias, else the function itself.
 */
export class ServiceFunction extends Construct {
  /** What callers invoke. */
  readonly live: IFunction;

  constructor(scope: Construct, id: string, props: ServiceFunctionProps) {
    super(scope, id);
    const { stage, row, permission, touchable } = props;

    const logGroup = logGroupOf(this, 'Logs', logGroupNameOf(stage, row.operation), { stage, key: props.logsKey });
    // Functions that call banks or partners do so from fixed addresses; the others stay outside the network.
    const egress = callsOut(permission) ? props.egress : undefined;

    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      description: `What ${row.operation} may do`,
      inlinePolicies: {
        permissions: new PolicyDocument({
          statements: [
            ...platformStatements(logGroup.logGroupArn),
            ...(egress ? [networkStatement()] : []),
            ...statementsOf(permission, touchable, Stack.of(this).region),
          ],
        }),
      },
    });
    acknowledgeWildcards(role, permission, egress !== undefined, Stack.of(this).resolve(logGroup.logGroupArn));

    const handler = new LambdaFunction(this, 'Function', {
      functionName: functionNameOf(stage, row.operation),
      description: row.file,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: row.memory,
      timeout: Duration.seconds(row.timeout),
      handler: `index.${row.handler ?? 'handler'}`,
      code: props.code,
      // Without updates: the role holds the statements above and no construct adds to them.
      role: role.withoutPolicyUpdates(),
      logGroup,
      tracing: Tracing.ACTIVE,
      environment: { ...environmentOf(props), ...props.environment },
      ...reservationOf(stage, row.operation),
      ...(egress && {
        vpc: egress.vpc,
        vpcSubnets: { subnetType: SubnetType.PRIVATE_WITH_EGRESS },
        securityGroups: [egress.securityGroup],
      }),
      // The version that a rollback returns to.
      currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN },
    });
    // CDK's classes declare as optional what its interfaces require: under exactOptionalPropertyTypes they need a cast.
    this.live = props.release ? (this.released(handler, props, props.release) as IFunction) : (handler as IFunction);
  }

  /** An alias whose callers a release moves. */
  private released(handler: LambdaFunction, { stage, row }: ServiceFunctionProps, release: GradualRelease): Alias {
    const warm = stage.concurrency.provisioned[row.operation];
    const alias = new Alias(this, 'Live', {
      aliasName: 'live',
      version: handler.currentVersion as IVersion,
      ...(warm !== undefined && { provisionedConcurrentExecutions: warm }),
    });
    release.of(row.operation, alias);
    return alias;
  }
}

/** Whether a function calls the operator or partners. */
function callsOut({ secrets, takesDeliveries, callsPartners }: Permission): boolean {
  return takesDeliveries === true || callsPartners === true || secrets?.includes('operator') === true;
}

function reservationOf({ concurrency }: Stage, operation: string): { reservedConcurrentExecutions?: number } {
  const runs = concurrency.reserved[operation as Reservable];
  return runs === undefined ? {} : { reservedConcurrentExecutions: runs };
}

/** `actions` of one service, which each of them is prefixed with. */
function allow(
  sid: string,
  service: string,
  actions: readonly string[],
  resources: readonly string[],
  via?: string,
): PolicyStatement {
  return new PolicyStatement({
    sid,
    actions: actions.map((action) => `${service}:${action}`),
    resources: [...resources],
    // The key may be used only through the service that holds the data.
    ...(via !== undefined && { conditions: { StringEquals: { 'kms:ViaService': via } } }),
  });
}

/** What Lambda itself needs to run a function inside a network. */
function networkStatement(): PolicyStatement {
  const interfaces = [
    'CreateNetworkInterface',
    'DescribeNetworkInterfaces',
    'DescribeSubnets',
    'DeleteNetworkInterface',
  ];
  const addresses = ['AssignPrivateIpAddresses', 'UnassignPrivateIpAddresses'];
  return allow('Network', 'ec2', [...interfaces, ...addresses], ['*']);
}

function platformStatements(logGroupArn: string): PolicyStatement[] {
  return [
    allow('Logs', 'logs', ['CreateLogStream', 'PutLogEvents'], [logGroupArn]),
    allow('Traces', 'xray', ['PutTraceSegments', 'PutTelemetryRecords'], ['*']),
  ];
}

const usesTable = ({ table, indexes, ledger }: Permission) =>
  table !== undefined || indexes !== undefined || ledger !== undefined;

const DEAD_LETTER_ACTIONS = {
  count: ['GetQueueAttributes'],
  look: ['GetQueueAttributes', 'ReceiveMessage', 'ChangeMessageVisibility'],
  end: ['GetQueueAttributes', 'ReceiveMessage', 'ChangeMessageVisibility', 'DeleteMessage'],
} as const;

function statementsOf(permission: Permission, touchable: Touchable, region: string): PolicyStatement[] {
  const { key, secrets } = touchable;
  const arnsOf = (names: readonly SecretName[]) => names.map((name) => secrets[name]);
  const { secrets: read, describesSecrets: described, writesSecrets: written } = permission;
  const secretsKey = [...(read ? ['Decrypt'] : []), ...(written ? ['Decrypt', 'GenerateDataKey'] : [])];
  const through = `secretsmanager.${region}.amazonaws.com`;
  return [
    ...tableStatements(permission, touchable, region),
    ...(read ? [allow('Secrets', 'secretsmanager', ['GetSecretValue'], arnsOf(read))] : []),
    ...(described ? [allow('DescribeSecrets', 'secretsmanager', ['DescribeSecret'], arnsOf(described))] : []),
    ...(written ? [allow('WriteSecrets', 'secretsmanager', ['PutSecretValue'], arnsOf(written))] : []),
    ...(secretsKey.length > 0 ? [allow('SecretsKey', 'kms', [...new Set(secretsKey)], [key.keyArn], through)] : []),
    ...queueStatements(permission, touchable),
  ];
}

function tableStatements(permission: Permission, touchable: Touchable, region: string): PolicyStatement[] {
  if (!usesTable(permission)) return [];
  const { table, erasureLedger, key } = touchable;
  const { ledger } = permission;
  const indexes = permission.indexes?.map((index) => `${table.tableArn}/index/${index}`);
  const tableKey = ['Encrypt', 'Decrypt', 'ReEncrypt*', 'GenerateDataKey*', 'DescribeKey'];
  return [
    ...(permission.table ? [allow('Table', 'dynamodb', permission.table, [table.tableArn])] : []),
    ...(indexes ? [allow('Indexes', 'dynamodb', ['Query'], indexes)] : []),
    ...(ledger ? [allow('ErasureLedger', 'dynamodb', ledger, [erasureLedger.tableArn])] : []),
    allow('TableKey', 'kms', tableKey, [key.keyArn], `dynamodb.${region}.amazonaws.com`),
    ...evidenceStays(permission, table),
  ];
}

function queueStatements(permission: Permission, { deliveries }: Touchable): PolicyStatement[] {
  const { deadLetters } = permission;
  const [queue, dead] = [[deliveries.queue.queueArn], [deliveries.deadLetters.queueArn]];
  const taking = ['ReceiveMessage', 'DeleteMessage', 'ChangeMessageVisibility', 'GetQueueAttributes'];
  return [
    ...(permission.sendsDeliveries ? [allow('SendDeliveries', 'sqs', ['SendMessage'], queue)] : []),
    ...(permission.takesDeliveries
      ? [allow('TakeDeliveries', 'sqs', taking, queue), allow('GiveUpDeliveries', 'sqs', ['SendMessage'], dead)]
      : []),
    ...(deadLetters ? [allow('DeadLetters', 'sqs', DEAD_LETTER_ACTIONS[deadLetters], dead)] : []),
  ];
}

/**
 * Consents and audit rows are evidence: written once, never changed, not even by a faulty function. A put replaces a row,
 * so it is denied too, but to the functions that keep them; their puts are themselves conditional. An audit row is
 * updated once, by the function that put it, to say how its change has ended.
 */
export function evidenceStays(permission: Permission, table: TableV2): PolicyStatement[] {
  const { keepsConsents, reencrypts, keepsAudit } = permission;
  const deny = (sid: string, rows: string, kept: readonly string[]) =>
    new PolicyStatement({
      sid,
      effect: Effect.DENY,
      actions: ['PutItem', 'UpdateItem', 'DeleteItem']
        .filter((action) => !kept.includes(action))
        .map((action) => `dynamodb:${action}`),
      resources: [table.tableArn],
      conditions: { 'ForAnyValue:StringLike': { 'dynamodb:LeadingKeys': [rows] } },
    });
  return [
    deny('ConsentsStay', 'CONSENT#*', [...(keepsConsents ? ['PutItem'] : []), ...(reencrypts ? ['UpdateItem'] : [])]),
    deny('AuditStays', 'AUDIT#*', keepsAudit ? ['PutItem', 'UpdateItem'] : []),
  ];
}

function environmentOf({
  stage,
  row,
  permission,
  touchable,
  serviceUrl,
}: ServiceFunctionProps): Record<string, string> {
  const { table, erasureLedger, secrets, deliveries } = touchable;
  const { secrets: read = [], describesSecrets = [], writesSecrets = [] } = permission;
  const names = new Set([...read, ...describesSecrets, ...writesSecrets]);
  return {
    STAGE: stage.name,
    POWERTOOLS_SERVICE_NAME: row.operation,
    POWERTOOLS_LOG_LEVEL: 'INFO',
    ...(usesTable(permission) && { TABLE_NAME: table.tableName }),
    ...(permission.ledger && { ERASURE_LEDGER_NAME: erasureLedger.tableName }),
    ...(names.has('keys') && { KEYS_SECRET: secrets.keys }),
    ...(names.has('operator') && { OPERATOR_TOKEN_SECRET: secrets.operator }),
    ...(names.has('probe') && { PROBE_KEY_SECRET: secrets.probe }),
    ...(names.has('operator') && { OPERATOR_URL: stage.operatorUrl }),
    ...(serviceUrl !== undefined && { PROBE_URL: serviceUrl }),
    ...((permission.sendsDeliveries || permission.takesDeliveries) && {
      DELIVERY_QUEUE_URL: deliveries.queue.queueUrl,
    }),
    ...((permission.takesDeliveries || permission.deadLetters) && {
      DELIVERY_DLQ_URL: deliveries.deadLetters.queueUrl,
    }),
  };
}

function acknowledgeWildcards(role: Role, permission: Permission, inNetwork: boolean, logGroupArn: unknown): void {
  Validations.of(role).acknowledge(
    {
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: `X-Ray has no resources: its write actions take only *.${inNetwork ? ' So do the network interfaces that Lambda makes.' : ''}`,
    },
    {
      id: `AwsSolutions-IAM5[Resource::${wildcardId(logGroupArn)}]`,
      reason: "Log streams are named by Lambda at run time; the wildcard stays inside the function's own log group.",
    },
  );
  if (usesTable(permission)) {
    Validations.of(role).acknowledge(
      {
        id: 'AwsSolutions-IAM5[Action::kms:ReEncrypt*]',
        reason: 'DynamoDB re-encrypts with a customer key in both directions (From and To), only via DynamoDB.',
      },
      {
        id: 'AwsSolutions-IAM5[Action::kms:GenerateDataKey*]',
        reason: 'DynamoDB asks for data keys with and without plaintext, only via DynamoDB.',
      },
    );
  }
}

/** An attribute of a resource as findings write it: `<LogicalId.Arn>`. */
function wildcardId(reference: unknown): string {
  const [logicalId, attribute] = (reference as { 'Fn::GetAtt': [string, string] })['Fn::GetAtt'];
  return `<${logicalId}.${attribute}>`;
}
