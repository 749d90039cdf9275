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
    resources: resources.slice(),
    // The key may be used only through the service that holds the data.
    conditions: via === undefined ? undefined : { StringEquals: { 'kms:ViaService': via } },
  });
}

/** What Lambda itself needs to run a function inside a network. */
export function networkStatement(): PolicyStatement {
  const actions = [
    'CreateNetworkInterface',
    'DescribeNetworkInterfaces',
    'DescribeSubnets',
    'DeleteNetworkInterface',
    'AssignPrivateIpAddresses',
    'UnassignPrivateIpAddresses',
  ];
  return allow('Network', 'ec2', actions, ['*']);
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

/**
 * The statements of IAM that a row of the permissions becomes. Throws an Error if the function may list the panel's people
 * and no user pool is given.
 */
export function statementsOf(permission: Permission, touchable: Touchable, region: string): PolicyStatement[] {
  return [
    peopleStatements(permission, touchable),
    tableStatements(permission, touchable, region),
    secretStatements(permission, touchable, region),
    queueStatements(permission, touchable),
  ].flat();
}

function peopleStatements({ namesPeople }: Permission, { people }: Touchable): PolicyStatement[] {
  if (!namesPeople) return [];
  if (people === undefined) throw new Error('a function may list the people of the panel, but no user pool is given');
  return [allow('People', 'cognito-idp', ['ListUsers'], [people])];
}

function tableStatements(permission: Permission, touchable: Touchable, region: string): PolicyStatement[] {
  if (!usesTable(permission)) return [];
  const { table, erasureLedger, key } = touchable;
  const { table: actions, indexes, ledger, writes } = permission;
  const tableKey = ['Encrypt', 'Decrypt', 'ReEncrypt*', 'GenerateDataKey*', 'DescribeKey'];
  const statements: PolicyStatement[] = [];
  if (actions) statements.push(allow('Table', 'dynamodb', actions, [table.tableArn]));
  if (indexes) {
    const arns = indexes.map((index) => `${table.tableArn}/index/${index}`);
    statements.push(allow('Indexes', 'dynamodb', ['Query'], arns));
  }
  if (ledger) statements.push(allow('ErasureLedger', 'dynamodb', ledger, [erasureLedger.tableArn]));
  statements.push(allow('TableKey', 'kms', tableKey, [key.keyArn], `dynamodb.${region}.amazonaws.com`));
  statements.push(...evidenceStays(permission, table));
  if (!permission.keepsAudit) statements.push(keysStay(table));
  if (permission.endsSandboxAlone) statements.push(productionStays(table));
  if (actions && writes) statements.push(otherRowsStay(table, writes));
  return statements;
}

function secretStatements(permission: Permission, { key, secrets }: Touchable, region: string): PolicyStatement[] {
  const { secrets: read, describesSecrets: described, writesSecrets: written } = permission;
  const arnsOf = (names: readonly SecretName[]) => names.map((name) => secrets[name]);
  const statements: PolicyStatement[] = [];
  if (read) statements.push(allow('Secrets', 'secretsmanager', ['GetSecretValue'], arnsOf(read)));
  if (described) statements.push(allow('DescribeSecrets', 'secretsmanager', ['DescribeSecret'], arnsOf(described)));
  if (written) statements.push(allow('WriteSecrets', 'secretsmanager', ['PutSecretValue'], arnsOf(written)));
  if (read || written) {
    const actions = written ? ['Decrypt', 'GenerateDataKey'] : ['Decrypt'];
    statements.push(allow('SecretsKey', 'kms', actions, [key.keyArn], `secretsmanager.${region}.amazonaws.com`));
  }
  return statements;
}

function queueStatements(permission: Permission, { deliveries }: Touchable): PolicyStatement[] {
  const { sendsDeliveries, takesDeliveries, deadLetters } = permission;
  const queue = [deliveries.queue.queueArn];
  const dead = [deliveries.deadLetters.queueArn];
  const statements: PolicyStatement[] = [];
  if (sendsDeliveries) statements.push(allow('SendDeliveries', 'sqs', ['SendMessage'], queue));
  if (takesDeliveries) {
    const taking = ['ReceiveMessage', 'DeleteMessage', 'ChangeMessageVisibility', 'GetQueueAttributes'];
    statements.push(allow('TakeDeliveries', 'sqs', taking, queue));
    statements.push(allow('GiveUpDeliveries', 'sqs', ['SendMessage'], dead));
  }
  if (deadLetters) statements.push(allow('DeadLetters', 'sqs', DEAD_LETTER_ACTIONS[deadLetters], dead));
  return statements;
}

/**
 * Consents and audit rows are evidence: written once, never changed, not even by a faulty function. A put replaces a row,
 * so it is denied too, but to the functions that keep them; their puts are themselves conditional. A consent may be
 * encrypted anew, and nothing else of it changes. An audit row is updated once, by the function that put it, to say how
 * its change has ended. Approvals are written by what is noted alone: nobody else may make one.
 */
export function evidenceStays(permission: Permission, table: TableV2): PolicyStatement[] {
  const { keepsConsents, reencrypts, keepsAudit } = permission;
  const deny = (sid: string, rows: readonly string[], kept: readonly string[]) => {
    const actions = ['PutItem', 'UpdateItem', 'DeleteItem'].filter((action) => !kept.includes(action));
    return denied(sid, actions, table, 'ForAnyValue:StringLike', rows);
  };
  const keptOfConsents: string[] = [];
  if (keepsConsents) keptOfConsents.push('PutItem');
  if (reencrypts) keptOfConsents.push('UpdateItem');
  const statements = [deny('ConsentsStay', ['CONSENT#*'], keptOfConsents)];
  if (reencrypts) {
    const other = deny('ConsentsAreReencryptedAlone', ['CONSENT#*'], ['PutItem', 'DeleteItem']);
    other.addCondition('ForAnyValue:StringNotEquals', { 'dynamodb:Attributes': ['pk', 'sk', 'sealed'] });
    statements.push(other);
  }
  statements.push(deny('AuditStays', ['AUDIT#*', 'APPROVAL#*'], keepsAudit ? ['PutItem', 'UpdateItem'] : []));
  return statements;
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
