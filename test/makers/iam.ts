import { covers, type PolicyStatement } from '#infra/local/aws/iam.ts';
import { type Blueprint, functionName } from '#infra/local/blueprint.ts';
import { ACCOUNT, REGION, Template } from '#infra/local/template.ts';
import type { Access as Recorded } from './accesses.ts';
import { type Synthesised, variables } from './synthesised.ts';
import type { WholeService } from './whole-service.ts';

/** A statement of a function's role, with references resolved. */
export type RoleStatement = PolicyStatement;

/** An access, and in `via` the AWS service that asks in the function's name, if another service asks. */
export type RoleAccess = Omit<Recorded, 'caller'> & { readonly via?: string };

/** Returns the statements of each function's role, by operation. */
export function rolesOf(
  template: Template,
  { functions }: { readonly functions: readonly Pick<Blueprint['functions'][number], 'name' | 'operation'>[] },
): Map<string, RoleStatement[]> {
  const roles = new Map(template.ofType('AWS::IAM::Role').map((role) => [role.id, role.properties]));
  return new Map(
    template.ofType('AWS::Lambda::Function').map(({ properties }) => {
      const role = roles.get(String(properties['Role']).split('/').at(-1)!)!;
      if (role['ManagedPolicyArns']) throw new Error('this check does not read managed policies');
      const policies = role['Policies'] as { PolicyDocument: { Statement: RoleStatement[] } }[];
      const { operation } = functions.find(({ name }) => name === properties['FunctionName'])!;
      return [operation, policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement)];
    }),
  );
}

/** Returns the roles of all stacks of a stage, as `rolesOf` does, and the ARN of its table. */
export function rolesOfStage(stage: Synthesised): { roles: Map<string, RoleStatement[]>; table: string } {
  const stacks = [stage.data, stage.service, stage.administration].map((stack, index) => ({
    name: `stack ${index}`,
    template: stack.toJSON(),
    assets: new Map<string, string>(),
  }));
  const template = new Template(stacks, 'http://127.0.0.1:9');
  const functions = template.ofType('AWS::Lambda::Function').map(({ properties }) => ({
    name: String(properties['FunctionName']),
    operation: String(variables(properties)['OPERATION']),
  }));
  const [table] = template.ofType('AWS::DynamoDB::GlobalTable').map(({ properties }) => properties['TableName']);
  return {
    roles: rolesOf(template, { functions }),
    table: `arn:aws:dynamodb:${REGION}:${ACCOUNT}:table/${String(table)}`,
  };
}

const listOf = (value: string | readonly string[]): readonly string[] => [value].flat();

/**
 * Whether a statement's action or resource is too wide. KMS has pairs of actions such as `kms:ReEncrypt*`, and
 * DynamoDB uses both of a pair.
 */
const isTooWide = (action: string, resource: string) =>
  (action.includes('*') && !/^kms:\w+\*$/.test(action)) || resource === '*';

/** Returns what a role allows although no access needs it, or allows by too wide a pattern, as `action on resource`. */
export function unusedPermissions(statements: readonly RoleStatement[], accesses: readonly RoleAccess[]): string[] {
  return statements
    .filter(({ Effect }) => Effect === 'Allow')
    .flatMap((statement) =>
      listOf(statement.Action).flatMap((action) =>
        listOf(statement.Resource)
          .filter(
            (resource) =>
              isTooWide(action, resource) || !accesses.some((asked) => covers(action, resource, statement, asked)),
          )
          .map((resource) => `${action} on ${resource}`),
      ),
    );
}

const WRITING = /:(Put|Update|Delete)Item$/;
const READING = /:(GetItem|BatchGetItem|Query|ConditionCheckItem)$/;

/** Returns those of the kinds that no access with such an action touches. */
function untouchedKinds(kinds: readonly string[], accesses: readonly RoleAccess[], actions: RegExp): string[] {
  const touching = accesses.filter(({ action }) => actions.test(action));
  const touched = new Set(touching.flatMap(({ leadingKeys }) => leadingKeys).map((key) => key.split('#')[0]));
  return kinds.filter((kind) => !touched.has(kind));
}

/** Returns the kinds of rows that a role may write although no access writes them. */
export const idleKinds = (
  writes: readonly string[],
  accesses: readonly RoleAccess[],
  actions: RegExp = WRITING,
): string[] => untouchedKinds(writes, accesses, actions);

/** Returns the kinds of rows and index entries that a role may read although no access reads or checks them. */
export const idleReads = (reads: readonly string[] | 'all', accesses: readonly RoleAccess[]): string[] =>
  reads === 'all' ? [] : untouchedKinds(reads, accesses, READING);

const TABLE_KEY_ACTIONS =
  'Encrypt Decrypt ReEncryptFrom ReEncryptTo GenerateDataKey GenerateDataKeyWithoutPlaintext DescribeKey'.split(' ');
const SOURCE_ACTIONS = ['ReceiveMessage', 'DeleteMessage', 'ChangeMessageVisibility', 'GetQueueAttributes'];

const accessTo = (action: string, resource: string): RoleAccess => ({ action, resource, leadingKeys: [] });

/**
 * Returns what AWS asks for in a function's name without a request that could be recorded: the KMS keys of table and
 * secrets, the messages of its queue and its log. Source: AWS's documentation of each service.
 */
function implied(
  template: Template,
  { sources }: Pick<Blueprint, 'sources'>,
  name: string,
  accesses: readonly RoleAccess[],
): RoleAccess[] {
  const propertiesOfType = (type: string) => template.ofType(type).map(({ properties }) => properties);
  const takesAction = (wanted: string) => accesses.some(({ action }) => action === wanted);
  const usesService = (service: string) => accesses.some(({ action }) => action.startsWith(`${service}:`));
  const viaService = (service: string, key: unknown, actions: readonly string[]): RoleAccess[] =>
    usesService(service)
      ? actions.map((action) => ({
          ...accessTo(`kms:${action}`, String(key)),
          via: `${service}.${REGION}.amazonaws.com`,
        }))
      : [];
  const [thisFunction] = propertiesOfType('AWS::Lambda::Function').filter(({ FunctionName }) => FunctionName === name);
  const [table] = propertiesOfType('AWS::DynamoDB::GlobalTable') as {
    Replicas: { SSESpecification: { KMSMasterKeyId: string } }[];
  }[];
  const [secret] = propertiesOfType('AWS::SecretsManager::Secret');
  const group = (thisFunction!['LoggingConfig'] as { LogGroup: string }).LogGroup;
  return [
    ...['CreateLogStream', 'PutLogEvents'].map((action) =>
      accessTo(`logs:${action}`, `arn:aws:logs:${REGION}:000000000000:log-group:${group}:log-stream:any`),
    ),
    ...viaService('dynamodb', table!.Replicas[0]!.SSESpecification.KMSMasterKeyId, TABLE_KEY_ACTIONS),
    ...viaService('secretsmanager', secret!['KmsKeyId'], [
      ...(takesAction('secretsmanager:GetSecretValue') || takesAction('secretsmanager:PutSecretValue')
        ? ['Decrypt']
        : []),
      ...(takesAction('secretsmanager:PutSecretValue') ? ['GenerateDataKey'] : []),
    ]),
    ...sources
      .filter((source) => functionName(source.function) === name)
      .flatMap(({ queueArn }) => SOURCE_ACTIONS.map((action) => accessTo(`sqs:${action}`, queueArn))),
  ];
}

/** Returns everything that a function has asked AWS for, and what AWS asks for in its name. */
export function accessesOfFunction(
  { accesses, template, peers: { blueprint } }: Pick<WholeService, 'accesses' | 'template' | 'peers'>,
  operation: string,
): RoleAccess[] {
  const recorded = accesses.filter(({ caller }) => caller === operation);
  const { name } = blueprint.functions.find((plan) => plan.operation === operation)!;
  return [...recorded, ...implied(template, blueprint, name, recorded)];
}
