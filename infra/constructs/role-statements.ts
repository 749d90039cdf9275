import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { ReadKind, RowKind } from '#shared/administration/operation.ts';
import type { Index, Permission, SecretName, TableAction } from '../permissions.ts';
import type { WorkQueue } from './work-queue.ts';

export interface Touchable {
  readonly table: TableV2;
  readonly erasureLedger: TableV2;
  readonly key: IKey;
  readonly secrets: Readonly<Record<SecretName, string>>;
  readonly deliveries: WorkQueue;
  /** Undefined outside of the administration. */
  readonly people?: string;
  readonly tickets?: { readonly topicArn: string; readonly keyArn: string };
}

/** `via`: the only service through which the actions are allowed. */
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
    conditions: via === undefined ? undefined : { StringEquals: { 'kms:ViaService': via } },
  });
}

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

export function logStatement(logGroupArn: string): PolicyStatement {
  return allow('Logs', 'logs', ['CreateLogStream', 'PutLogEvents'], [logGroupArn]);
}

const WRITING: readonly TableAction[] = ['PutItem', 'UpdateItem', 'DeleteItem'];

/** Actions that a policy can limit to partitions. A scan names no partition. */
const READING: readonly TableAction[] = ['GetItem', 'BatchGetItem', 'Query', 'ConditionCheckItem'];

export const usesTable = ({ table, indexes, ledger }: Permission) =>
  table !== undefined || indexes !== undefined || ledger !== undefined;

const DEAD_LETTER_ACTIONS = {
  look: ['GetQueueAttributes', 'ReceiveMessage', 'ChangeMessageVisibility'],
  end: ['GetQueueAttributes', 'ReceiveMessage', 'ChangeMessageVisibility', 'DeleteMessage'],
} as const;

/** Throws an Error if the function may list the panel's people, or send tickets, and no user pool or topic is given. */
export function statementsOf(permission: Permission, touchable: Touchable, region: string): PolicyStatement[] {
  return [
    peopleStatements(permission, touchable),
    tableStatements(permission, touchable, region),
    secretStatements(permission, touchable, region),
    queueStatements(permission, touchable),
    ticketStatements(permission, touchable, region),
  ].flat();
}

function peopleStatements({ namesPeople }: Permission, { people }: Touchable): PolicyStatement[] {
  if (!namesPeople) return [];
  if (people === undefined) throw new Error('a function may list the people of the panel, but no user pool is given');
  return [allow('People', 'cognito-idp', ['ListUsers'], [people])];
}

function ticketStatements({ sendsTickets }: Permission, { tickets }: Touchable, region: string): PolicyStatement[] {
  if (!sendsTickets) return [];
  if (tickets === undefined) throw new Error('a function may send tickets, but no topic is given');
  const keyActions = ['Decrypt', 'GenerateDataKey'];
  return [
    allow('Tickets', 'sns', ['Publish'], [tickets.topicArn]),
    allow('TicketsKey', 'kms', keyActions, [tickets.keyArn], `sns.${region}.amazonaws.com`),
  ];
}

function tableStatements(permission: Permission, touchable: Touchable, region: string): PolicyStatement[] {
  if (!usesTable(permission)) return [];
  const { table, erasureLedger, key } = touchable;
  const { table: actions, indexes, ledger, writes, puts, deletes = [] } = permission;
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
  if (!(permission.keepsAudit && writes.includes('AUTH'))) statements.push(keysStay(table));
  if (permission.endsSandboxAlone) statements.push(productionStays(table));
  if (actions?.some((action) => WRITING.includes(action))) statements.push(otherRowsStay(table, writes));
  if (actions?.includes('PutItem') && puts) statements.push(othersDenied('OtherRowsAreNotPut', 'PutItem', table, puts));
  if (actions?.includes('DeleteItem'))
    statements.push(othersDenied('OtherRowsAreNotDeleted', 'DeleteItem', table, deletes));
  const isReader = indexes !== undefined || actions?.some((action) => READING.includes(action));
  if (isReader && permission.reads !== 'all') statements.push(otherRowsAreUnread(table, permission.reads));
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

/** An update names the attributes of the row's key, too. */
const KEY_ATTRIBUTES = ['pk', 'sk'] as const;
const RESEALED = [...KEY_ATTRIBUTES, 'sealed'];
/** Attributes that note how a change ended (`endAudit` in shared/table/audit/audit.ts). */
const NOTED = [...KEY_ATTRIBUTES, 'outcome', 'result'];
/** Attributes that only a decision writes (`decide` in shared/table/audit/approvals.ts). */
const DECISION = ['decidedBy', 'decisionMark'];
const DECIDED = [...KEY_ATTRIBUTES, ...DECISION, 'state', 'approvalId', 'askedAt', 'expiresAt'];
/** Attributes that the use of an approval writes or compares (`useOrAsk`, `giveBack`). */
const USED = [
  ...KEY_ATTRIBUTES,
  'state',
  'usedAt',
  'usedBy',
  'usedMark',
  'usedState',
  'nonce',
  'shownHash',
  'expiresAt',
];

/**
 * Protects consents, audit rows and approvals. A put replaces a row, so it is denied to all functions except those that
 * write evidence, whose puts are conditional.
 *
 * - A consent may be encrypted again, with nothing else changed.
 * - An audited function may update only `outcome` and `result` of an audit row. The write's condition allows it once.
 * - An operation that asks for an approval can put no decision. An operation that decides can change nothing of the
 *   request. The re-encryption changes only the ciphertext.
 */
export function evidenceStays(permission: Partial<Permission>, table: TableV2): PolicyStatement[] {
  const { keepsConsents, reencrypts, keepsAudit, approvals } = permission;
  const deny = (sid: string, rows: readonly string[], actions: readonly TableAction[]) =>
    denied(sid, actions, table, 'ForAnyValue:StringLike', rows);
  const denyExcept = (sid: string, rows: readonly string[], allowed: readonly TableAction[]) =>
    deny(
      sid,
      rows,
      WRITING.filter((action) => !allowed.includes(action)),
    );
  const onlyUpdate = (sid: string, rows: readonly string[], attributes: readonly string[]) => {
    const statement = deny(sid, rows, ['UpdateItem']);
    statement.addCondition('ForAnyValue:StringNotEquals', { 'dynamodb:Attributes': attributes });
    return statement;
  };
  const changesConsents: TableAction[] = [];
  if (keepsConsents) changesConsents.push('PutItem');
  if (reencrypts) changesConsents.push('UpdateItem');
  const statements = [denyExcept('ConsentsStay', ['CONSENT#*'], changesConsents)];
  if (reencrypts) statements.push(onlyUpdate('OnlyResealed', ['CONSENT#*', 'APPROVAL#*'], RESEALED));
  statements.push(denyExcept('AuditStays', ['AUDIT#*'], keepsAudit ? ['PutItem', 'UpdateItem'] : []));
  if (keepsAudit) statements.push(onlyUpdate('AuditIsNotedOnce', ['AUDIT#*'], NOTED));
  const changesApprovals: TableAction[] = [];
  if (approvals === 'asks') changesApprovals.push('PutItem');
  if (approvals !== undefined || reencrypts) changesApprovals.push('UpdateItem');
  statements.push(denyExcept('ApprovalsStay', ['APPROVAL#*'], changesApprovals));
  if (approvals === 'decides') statements.push(onlyUpdate('OnlyDecided', ['APPROVAL#*'], DECIDED));
  if (approvals === 'asks') {
    statements.push(onlyUpdate('OnlyUsed', ['APPROVAL#*'], USED));
    const decision = deny('NothingDecided', ['APPROVAL#*'], ['PutItem']);
    decision.addCondition('ForAnyValue:StringEquals', { 'dynamodb:Attributes': DECISION });
    statements.push(decision);
  }
  return statements;
}

/**
 * A partner's keys and limits lie in one item: only an audited operation that writes this item may put or delete it.
 * Admission updates the item to count calls, and IAM cannot tell that update from a change of the keys.
 */
const keysStay = (table: TableV2) =>
  denied('KeysStay', ['PutItem', 'DeleteItem'], table, 'ForAnyValue:StringLike', ['AUTH#*']);

const productionStays = (table: TableV2) =>
  denied('ProductionStays', ['DeleteItem'], table, 'ForAnyValue:StringNotLike', ['*#sandbox', '*#sandbox#*']);

const otherRowsStay = (table: TableV2, kinds: readonly RowKind[]) =>
  denied('OtherRowsStay', WRITING, table, 'ForAnyValue:StringNotLike', kinds.map(keysOf));

const othersDenied = (sid: string, action: TableAction, table: TableV2, kinds: readonly RowKind[]) =>
  denied(sid, [action], table, 'ForAnyValue:StringNotLike', kinds.map(keysOf));

function otherRowsAreUnread(table: TableV2, kinds: readonly ReadKind[]): PolicyStatement {
  const statement = denied('OtherRowsAreUnread', READING, table, 'ForAnyValue:StringNotLike', kinds.map(keysOf));
  statement.addResources(...INDEXES.map((index) => `${table.tableArn}/index/${index}`));
  return statement;
}

const INDEXES: readonly Index[] = ['byList', 'byDue'];
/** Kinds of rows with one partition in an index. The partition's key is the name of the kind. */
const WITHOUT_PARTS: readonly ReadKind[] = ['PARTNERS', 'FAILING', 'DISABLED'];
const keysOf = (kind: ReadKind): string => (WITHOUT_PARTS.includes(kind) ? `${kind}*` : `${kind}#*`);

function denied(sid: string, actions: readonly string[], table: TableV2, test: string, patterns: readonly string[]) {
  return new PolicyStatement({
    sid,
    effect: Effect.DENY,
    actions: actions.map((action) => `dynamodb:${action}`),
    resources: [table.tableArn],
    conditions: { [test]: { 'dynamodb:LeadingKeys': patterns } },
  });
}
