import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { ReadKind, RowKind } from '#shared/administration/operation.ts';
import type { Index, Permission, SecretName, TableAction } from '../permissions.ts';
import type { WorkQueue } from './work-queue.ts';

/** Everything that functions may be allowed to touch. */
export interface Touchable {
  readonly table: TableV2;
  /** The ledger of erased people. */
  readonly erasureLedger: TableV2;
  readonly key: IKey;
  /** ARNs in Secrets Manager. */
  readonly secrets: Readonly<Record<SecretName, string>>;
  readonly deliveries: WorkQueue;
  /** ARN of the panel's user pool. Undefined outside of the administration. */
  readonly people?: string;
  /** ARN of the topic of tickets, and of the key that encrypts it. Undefined outside of the administration. */
  readonly tickets?: { readonly topicArn: string; readonly keyArn: string };
}

/**
 * Returns a statement that allows `actions` of one service on `resources`. `via`: the only service through which they
 * are allowed.
 */
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

/** Returns what Lambda itself needs to run a function inside a network. */
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

/** Returns what Lambda itself needs to write the log of a function. */
export function logStatement(logGroupArn: string): PolicyStatement {
  return allow('Logs', 'logs', ['CreateLogStream', 'PutLogEvents'], [logGroupArn]);
}

/** Actions that change rows. */
const WRITING: readonly TableAction[] = ['PutItem', 'UpdateItem', 'DeleteItem'];

/** Actions that read or check rows of which the request names the partition. A scan names none. */
const READING: readonly TableAction[] = ['GetItem', 'BatchGetItem', 'Query', 'ConditionCheckItem'];

/** Whether a function uses the table or the ledger of erasures. */
export const usesTable = ({ table, indexes, ledger }: Permission) =>
  table !== undefined || indexes !== undefined || ledger !== undefined;

const DEAD_LETTER_ACTIONS = {
  look: ['GetQueueAttributes', 'ReceiveMessage', 'ChangeMessageVisibility'],
  end: ['GetQueueAttributes', 'ReceiveMessage', 'ChangeMessageVisibility', 'DeleteMessage'],
} as const;

/**
 * Returns the IAM statements for a function's row of permissions. Throws an Error if the function may list the panel's
 * people, or send tickets, and no user pool or topic is given.
 */
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

/** Attributes of a row's key. An update names them, too. */
const KEY_ATTRIBUTES = ['pk', 'sk'] as const;
/** Attributes that the re-encryption writes. */
const RESEALED = [...KEY_ATTRIBUTES, 'sealed'];
/** Attributes that note how a change ended (`endAudit` in shared/table/audit/audit.ts). */
const NOTED = [...KEY_ATTRIBUTES, 'outcome', 'result'];
/** Attributes that only a decision writes (`decide` in shared/table/audit/approvals.ts). */
const DECISION = ['decidedBy', 'decisionMark'];
/** Attributes that a decision writes or compares. */
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
 * Returns statements that protect evidence: consents, audit rows and approvals. Only a few of their attributes
 * change after the first write, and a faulty function cannot change others. A put replaces a row, so it is denied to all
 * functions except those that write evidence, whose puts are conditional.
 *
 * - A consent may be encrypted again, with nothing else changed.
 * - An audited function may update only `outcome` and `result` of an audit row, which note how the change ended. The
 *   condition of that write, in shared/table/audit/audit.ts, makes sure that it happens once.
 * - An approval is put by the operation that needs it. This operation can put no decision, and later notes only that it
 *   has used the approval. The operations that decide can change nothing of what was asked. The re-encryption changes
 *   only the ciphertext.
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
  /** Denies updates of attributes other than these. */
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
 * Returns the denial that protects keys: a partner's keys and limits lie in one item, and only an audited operation that
 * writes this item may put or delete it. A put by another function could add a key. Admission updates this item to count
 * calls, on a condition that names the keys, so IAM cannot tell that update from a change of the keys.
 */
const keysStay = (table: TableV2) =>
  denied('KeysStay', ['PutItem', 'DeleteItem'], table, 'ForAnyValue:StringLike', ['AUTH#*']);

/** Returns the denial for a partner's call that deletes rows of its sandbox: it may never delete rows of production. */
const productionStays = (table: TableV2) =>
  denied('ProductionStays', ['DeleteItem'], table, 'ForAnyValue:StringNotLike', ['*#sandbox', '*#sandbox#*']);

/** Returns the denial for all kinds of rows that a function does not write. */
const otherRowsStay = (table: TableV2, kinds: readonly RowKind[]) =>
  denied('OtherRowsStay', WRITING, table, 'ForAnyValue:StringNotLike', kinds.map(keysOf));

/** Returns the denial of one action on all kinds of rows but these. */
const othersDenied = (sid: string, action: TableAction, table: TableV2, kinds: readonly RowKind[]) =>
  denied(sid, [action], table, 'ForAnyValue:StringNotLike', kinds.map(keysOf));

/** Returns the denial for all kinds of rows and index entries that a function does not read. */
function otherRowsAreUnread(table: TableV2, kinds: readonly ReadKind[]): PolicyStatement {
  const statement = denied('OtherRowsAreUnread', READING, table, 'ForAnyValue:StringNotLike', kinds.map(keysOf));
  statement.addResources(...INDEXES.map((index) => `${table.tableArn}/index/${index}`));
  return statement;
}

const INDEXES: readonly Index[] = ['byList', 'byDue'];
/** Kinds with one partition in an index, whose key is the name of the kind. */
const WITHOUT_PARTS: readonly ReadKind[] = ['PARTNERS', 'FAILING', 'DISABLED'];
/** Returns the pattern of the partition keys of a kind. */
const keysOf = (kind: ReadKind): string => (WITHOUT_PARTS.includes(kind) ? `${kind}*` : `${kind}#*`);

/** Returns a denial of actions on rows whose partition key is, or is not, like one of the patterns. */
function denied(sid: string, actions: readonly string[], table: TableV2, test: string, patterns: readonly string[]) {
  return new PolicyStatement({
    sid,
    effect: Effect.DENY,
    actions: actions.map((action) => `dynamodb:${action}`),
    resources: [table.tableArn],
    conditions: { [test]: { 'dynamodb:LeadingKeys': patterns } },
  });
}
