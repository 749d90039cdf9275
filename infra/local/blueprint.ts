import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';
import type { PolicyStatement } from './aws/iam.ts';
import type { Resolved, Template } from './template.ts';

export interface MethodPlan {
  /** HTTP method, or ANY. */
  readonly method: string;
  /** As API Gateway writes it: `/v1/leads/{id}`. */
  readonly path: string;
  readonly function: string;
  /** Whether the caller has to sign the request by AWS credentials. @default false */
  readonly signed?: boolean | undefined;
}

/** What the gateway says by itself. Header values are `'static'` or `context.<name>`, the body names `$context.<name>`. */
export interface AnswerPlan {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A REST API. */
export interface ApiPlan {
  /** How IAM names it. */
  readonly id: string;
  /** Physical name. */
  readonly name: string;
  readonly stage: string;
  /** A line of the access log, naming `$context.<name>`. */
  readonly accessLog: string;
  readonly methods: readonly MethodPlan[];
  /** By response type. */
  readonly answers: Readonly<Record<string, AnswerPlan>>;
}

export interface TrustStatement {
  readonly Effect: string;
  readonly Action: string;
  readonly Principal: { readonly Federated?: string };
  readonly Condition?: unknown;
}

/**
 * Everything that the local run makes, read off the template. Throws an Error where the template lacks what the service
 * cannot do without.
 */
export function blueprintOf(template: Template) {
  const functions = template.ofType('AWS::Lambda::Function').map((resource) => functionPlan(resource, template));
  const tables = template.ofType('AWS::DynamoDB::GlobalTable');
  const erasureLedger = tables.find(({ properties }) => String(properties['TableName']).endsWith('-erasures'));
  const table = tables.find((one) => one !== erasureLedger);
  const apis = template.ofType('AWS::ApiGateway::RestApi').map((api) => apiPlan(api, template));
  const administration = apis.find(({ name }) => name.endsWith('-administration'));
  const api = apis.find((one) => one !== administration);
  if (!table || !erasureLedger || !administration || !api) throw new Error('the template lacks a table or an API');
  return {
    stage: api.stage,
    functions,
    /** What partners call. */
    api,
    /** What the service's own people call. */
    administration,
    duties: dutiesOf(template),
    signIn: signInPlan(template),
    table: tablePlan(table),
    timeToLive: (table.properties['TimeToLiveSpecification'] as { AttributeName?: string } | undefined)?.AttributeName,
    /** Who was erased. */
    erasureLedger: tablePlan(erasureLedger),
    queues: template.ofType('AWS::SQS::Queue').map(queuePlan),
    sources: template.ofType('AWS::Lambda::EventSourceMapping').map(sourcePlan),
    schedules: template
      .ofType('AWS::Events::Rule')
      .filter(({ properties }) => properties['ScheduleExpression'] !== undefined)
      .flatMap(schedulePlans),
    secrets: template.ofType('AWS::SecretsManager::Secret').map(({ properties }) => {
      const name = text(properties['Name']);
      return { name, arn: template.secretArn(name) };
    }),
  };
}
export type Blueprint = Readonly<ReturnType<typeof blueprintOf>>;
export type SecretPlan = Blueprint['secrets'][number];

function text(value: unknown): string {
  if (typeof value !== 'string') throw new Error(`expected a text, found ${JSON.stringify(value)}`);
  return value;
}

/** The function's name in `name`, `name:alias`, an ARN of either, or an integration's URI around such an ARN. */
export function functionName(reference: string): string {
  const match = /function:([^:/]+)/.exec(reference);
  return match ? match[1]! : reference.split(':')[0]!;
}

function functionPlan({ properties }: Resolved, template: Template) {
  const name = text(properties['FunctionName']);
  const hash = text((properties['Code'] as { S3Key: unknown }).S3Key).replace(/\.zip$/, '');
  const folder = template.assets.get(hash);
  if (!folder) throw new Error(`the code of ${name} is not among the assets`);
  const environment = (properties['Environment'] as { Variables?: Record<string, unknown> } | undefined)?.Variables;
  const variables = Object.fromEntries(Object.entries(environment ?? {}).map(([key, value]) => [key, String(value)]));
  return {
    /** Physical name. */
    name,
    /** What it is called in this project: `create-lead`. */
    operation: variables['OPERATION'] ?? name,
    /** Folder of its bundle. */
    folder,
    /** `<file without extension>.<export>`. */
    handler: text(properties['Handler']),
    /** Milliseconds. */
    timeout: Number(properties['Timeout'] ?? 3) * 1000,
    /** Megabytes. */
    memory: Number(properties['MemorySize'] ?? 128),
    environment: variables,
  };
}
export type FunctionPlan = Readonly<ReturnType<typeof functionPlan>>;

function apiPlan({ id, properties }: Resolved, template: Template): ApiPlan {
  const own = (type: string) => template.ofType(type).filter((one) => one.properties['RestApiId'] === id);
  const [stage] = own('AWS::ApiGateway::Stage');
  if (!stage) throw new Error(`the API ${id} has no stage`);
  return {
    id,
    name: text(properties['Name']),
    stage: text(stage.properties['StageName']),
    accessLog: text((stage.properties['AccessLogSetting'] as { Format: unknown }).Format),
    methods: methodPlans(id, template),
    answers: Object.fromEntries(
      own('AWS::ApiGateway::GatewayResponse').map((one) => [
        text(one.properties['ResponseType']),
        answerPlan(one.properties),
      ]),
    ),
  };
}

/** What each duty of the service's own people may do: the statements of the managed policies, by the duty that ends their names. */
function dutiesOf(template: Template): Readonly<Record<string, readonly PolicyStatement[]>> {
  return Object.fromEntries(
    template.ofType('AWS::IAM::ManagedPolicy').map(({ properties }) => {
      const policy = properties['PolicyDocument'] as { Statement: PolicyStatement[] };
      return [text(properties['ManagedPolicyName']).split('-').at(-1)!, policy.Statement];
    }),
  );
}

/** The sign-in as the template has it; groups by their name, roles by ARN. */
function signInPlan(template: Template) {
  const only = (type: string) => {
    const [found, ...others] = template.ofType(`AWS::Cognito::${type}`);
    if (!found || others.length > 0) throw new Error(`the template has not one ${type}`);
    return found;
  };
  const mappings = Object.values(only('IdentityPoolRoleAttachment').properties['RoleMappings'] as object);
  const { IdentityProvider, Type, AmbiguousRoleResolution } = mappings[0] as Record<string, string>;
  const policies = new Map(template.ofType('AWS::IAM::ManagedPolicy').map(({ id, properties }) => [id, properties]));
  const groups = template
    .ofType('AWS::Cognito::UserPoolGroup')
    .map(({ properties }) => [text(properties['GroupName']), text(properties['RoleArn'])] as const);
  const roles = template.ofType('AWS::IAM::Role').flatMap(({ properties }) => {
    const arn = groups.map(([, role]) => role).find((role) => role.endsWith(`/${properties['RoleName']}`));
    if (arn === undefined) return [];
    const trust = (properties['AssumeRolePolicyDocument'] as { Statement: TrustStatement[] }).Statement;
    const permissions = (properties['ManagedPolicyArns'] as string[]).flatMap(
      (policy) => (policies.get(policy)!['PolicyDocument'] as { Statement: PolicyStatement[] }).Statement,
    );
    return [[arn, { trust, permissions }] as const];
  });
  return {
    pool: only('UserPool').id,
    clientId: only('UserPoolClient').id,
    identityPool: only('IdentityPool').id,
    /** The identity pool's only provider, and how a token is mapped to a role. */
    mapping: { provider: IdentityProvider!, type: Type!, ambiguous: AmbiguousRoleResolution! },
    groups: Object.fromEntries(groups) as Readonly<Record<string, string>>,
    roles: Object.fromEntries(roles) as Readonly<Record<string, (typeof roles)[number][1]>>,
  };
}
export type SignInPlan = Readonly<ReturnType<typeof signInPlan>>;

function methodPlans(api: string, template: Template): MethodPlan[] {
  const resources = new Map(template.ofType('AWS::ApiGateway::Resource').map((resource) => [resource.id, resource]));
  const pathOf = (id: string): string => {
    const resource = resources.get(id);
    if (!resource) return '';
    return `${pathOf(text(resource.properties['ParentId']))}/${text(resource.properties['PathPart'])}`;
  };
  const methods = template
    .ofType('AWS::ApiGateway::Method')
    .filter(({ properties }) => properties['RestApiId'] === api);
  return methods.map(({ properties }) => ({
    method: text(properties['HttpMethod']),
    path: pathOf(text(properties['ResourceId'])) || '/',
    function: functionName(text((properties['Integration'] as { Uri: unknown }).Uri)),
    signed: properties['AuthorizationType'] === 'AWS_IAM',
  }));
}

function answerPlan(properties: Resolved['properties']): AnswerPlan {
  const parameters = (properties['ResponseParameters'] ?? {}) as Record<string, string>;
  const templates = (properties['ResponseTemplates'] ?? {}) as Record<string, string>;
  return {
    status: Number(properties['StatusCode']),
    headers: Object.fromEntries(
      Object.entries(parameters).map(([name, value]) => [name.replace(/^gatewayresponse\.header\./, ''), value]),
    ),
    body: templates['application/json'] ?? '{"message":$context.error.messageString}',
  };
}

function tablePlan({ properties }: Resolved): CreateTableCommandInput {
  type Input = CreateTableCommandInput;
  const indexes = (properties['GlobalSecondaryIndexes'] ?? []) as NonNullable<Input['GlobalSecondaryIndexes']>;
  return {
    TableName: text(properties['TableName']),
    AttributeDefinitions: properties['AttributeDefinitions'] as Input['AttributeDefinitions'],
    KeySchema: properties['KeySchema'] as Input['KeySchema'],
    BillingMode: 'PAY_PER_REQUEST',
    // DynamoDB refuses an empty list.
    ...(indexes.length > 0 && {
      GlobalSecondaryIndexes: indexes.map(({ IndexName, KeySchema, Projection }) => ({
        IndexName,
        KeySchema,
        Projection,
      })),
    }),
  };
}

function queuePlan({ properties }: Resolved) {
  const names = ['VisibilityTimeout', 'MessageRetentionPeriod', 'DelaySeconds', 'ReceiveMessageWaitTimeSeconds'];
  const attributes = Object.fromEntries(
    names.filter((name) => properties[name] !== undefined).map((name) => [name, String(properties[name])]),
  );
  const redrive = properties['RedrivePolicy'];
  return {
    name: text(properties['QueueName']),
    attributes: { ...attributes, ...(redrive !== undefined && { RedrivePolicy: JSON.stringify(redrive) }) },
  };
}
export type QueuePlan = Readonly<ReturnType<typeof queuePlan>>;

function sourcePlan({ properties }: Resolved) {
  const scaling = properties['ScalingConfig'] as { MaximumConcurrency?: number } | undefined;
  const answers = (properties['FunctionResponseTypes'] ?? []) as string[];
  return {
    queueArn: text(properties['EventSourceArn']),
    function: functionName(text(properties['FunctionName'])),
    batchSize: Number(properties['BatchSize'] ?? 10),
    maxConcurrency: Number(scaling?.MaximumConcurrency ?? 2),
    reportsFailures: answers.includes('ReportBatchItemFailures'),
  };
}
export type SourcePlan = Readonly<ReturnType<typeof sourcePlan>>;

const UNITS: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

function schedulePlans({ id, properties }: Resolved) {
  const expression = text(properties['ScheduleExpression']);
  const match = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression);
  if (!match) throw new Error(`the schedule ${expression} cannot be run here`);
  const every = Number(match[1]) * UNITS[match[2]!]!;
  return (properties['Targets'] as { Arn: string; Input?: string }[]).map(({ Arn, Input }) => ({
    id,
    /** Milliseconds between runs. */
    every,
    function: functionName(Arn),
    /** JSON text of the event. */
    input: Input ?? '{}',
  }));
}
export type SchedulePlan = Readonly<ReturnType<typeof schedulePlans>[number]>;
