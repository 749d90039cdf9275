import { isDeepStrictEqual } from 'node:util';
import type { Resource, Synthesised } from '../makers/synthesised.ts';

/** What AWS can never change about a kind of resource, and whether a release may do without the resource. */
interface Kept {
  /**
   * Properties that AWS changes only by a new resource, or never. From CloudFormation's reference ("Update requires:
   * Replacement"), and for KMS keys and user pools from the descriptions of the properties.
   */
  readonly fixed: readonly string[];
  /** Whether a release may remove the resource. Even then, no other resource may take its name. */
  readonly mayGo?: true;
}

/** Resources that hold data, have an address or a name that others know, or are attached to people's roles. */
const KEPT: Readonly<Record<string, Kept>> = {
  'AWS::DynamoDB::GlobalTable': {
    fixed: ['TableName', 'KeySchema', 'LocalSecondaryIndexes', 'TimeToLiveSpecification'],
  },
  // With a value in the template, CloudFormation would overwrite the one that lives.
  'AWS::SecretsManager::Secret': { fixed: ['Name', 'KmsKeyId', 'GenerateSecretString', 'SecretString'] },
  'AWS::KMS::Key': { fixed: ['Enabled', 'KeySpec', 'KeyUsage', 'MultiRegion', 'Origin'] },
  'AWS::KMS::Alias': { fixed: ['AliasName'] },
  'AWS::Backup::BackupVault': { fixed: ['BackupVaultName', 'EncryptionKeyArn'] },
  'AWS::Backup::BackupSelection': { fixed: [] },
  'AWS::Logs::LogGroup': { fixed: ['LogGroupName'] },
  'AWS::EC2::EIP': { fixed: ['Domain'] },
  'AWS::EC2::NatGateway': { fixed: ['AllocationId'] },
  'AWS::Cognito::UserPool': { fixed: ['UsernameAttributes', 'AliasAttributes', 'UsernameConfiguration', 'Schema'] },
  'AWS::Cognito::UserPoolClient': { fixed: ['GenerateSecret', 'UserPoolId'] },
  'AWS::Cognito::UserPoolDomain': { fixed: ['Domain', 'UserPoolId'] },
  'AWS::Cognito::UserPoolGroup': { fixed: ['GroupName', 'UserPoolId'] },
  // People of another provider, or under another name of it, would be other people.
  'AWS::Cognito::UserPoolIdentityProvider': { fixed: ['ProviderName', 'ProviderType', 'UserPoolId'] },
  'AWS::ApiGateway::RestApi': { fixed: [] },
  'AWS::ApiGateway::DomainName': { fixed: [] },
  'AWS::ApiGateway::Stage': { fixed: ['StageName', 'RestApiId'] },
  'AWS::ApiGateway::BasePathMapping': { fixed: ['DomainName', 'BasePath'] },
  'AWS::SQS::Queue': { fixed: ['QueueName', 'FifoQueue'] },
  'AWS::SNS::Topic': { fixed: ['TopicName', 'FifoTopic'] },
  'AWS::IAM::ManagedPolicy': { fixed: ['ManagedPolicyName', 'Path', 'Description'] },
  'AWS::IAM::Role': { fixed: ['RoleName', 'Path'], mayGo: true },
  'AWS::Lambda::Function': { fixed: ['FunctionName', 'PackageType'], mayGo: true },
};

/** Properties by which a resource has a name of its own. CloudFormation makes a new resource before it removes the old. */
const NAMES = [
  'TableName',
  'Name',
  'AliasName',
  'BackupVaultName',
  'LogGroupName',
  'Domain',
  'QueueName',
  'TopicName',
  'ManagedPolicyName',
  'RoleName',
  'FunctionName',
] as const;

export interface RecordedResource {
  readonly type: string;
  readonly deletionPolicy?: string | undefined;
  /** Properties that can never change. A property that the template does not set is missing. */
  readonly fixed: Readonly<Record<string, unknown>>;
  /** The indexes of a table, by name. */
  readonly indexes?: Indexes;
}

type Indexes = Readonly<
  Record<
    string,
    {
      readonly key: unknown;
      readonly projection: string;
      readonly attributes: readonly string[];
      /** Whether a role may read it. */
      readonly read: boolean;
    }
  >
>;

/** The recorded resources and outputs of a stack. */
export interface RecordedStack {
  readonly resources: Readonly<Record<string, RecordedResource>>;
  /** The names of the outputs, each with the name under which other stacks import it. */
  readonly outputs: Readonly<Record<string, unknown>>;
}

const STACKS = ['data', 'service', 'administration', 'watch'] as const;
export type RecordedStacks = Readonly<Record<(typeof STACKS)[number], RecordedStack>>;

interface Index {
  readonly IndexName: string;
  readonly KeySchema: readonly KeyPart[];
  readonly Projection: { readonly ProjectionType: string; readonly NonKeyAttributes?: readonly string[] };
}

interface KeyPart {
  readonly AttributeName: string;
  readonly KeyType: string;
}
interface Definition {
  readonly AttributeName: string;
  readonly AttributeType: string;
}

interface TableProperties {
  readonly KeySchema: readonly KeyPart[];
  readonly AttributeDefinitions: readonly Definition[];
  readonly GlobalSecondaryIndexes?: readonly Index[];
}

/** Returns a key with the types of its attributes. */
const typed = (key: readonly KeyPart[], definitions: readonly Definition[]) =>
  key.map((part) => ({ ...part, ...definitions.find(({ AttributeName }) => AttributeName === part.AttributeName) }));

/** Returns the indexes by name. The order of projected attributes has no meaning. */
const indexesOf = (indexes: readonly Index[], definitions: readonly Definition[], roles: string): Indexes =>
  Object.fromEntries(
    indexes.map(({ IndexName, KeySchema, Projection: { ProjectionType, NonKeyAttributes = [] } }) => [
      IndexName,
      {
        ...{ key: typed(KeySchema, definitions), projection: ProjectionType, attributes: NonKeyAttributes.toSorted() },
        read: roles.includes(`/index/${IndexName}`),
      },
    ]),
  );

function recordedResource(
  { Type: type, Properties = {}, DeletionPolicy: deletionPolicy }: Resource,
  roles: string,
): RecordedResource {
  const set = KEPT[type]!.fixed.filter((name) => Properties[name] !== undefined);
  const fixed = Object.fromEntries(set.map((name) => [name, Properties[name]]));
  if (type !== 'AWS::DynamoDB::GlobalTable') return { type, deletionPolicy, fixed };
  const { KeySchema, AttributeDefinitions, GlobalSecondaryIndexes = [] } = Properties as unknown as TableProperties;
  return {
    ...{ type, deletionPolicy },
    fixed: { ...fixed, KeySchema: typed(KeySchema, AttributeDefinitions) },
    indexes: indexesOf(GlobalSecondaryIndexes, AttributeDefinitions, roles),
  };
}

/** Returns what of a stage's templates may never change. */
export function recordStacks(stage: Pick<Synthesised, (typeof STACKS)[number]>): RecordedStacks {
  const roles = JSON.stringify([stage.service.toJSON(), stage.administration.toJSON()]);
  const stackOf = (name: (typeof STACKS)[number]): RecordedStack => {
    const { Resources, Outputs = {} } = stage[name].toJSON() as {
      Resources: Record<string, Resource>;
      Outputs?: Record<string, { Export?: { Name: unknown } }>;
    };
    const kept = Object.entries(Resources).filter(([, { Type }]) => Type in KEPT);
    return {
      resources: Object.fromEntries(kept.map(([id, resource]) => [id, recordedResource(resource, roles)])),
      outputs: Object.fromEntries(Object.entries(Outputs).map(([id, output]) => [id, output.Export?.Name ?? null])),
    };
  };
  return {
    data: stackOf('data'),
    service: stackOf('service'),
    administration: stackOf('administration'),
    watch: stackOf('watch'),
  };
}

/**
 * Returns a sentence for each thing in later templates that AWS would refuse in an update from the recorded ones, or by
 * which data or an address would be lost.
 */
export function lossesInStacks(before: RecordedStacks, after: RecordedStacks): string[] {
  return STACKS.flatMap((stack) => {
    const lost = Object.entries(before[stack].resources).flatMap(([id, resource]) =>
      lossesOfResource(id, resource, after[stack].resources).map((sentence) => `${stack} stack: ${sentence}`),
    );
    const outputs = Object.entries(before[stack].outputs).flatMap(([id, name]) => {
      if (!(id in after[stack].outputs)) return [`${stack} stack: the output ${id} was removed`];
      if (isDeepStrictEqual(after[stack].outputs[id], name)) return [];
      return [
        `${stack} stack: the output ${id} has another export name, so that stacks which import it cannot be updated`,
      ];
    });
    return lost.concat(outputs);
  });
}

function lossesOfResource(
  id: string,
  before: RecordedResource,
  all: Readonly<Record<string, RecordedResource>>,
): readonly string[] {
  const what = `${id} (${before.type})`;
  const after = all[id];
  if (after?.type !== before.type) {
    const heir = Object.entries(all).find(([, other]) => other.type === before.type && sharesName(before, other));
    if (heir) return [`${what} is now ${heir[0]}: AWS makes the new one first, and its name is in use`];
    return KEPT[before.type]?.mayGo ? [] : [`${what} was removed or has another logical id: AWS would make a new one`];
  }
  const changed = Array.from(new Set(Object.keys(before.fixed).concat(Object.keys(after.fixed))))
    .filter((name) => !isDeepStrictEqual(before.fixed[name], after.fixed[name]))
    .map((name) => {
      const [was, is] = [before.fixed[name], after.fixed[name]].map((value) => JSON.stringify(value));
      return `${what}: ${name} was ${was}, and is now ${is}: AWS would replace it, or refuse the change`;
    });
  if (before.deletionPolicy !== undefined && after.deletionPolicy !== before.deletionPolicy) {
    changed.push(`${what}: its deletion policy was ${before.deletionPolicy}, and is now ${after.deletionPolicy}`);
  }
  return changed.concat(lossesOfIndexes(what, before.indexes ?? {}, after.indexes ?? {}));
}

const sharesName = (one: RecordedResource, other: RecordedResource): boolean =>
  NAMES.some((name) => one.fixed[name] !== undefined && isDeepStrictEqual(one.fixed[name], other.fixed[name]));

/** An index may be removed in a later release (`faultsOfDeployment`), and never changed. */
function lossesOfIndexes(table: string, before: Indexes, after: Indexes): string[] {
  return Object.entries(before).flatMap(([name, index]) => {
    const now = after[name];
    if (now === undefined || isDeepStrictEqual({ ...now, read: index.read }, index)) return [];
    return [
      `${table}: the index ${name} has another key or projection, which AWS refuses: add an index with a new name`,
    ];
  });
}

/**
 * Returns a sentence for each change of the indexes that one deployment from the last release cannot make: more than one
 * index that is new or gone, or an index that is gone while the last release, which a canary still runs, reads it.
 */
export function faultsOfDeployment(last: RecordedStacks, next: RecordedStacks): string[] {
  return Object.entries(last.data.resources).flatMap(([id, { indexes: before = {} }]) => {
    const after = next.data.resources[id]?.indexes ?? {};
    const added = Object.keys(after).filter((name) => before[name] === undefined);
    const removed = Object.keys(before).filter((name) => after[name] === undefined);
    const faults = removed
      .filter((name) => before[name]?.read)
      .map(
        (name) => `${id}: the index ${name} is gone, and the last release reads it: first release code that does not`,
      );
    const changed = added.concat(removed);
    if (changed.length < 2) return faults;
    return faults.concat(`${id}: ${changed.join(' and ')} change at once, and AWS changes one index in a deployment`);
  });
}
