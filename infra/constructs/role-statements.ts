import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Permission, SecretName } from '../permissions.ts';
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
  /** ARN of the panel's user pool, where the administration is. */
  readonly people?: string;
}

/** A statement that allows `actions` of one service on `resources`; `via` names the one service that may ask for them. */
export function allow(
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
export function networkStatement(): PolicyStatement {
  const interfaces = [
    'CreateNetworkInterface',
    'DescribeNetworkInterfaces',
    'DescribeSubnets',
    'DeleteNetworkInterface',
  ];
  const addresses = ['AssignPrivateIpAddresses', 'UnassignPrivateIpAddresses'];
  return allow('Network', 'ec2', [...interfaces, ...addresses], ['*']);
}

/** What Lambda itself needs to write a function's log and its traces. */
export function platformStatements(logGroupArn: string): PolicyStatement[] {
  return [
    allow('Logs', 'logs', ['CreateLogStream', 'PutLogEvents'], [logGroupArn]),
    allow('Traces', 'xray', ['PutTraceSegments', 'PutTelemetryRecords'], ['*']),
  ];
}

/** Whether a function reaches the table or the ledger of erasures. */
export const usesTable = ({ table, indexes, ledger }: Permission) =>
  table !== undefined || indexes !== undefined || ledger !== undefined;

const DEAD_LETTER_ACTIONS = {
  look: ['GetQueueAttributes', 'ReceiveMessage', 'ChangeMessageVisibility'],
  end: ['GetQueueAttributes', 'ReceiveMessage', 'ChangeMessageVisibility', 'DeleteMessage'],
} as const;

/** A row of the permissions as IAM reads it. */
export function statementsOf(permission: Permission, touchable: Touchable, region: string): PolicyStatement[] {
  const { key, secrets } = touchable;
  const arnsOf = (names: readonly SecretName[]) => names.map((name) => secrets[name]);
  const { secrets: read, describesSecrets: described, writesSecrets: written } = permission;
  const secretsKey = [...(read ? ['Decrypt'] : []), ...(written ? ['Decrypt', 'GenerateDataKey'] : [])];
  const through = `secretsmanager.${region}.amazonaws.com`;
  return [
    ...(permission.namesPeople ? [allow('People', 'cognito-idp', ['ListUsers'], [touchable.people!])] : []),
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
    ...(permission.keepsAudit ? [] : [keysStay(table)]),
    ...(permission.endsSandboxAlone ? [productionStays(table)] : []),
    ...(permission.table && permission.writes ? [otherRowsStay(table, permission.writes)] : []),
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
 * so it is denied too, but to the functions that keep them; their puts are themselves conditional. A consent may be
 * encrypted anew, and nothing else of it changes. An audit row is updated once, by the function that put it, to say how
 * its change has ended. Approvals are written by what is noted alone: nobody else may make one.
 */
export function evidenceStays(permission: Permission, table: TableV2): PolicyStatement[] {
  const { keepsConsents, reencrypts, keepsAudit } = permission;
  const deny = (sid: string, rows: string | readonly string[], kept: readonly string[], beyond?: readonly string[]) =>
    new PolicyStatement({
      sid,
      effect: Effect.DENY,
      actions: ['PutItem', 'UpdateItem', 'DeleteItem']
        .filter((action) => !kept.includes(action))
        .map((action) => `dynamodb:${action}`),
      resources: [table.tableArn],
      conditions: {
        'ForAnyValue:StringLike': { 'dynamodb:LeadingKeys': [rows].flat() },
        ...(beyond && { 'ForAnyValue:StringNotEquals': { 'dynamodb:Attributes': beyond } }),
      },
    });
  return [
    deny('ConsentsStay', 'CONSENT#*', [...(keepsConsents ? ['PutItem'] : []), ...(reencrypts ? ['UpdateItem'] : [])]),
    ...(reencrypts
      ? [deny('ConsentsAreReencryptedAlone', 'CONSENT#*', ['PutItem', 'DeleteItem'], ['pk', 'sk', 'sealed'])]
      : []),
    deny('AuditStays', ['AUDIT#*', 'APPROVAL#*'], keepsAudit ? ['PutItem', 'UpdateItem'] : []),
  ];
}

/**
 * A partner's keys and limits lie in one item, which only what is noted in the audit makes or ends: a put by anybody else
 * could let a key of their own in. They count calls in it, by updates, whose condition names the keys: no condition of
 * IAM tells that from a change of them.
 */
const keysStay = (table: TableV2) =>
  denied('KeysStay', ['PutItem', 'DeleteItem'], table, 'ForAnyValue:StringLike', ['AUTH#*']);

/** A partner's call ends rows of its sandbox: whatever the code does, none of production. */
const productionStays = (table: TableV2) =>
  denied('ProductionStays', ['DeleteItem'], table, 'ForAnyValue:StringNotLike', ['*#sandbox', '*#sandbox#*']);

/** What a function does not write it may not, whatever its code does. */
const otherRowsStay = (table: TableV2, kinds: readonly string[]) =>
  denied(
    'OtherRowsStay',
    ['PutItem', 'UpdateItem', 'DeleteItem'],
    table,
    'ForAnyValue:StringNotLike',
    kinds.map((kind) => `${kind}#*`),
  );

/** Denies actions on rows whose partition is, or is not, like one of some patterns. */
function denied(sid: string, actions: readonly string[], table: TableV2, test: string, patterns: readonly string[]) {
  return new PolicyStatement({
    sid,
    effect: Effect.DENY,
    actions: actions.map((action) => `dynamodb:${action}`),
    resources: [table.tableArn],
    conditions: { [test]: { 'dynamodb:LeadingKeys': patterns } },
  });
}
