import { describe, expect, it } from 'vitest';
import { everythingOn, type Resource, Synthesised } from '../makers/synthesised.ts';

/** The share of a quota from which a test is red, so that there is time to change something. */
const NEAR = 0.95;

/** Part of a quota that one resource, or one stack, uses. */
interface Use {
  readonly name: string;
  readonly count: number;
}

interface Quota {
  readonly what: string;
  readonly limit: number;
  /** Returns the uses in one stack. */
  readonly uses: (resources: readonly [string, Resource][], stack: object) => readonly Use[];
}

const STAGES = { dev: Synthesised.of('dev'), prod: Synthesised.of('prod'), 'prod with everything on': everythingOn() };

/** Returns a value of a template as CloudFormation resolves it. References become texts as long as the real ones. */
function resolved(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(resolved);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const [key, inner] = entries[0] ?? [];
  if (entries.length === 1 && key === 'Ref') return inner === 'AWS::AccountId' ? '111122223333' : '0123456789';
  if (entries.length === 1 && key === 'Fn::Join') return (resolved(inner[1]) as string[]).join(inner[0]);
  // The longest ARN here is that of a secret, a table or a log group.
  if (entries.length === 1 && (key === 'Fn::GetAtt' || key === 'Fn::ImportValue')) return ARN;
  return Object.fromEntries(entries.map(([name, part]) => [name, resolved(part)]));
}
const ARN = `arn:aws:service:sa-east-1:111122223333:${'x'.repeat(60)}`;

/** IAM counts no white space outside of texts. */
const lengthOf = (value: unknown): number => JSON.stringify(resolved(value)).length;

/** Returns the uses of the resources of one type. */
const eachOf =
  (type: string, count: (properties: Record<string, unknown>) => number) =>
  (resources: readonly [string, Resource][]) =>
    resources
      .filter(([, { Type }]) => Type === type)
      .map(([name, { Properties = {} }]) => ({ name, count: count(Properties) }));

/** The parts of a list's entries that are counted here. */
interface Entry {
  readonly PolicyDocument?: unknown;
  readonly Projection?: { readonly NonKeyAttributes?: unknown };
}

const listOf = (value: unknown): readonly Entry[] => (Array.isArray(value) ? value : []);
const listLength = (value: unknown): number => (Array.isArray(value) ? value.length : 0);
const only = (count: number): readonly Use[] => [{ name: 'the stack', count }];

/** Returns a statement as Lambda writes it into a function's policy. */
const statementOf = (id: string, { Action, Principal, SourceArn }: Record<string, unknown>) => ({
  Sid: `partner-credit-staging-service-${id}-${'X'.repeat(12)}`,
  Effect: 'Allow',
  Principal: { Service: Principal },
  Action,
  Resource: ARN,
  Condition: { ArnLike: { 'AWS:SourceArn': SourceArn } },
});

const QUOTAS: readonly Quota[] = [
  {
    what: 'characters of a managed policy',
    limit: 6144,
    uses: eachOf('AWS::IAM::ManagedPolicy', ({ PolicyDocument }) => lengthOf(PolicyDocument)),
  },
  {
    what: 'characters of all inline policies of a role',
    limit: 10_240,
    uses: eachOf('AWS::IAM::Role', ({ Policies }) =>
      listOf(Policies).reduce<number>((sum, policy) => sum + lengthOf(policy.PolicyDocument), 0),
    ),
  },
  {
    what: 'log groups of a query of Logs Insights',
    limit: 50,
    uses: eachOf('AWS::Logs::QueryDefinition', ({ LogGroupNames }) => listLength(LogGroupNames)),
  },
  { what: 'resources of a stack', limit: 500, uses: (resources) => only(resources.length) },
  {
    what: 'outputs of a stack',
    limit: 200,
    uses: (_, stack) => only(Object.keys(('Outputs' in stack && stack.Outputs) || {}).length),
  },
  // As CDK writes the file.
  {
    what: 'bytes of a template',
    limit: 1_048_576,
    uses: (_, stack) => only(Buffer.byteLength(JSON.stringify(stack, undefined, 1))),
  },
  {
    what: 'bytes of the policy of a function or alias',
    limit: 20_480,
    uses: (resources) => {
      const sizes = new Map<string, number>();
      for (const [id, { Type, Properties }] of resources) {
        if (Type !== 'AWS::Lambda::Permission') continue;
        const name = JSON.stringify(Properties['FunctionName']);
        sizes.set(name, (sizes.get(name) ?? 0) + lengthOf(statementOf(id, Properties)));
      }
      return Array.from(sizes, ([name, count]) => ({ name, count }));
    },
  },
  {
    what: 'alarms of a composite alarm',
    limit: 100,
    uses: eachOf('AWS::CloudWatch::CompositeAlarm', ({ AlarmRule }) => {
      return String(resolved(AlarmRule)).match(/ALARM\(/g)?.length ?? 0;
    }),
  },
  {
    what: 'characters of the rule of a composite alarm',
    limit: 10_240,
    uses: eachOf('AWS::CloudWatch::CompositeAlarm', ({ AlarmRule }) => lengthOf(AlarmRule)),
  },
  {
    what: 'bytes of the environment of a function',
    limit: 4096,
    uses: eachOf('AWS::Lambda::Function', ({ Environment = {} }) => lengthOf(Environment)),
  },
  {
    what: 'global secondary indexes of a table',
    limit: 20,
    uses: eachOf('AWS::DynamoDB::GlobalTable', ({ GlobalSecondaryIndexes }) => listLength(GlobalSecondaryIndexes)),
  },
  {
    what: 'attributes that the indexes of a table project',
    limit: 100,
    uses: eachOf('AWS::DynamoDB::GlobalTable', ({ GlobalSecondaryIndexes }) =>
      listOf(GlobalSecondaryIndexes).reduce<number>(
        (sum, { Projection }) => sum + listLength(Projection?.NonKeyAttributes),
        0,
      ),
    ),
  },
  {
    what: 'paths of an API',
    limit: 300,
    uses: (resources) => only(resources.filter(([, { Type }]) => Type === 'AWS::ApiGateway::Resource').length),
  },
  {
    what: 'characters of the resource policy of an API',
    limit: 8192,
    uses: eachOf('AWS::ApiGateway::RestApi', ({ Policy = {} }) => lengthOf(Policy)),
  },
  {
    what: 'characters of the policy of a key',
    limit: 32_768,
    uses: eachOf('AWS::KMS::Key', ({ KeyPolicy }) => lengthOf(KeyPolicy)),
  },
  {
    what: 'characters of the policy of a secret',
    limit: 20_480,
    uses: eachOf('AWS::SecretsManager::ResourcePolicy', ({ ResourcePolicy }) => lengthOf(ResourcePolicy)),
  },
  {
    what: 'widgets of a dashboard',
    limit: 500,
    uses: eachOf('AWS::CloudWatch::Dashboard', ({ DashboardBody }) => {
      return String(resolved(DashboardBody)).match(/"properties":/g)?.length ?? 0;
    }),
  },
];

/** Returns what all stages use of a quota, the largest use first. */
function usesOf({ uses }: Quota): readonly Use[] {
  const all = Object.entries(STAGES).flatMap(([stage, { data, service, administration, watch }]) =>
    [data, service, administration, watch].flatMap((template) => {
      const stack = template.toJSON();
      const resources: [string, Resource][] = Object.entries(stack['Resources']);
      return uses(resources, stack).map(({ name, count }) => ({ name: `${name} of ${stage}`, count }));
    }),
  );
  return all.sort((a, b) => b.count - a.count);
}

describe('quotas of AWS', () => {
  it.each(QUOTAS)('no resource of any stage uses 95 % of its quota of $what', (quota) => {
    const near = usesOf(quota).filter(({ count }) => count >= quota.limit * NEAR);
    expect(near.map(({ name, count }) => `${name}: ${count} of ${quota.limit}`)).toEqual([]);
  });

  it.each(QUOTAS)('the templates have something that counts for the quota of $what', (quota) => {
    expect(usesOf(quota)[0]?.count ?? 0).toBeGreaterThan(0);
  });
});
