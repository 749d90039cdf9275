import { describe, expect, inject, it } from 'vitest';
import { administrationPermission } from '#infra/administration-stack.ts';
import { administrationFunction, FUNCTIONS } from '#infra/functions.ts';
import { allowed } from '#infra/local/aws/iam.ts';
import { blueprintOf } from '#infra/local/blueprint.ts';
import { ACCOUNT, REGION, readAssembly, Template } from '#infra/local/template.ts';
import { PERMISSIONS, type Permission } from '#infra/permissions.ts';
import { namesOf, stageValues, topicNameOf } from '#infra/stages.ts';
import { APPROVABLE } from '#shared/administration/approvals.ts';
import type { Operation } from '#shared/administration/operation.ts';
import { ADMINISTRATION_OPERATIONS, type AdministrationOperation } from '#shared/administration/operations.ts';
import { type RoleAccess, type RoleStatement, rolesOf, rolesOfStage } from '../makers/iam.ts';
import { everythingOn, Synthesised } from '../makers/synthesised.ts';

const template = new Template(readAssembly(inject('assembly')), 'http://127.0.0.1:9');
const blueprint = blueprintOf(template);
const roles = rolesOf(template, blueprint);
const table = `arn:aws:dynamodb:${REGION}:${ACCOUNT}:table/${blueprint.table.TableName}`;

/** A partition key of each kind of row, as shared/table/rows/keys.ts makes them. */
const KINDS: Readonly<Record<string, string>> = {
  auth: 'AUTH#1',
  partner: 'PARTNER#1',
  lead: 'LEAD#1#producao#2',
  sandboxLead: 'LEADS#1#sandbox',
  cpf: 'CPF#1#producao#hash',
  idempotency: 'IDEMPOTENCY#1#producao#submit-analyses#hash',
  opportunity: 'OPPORTUNITY#1#producao#2',
  form: 'FORM#1#producao#2',
  analysis: 'ANALYSIS#1#producao#2',
  consent: 'CONSENT#1#producao#2',
  delivery: 'DELIVERY#evt_a',
  audit: 'AUDIT#1',
  auditOfService: 'AUDIT#service',
  approval: 'APPROVAL#all',
  cursor: 'CURSOR#job',
  spouse: 'SPOUSE#1#producao#hash',
  refused: 'REFUSED#1#producao',
  encryptions: 'ENCRYPTIONS#1',
  listedPartner: 'PARTNERS#all',
  unit: 'UNIT#1',
  indexed: 'INDEXED#service',
};
const EVIDENCE = ['consent', 'audit', 'auditOfService', 'approval'];
/** The functions that may put a consent or a withdrawal of one. */
const KEEP_CONSENTS = ['submit-analyses', 'withdraw-consent'];
const WRITES = ['PutItem', 'UpdateItem', 'DeleteItem'] as const;

/** Returns the kinds of rows on which a permission allows an action. */
function kindsOf({ writes, puts = writes, deletes = [] }: Permission, action: (typeof WRITES)[number]) {
  if (action === 'PutItem') return puts;
  return action === 'DeleteItem' ? deletes : writes;
}

const asked = (action: string, ...leadingKeys: readonly string[]): RoleAccess => ({
  action: `dynamodb:${action}`,
  resource: table,
  leadingKeys,
});

/** The roles of every stage, and of prod with everything that is off by default. */
const EVERY_STAGE = [
  { stage: 'dev', made: Synthesised.of('dev') },
  { stage: 'staging', made: Synthesised.of('staging') },
  { stage: 'prod', made: Synthesised.of('prod') },
  { stage: 'prod with everything on', made: everythingOn() },
].map(({ stage, made }) => ({ stage, ...rolesOfStage(made) }));

describe.each(FUNCTIONS.map(({ operation }) => operation))('the role of %s', (operation) => {
  const role = roles.get(operation)!;
  const given = (action: string) => PERMISSIONS[operation]!.table?.includes(action as never) ?? false;

  it.each(Object.entries(KINDS))(
    'the role may write rows of the kind %s only if its permissions say so',
    (kind, partition) => {
      for (const action of WRITES) {
        const evidence = EVIDENCE.includes(kind);
        const keeps = kind === 'consent' && action === 'PutItem' && KEEP_CONSENTS.includes(operation);
        // An update counts a call. A put or a delete of the item would make or end keys.
        const keys = kind === 'auth' && action !== 'UpdateItem';
        const ends = PERMISSIONS[operation]!.endsSandboxAlone && action === 'DeleteItem';
        const stays = ends && !partition.endsWith('#sandbox');
        const own = kindsOf(PERMISSIONS[operation]!, action).some((one) => partition.startsWith(`${one}#`));
        const may = keeps || (given(action) && own && !evidence && !keys && !stays);
        expect(allowed(role, asked(action, partition)), action).toBe(may);
        if (stays && partition.includes('#producao#')) {
          const inSandbox = partition.replace('producao', 'sandbox');
          expect(allowed(role, asked(action, inSandbox))).toBe(!evidence);
          expect(allowed(role, asked(action, inSandbox, partition))).toBe(false);
        }
      }
    },
  );

  it('the role may write no evidence together with other rows, even with a policy that allows everything', () => {
    const everything = { Effect: 'Allow', Action: 'dynamodb:*', Resource: table } as const;
    const uses = PERMISSIONS[operation]!.table !== undefined;
    for (const kind of EVIDENCE) {
      for (const action of WRITES) {
        const keeps = kind === 'consent' && action === 'PutItem' && KEEP_CONSENTS.includes(operation);
        const both = asked(action, KINDS['idempotency']!, KINDS[kind]!);
        expect(allowed([...role, everything], both), `${kind} ${action}`).toBe(keeps || !uses);
      }
    }
  });
});

it('each function that puts and updates, or that deletes, names the kinds of each action', () => {
  const permissions = Object.entries(PERMISSIONS);
  const unnamed = permissions.filter(
    ([, { table = [], puts, deletes }]) =>
      (table.includes('PutItem') && !puts) || (table.includes('DeleteItem') && !deletes),
  );
  const administrated = ADMINISTRATION_OPERATIONS.map(administrationPermission).filter(
    ({ table = [], deletes }) => table.includes('DeleteItem') && !deletes,
  );
  expect(unnamed.map(([operation]) => operation)).toEqual([]);
  expect(administrated).toEqual([]);
});

it.each(EVERY_STAGE)(
  'no function of $stage may write a kind of rows that its permission does not name',
  ({ roles, table: resource }) => {
    const wide = Array.from(roles).filter(([, role]) =>
      WRITES.some((action) => allowed(role, { ...asked(action, 'NEW#1'), resource })),
    );
    expect(wide.map(([operation]) => operation)).toEqual([]);
  },
);

it('only the emergency role writes the table without being the role of a function', () => {
  const writers = template
    .ofType('AWS::IAM::Role')
    .filter(({ properties }) => /dynamodb:(Put|Update|Delete|BatchWrite)Item/.test(JSON.stringify(properties)))
    .map(({ id }) => id);
  const functions = new Set(
    template.ofType('AWS::Lambda::Function').map(({ properties }) => String(properties['Role']).split('/').at(-1)),
  );
  expect(writers.filter((id) => !functions.has(id))).toEqual([expect.stringMatching(/^BreakGlass/)]);
});

describe.each(ADMINISTRATION_OPERATIONS)('the role of the administration’s $operation', (operation) => {
  const role = roles.get(administrationFunction(operation.operation))!;
  const permission = administrationPermission(operation);

  it.each(Object.entries(KINDS))(
    'the role may write rows of the kind %s only if its operation says so',
    (kind, row) => {
      for (const action of WRITES) {
        const given = permission.table?.includes(action) ?? false;
        const own = kindsOf(permission, action).some((one) => row.startsWith(`${one}#`));
        const deletesEvidence = EVIDENCE.includes(kind) && action === 'DeleteItem';
        const consent = action === 'PutItem' ? operation.permission.keepsConsents : operation.permission.reencrypts;
        const changesConsent = kind === 'consent' && consent !== true;
        const putsApproval = kind === 'approval' && action === 'PutItem' && permission.approvals !== 'asks';
        const may = given && own && !deletesEvidence && !changesConsent && !putsApproval;
        expect(allowed(role, asked(action, row)), action).toBe(may);
      }
    },
  );
});

/** Attributes of a row of the audit or of an approval, as shared/table/audit/ writes them. */
const ATTRIBUTES: Readonly<Record<string, readonly string[]>> = {
  'AUDIT#1': ['at', 'who', 'action', 'target', 'reason', 'outcome', 'result', 'v', 'nonce'],
  'APPROVAL#all': [
    ...['approvalId', 'operation', 'about', 'target', 'reason', 'askedBy', 'person', 'state', 'askedAt', 'shownHash'],
    ...['sealed', 'expiresAt', 'v', 'nonce', 'decidedBy', 'decisionMark', 'usedAt', 'usedBy', 'usedMark', 'usedState'],
  ],
};

/** A partition key of each kind of index entry. */
const ENTRIES: Readonly<Record<string, string>> = {
  deliveries: 'DELIVERIES#1',
  records: 'RECORDS#1#producao#2',
  failing: 'FAILING',
  partners: 'PARTNERS',
  sandboxLeads: 'LEADS#1',
  due: 'DUE#erasure',
  pending: 'PENDING#producao#itau#0',
  suspended: 'SUSPENDED#1#producao',
  exhausted: 'EXHAUSTED#producao',
  disabled: 'DISABLED',
};

describe.each(EVERY_STAGE)('the reads of the roles in $stage', ({ roles, table: resource }) => {
  const everything = { Effect: 'Allow', Action: 'dynamodb:*', Resource: [resource, `${resource}/index/*`] } as const;
  const READS = ['GetItem', 'BatchGetItem', 'Query', 'ConditionCheckItem'] as const;
  const services = FUNCTIONS.map(({ operation }) => ({ name: operation, permission: PERMISSIONS[operation] }));
  const administration = ADMINISTRATION_OPERATIONS.map((operation) => ({
    name: administrationFunction(operation.operation),
    permission: administrationPermission(operation),
  }));
  const readers = [...services, ...administration].filter(({ name }) =>
    (roles.get(name) ?? []).some(({ Action }) => READS.some((action) => Action.includes(`dynamodb:${action}`))),
  );
  /** Returns the keys that a role may read by one action, even with a policy that allows everything. */
  const readable = (name: string, action: string, keys: readonly string[], of = resource) =>
    keys.filter((key) => allowed([...(roles.get(name) ?? []), everything], { ...asked(action, key), resource: of }));
  const kindOf = (key: string) => key.split('#')[0] ?? key;

  it('only operations that scan the table may read every kind of rows', () => {
    const wide = readers.filter(({ name }) => readable(name, 'GetItem', ['NEW#1']).length > 0);
    const scanning = ['rewrite-rows', 'retire-service-keys'];
    expect(wide.map(({ name }) => name).sort()).toEqual(scanning.map(administrationFunction).sort());
    expect(wide.filter(({ permission }) => !permission?.table?.includes('Scan'))).toEqual([]);
  });

  it.each(readers)('the role of $name reads only the kinds that its permissions name', ({ name, permission }) => {
    const reads: readonly string[] | 'all' = permission?.reads ?? [];
    const wanted = (keys: readonly string[]) => keys.filter((key) => reads === 'all' || reads.includes(kindOf(key)));
    const rows = Object.values(KINDS);
    const entries = Object.values(ENTRIES);
    for (const action of READS) expect(readable(name, action, rows), action).toEqual(wanted(rows));
    for (const index of ['byList', 'byDue'])
      expect(readable(name, 'Query', entries, `${resource}/index/${index}`), index).toEqual(wanted(entries));
  });

  it.each(readers.filter(({ permission }) => permission?.reads !== 'all'))(
    'the role of $name reads no row of another kind together with its own rows',
    ({ name, permission }) => {
      const [own = 'LEAD'] = permission?.reads ?? [];
      const both = { ...asked('BatchGetItem', `${own}#1`, 'NEW#1'), resource };
      expect(allowed([...(roles.get(name) ?? []), everything], both)).toBe(false);
    },
  );

  it('no function of the service reads the audit or approvals', () => {
    const evidence = ['AUDIT#1', 'AUDIT#service', 'APPROVAL#all'];
    for (const { name } of services.filter((service) => readers.some((reader) => reader.name === service.name)))
      expect(readable(name, 'Query', evidence), name).toEqual([]);
  });
});

describe.each(EVERY_STAGE)('the evidence of the administration in $stage', ({ roles, table: resource }) => {
  /** Returns the attributes of a row that a role may update. */
  const updatable = (role: readonly RoleStatement[], row: string): readonly string[] =>
    (ATTRIBUTES[row] ?? []).filter((name) =>
      allowed(role, { ...asked('UpdateItem', row), resource, attributes: ['pk', 'sk', name] }),
    );
  const operations = ADMINISTRATION_OPERATIONS.map((one: Operation) => ({
    ...one,
    role: roles.get(administrationFunction(one.operation)) ?? [],
  }));
  const deciding = ['approve-approval', 'refuse-approval'];

  it.each(operations)('the role of $operation updates an audit row only by outcome and result', (operation) => {
    expect(updatable(operation.role, 'AUDIT#1')).toEqual(operation.audited ? ['outcome', 'result'] : []);
  });

  it.each(operations)('the role of $operation updates of an approval only what it has to note', (operation) => {
    let expected: readonly string[] = [];
    if (operation.approval !== undefined)
      expected = ['state', 'shownHash', 'expiresAt', 'nonce', 'usedAt', 'usedBy', 'usedMark', 'usedState'];
    if (deciding.includes(operation.operation))
      expected = ['approvalId', 'state', 'askedAt', 'expiresAt', 'decidedBy', 'decisionMark'];
    if (operation.operation === 'rewrite-rows') expected = ['sealed'];
    expect(updatable(operation.role, 'APPROVAL#all')).toEqual(expected);
  });

  it.each(operations)('the role of $operation puts approvals only to ask for one, and never decided', (operation) => {
    const put = { ...asked('PutItem', 'APPROVAL#all'), resource };
    const decided = ['pk', 'sk', 'state', 'decidedBy'];
    expect(allowed(operation.role, { ...put, attributes: ['pk', 'sk', 'state'] })).toBe(
      operation.approval !== undefined,
    );
    expect(allowed(operation.role, { ...put, attributes: decided })).toBe(false);
  });
});

it('only audited operations write the audit, and only some operations write approvals', () => {
  const writersOf = (row: string) =>
    Array.from(roles)
      .filter(([, role]) => WRITES.some((action) => allowed(role, asked(action, row))))
      .map(([operation]) => operation);
  const audited = ADMINISTRATION_OPERATIONS.filter((operation) => operation.audited);
  expect(writersOf('AUDIT#1').sort()).toEqual(audited.map(({ operation }) => administrationFunction(operation)).sort());
  const approving: readonly AdministrationOperation[] = [
    'create-key',
    'rotate-key',
    'export-lead',
    'validate-partner',
    'set-webhook',
    'rotate-webhook-secret',
    'present-unit',
    'enable-webhook',
    'publish-bank-rate',
    'confirm-bank-rate',
    'approve-approval',
    'refuse-approval',
    'rewrite-rows',
  ];
  expect(writersOf('APPROVAL#all').sort()).toEqual(approving.map(administrationFunction).sort());
});

it('only the functions that show, rewrite and retire may read the retired sealing keys', () => {
  const resource = template.secretArn(namesOf(stageValues('dev')).retiredKeysSecret);
  const reading: readonly AdministrationOperation[] = ['show-service-keys', 'rewrite-rows', 'retire-service-keys'];
  const action = 'secretsmanager:GetSecretValue';
  const readers = Array.from(roles).filter(([, role]) => allowed(role, { action, resource, leadingKeys: [] }));
  expect(readers.map(([name]) => name).sort()).toEqual(reading.map(administrationFunction).sort());
});

describe('the topic of tickets', () => {
  const topic = `arn:aws:sns:${REGION}:${ACCOUNT}:${topicNameOf(stageValues('dev'), 'ticket')}`;
  const asking = APPROVABLE.map(({ operation }) => administrationFunction(operation));

  it.each(Array.from(roles.keys()))(
    'the role of %s publishes tickets only if its operation asks for approvals',
    (name) => {
      const publish = { action: 'sns:Publish', resource: topic, leadingKeys: [] };
      expect(allowed(roles.get(name) ?? [], publish)).toBe(asking.includes(name));
      expect(allowed(roles.get(name) ?? [], { ...publish, resource: topic.replace('-ticket', '-page') })).toBe(false);
    },
  );
});
