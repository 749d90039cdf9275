import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';
import * as z from 'zod/mini';
import { days, hours, type Milliseconds, minutes, seconds } from '#shared/domain/values/time.ts';
import { type PolicyStatement, policyStatement } from './aws/iam.ts';
import type { Resolved, Template } from './template.ts';

export interface MethodPlan {
  readonly method: string;
  readonly path: string;
  readonly function: string;
  readonly signed?: boolean | undefined;
}

/** Header values are `'static'` or `context.<name>`. The body uses `$context.<name>`. */
export interface AnswerPlan {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface ApiPlan {
  readonly id: string;
  readonly name: string;
  readonly stage: string;
  readonly accessLog: string;
  readonly methods: readonly MethodPlan[];
  readonly answers: Readonly<Record<string, AnswerPlan>>;
}

const trustStatement = z.object({
  Effect: z.string(),
  Action: z.string(),
  Principal: z.object({ Federated: z.optional(z.string()) }),
  Condition: z.optional(z.unknown()),
});
export type TrustStatement = Readonly<z.infer<typeof trustStatement>>;

// Parsing drops all properties that this file does not read.

const keySchema = z.array(z.object({ AttributeName: z.string(), KeyType: z.enum(['HASH', 'RANGE']) }));
const policyDocument = z.object({ Statement: z.array(policyStatement) });

const FUNCTION = z.object({
  FunctionName: z.string(),
  Code: z.object({ S3Key: z.string() }),
  Environment: z.optional(z.object({ Variables: z.optional(z.record(z.string(), z.unknown())) })),
  Handler: z.string(),
  Timeout: z.optional(z.number()),
  MemorySize: z.optional(z.number()),
});
const TABLE = z.object({
  TableName: z.string(),
  AttributeDefinitions: z.array(z.object({ AttributeName: z.string(), AttributeType: z.enum(['S', 'N', 'B']) })),
  KeySchema: keySchema,
  GlobalSecondaryIndexes: z.optional(
    z.array(
      z.object({
        IndexName: z.string(),
        KeySchema: keySchema,
        Projection: z.object({
          ProjectionType: z.enum(['ALL', 'INCLUDE', 'KEYS_ONLY']),
          NonKeyAttributes: z.optional(z.array(z.string())),
        }),
      }),
    ),
  ),
  TimeToLiveSpecification: z.optional(z.object({ AttributeName: z.optional(z.string()) })),
});
const REST_API = z.object({ Name: z.string() });
const API_STAGE = z.object({
  RestApiId: z.string(),
  StageName: z.string(),
  AccessLogSetting: z.object({ Format: z.string() }),
});
const API_RESOURCE = z.object({ ParentId: z.string(), PathPart: z.string() });
const API_METHOD = z.object({
  RestApiId: z.string(),
  ResourceId: z.string(),
  HttpMethod: z.string(),
  AuthorizationType: z.optional(z.string()),
  Integration: z.object({ Uri: z.string() }),
});
const GATEWAY_RESPONSE = z.object({
  RestApiId: z.string(),
  ResponseType: z.string(),
  StatusCode: z.union([z.string(), z.number()]),
  ResponseParameters: z.optional(z.record(z.string(), z.string())),
  ResponseTemplates: z.optional(z.record(z.string(), z.string())),
});
const MANAGED_POLICY = z.object({ ManagedPolicyName: z.string(), PolicyDocument: policyDocument });
const GROUP_ROLE = z.object({
  AssumeRolePolicyDocument: z.object({ Statement: z.array(trustStatement) }),
  ManagedPolicyArns: z.array(z.string()),
});
const USER_POOL_GROUP = z.object({ GroupName: z.string(), RoleArn: z.string() });
const ROLE_MAPPING = z.object({
  IdentityProvider: z.string(),
  Type: z.string(),
  AmbiguousRoleResolution: z.string(),
});
const ROLE_ATTACHMENT = z.object({ RoleMappings: z.record(z.string(), ROLE_MAPPING) });
const QUEUE = z.object({
  QueueName: z.string(),
  VisibilityTimeout: z.optional(z.number()),
  MessageRetentionPeriod: z.optional(z.number()),
  DelaySeconds: z.optional(z.number()),
  ReceiveMessageWaitTimeSeconds: z.optional(z.number()),
  RedrivePolicy: z.optional(z.unknown()),
});
const EVENT_SOURCE = z.object({
  EventSourceArn: z.string(),
  FunctionName: z.string(),
  BatchSize: z.optional(z.number()),
  ScalingConfig: z.optional(z.object({ MaximumConcurrency: z.optional(z.number()) })),
  FunctionResponseTypes: z.optional(z.array(z.string())),
});
const RULE = z.object({
  ScheduleExpression: z.optional(z.string()),
  Targets: z.optional(
    z.array(
      z.object({
        Arn: z.string(),
        Input: z.optional(z.string()),
        InputTransformer: z.optional(
          z.object({ InputPathsMap: z.record(z.string(), z.string()), InputTemplate: z.string() }),
        ),
      }),
    ),
  ),
});
const SECRET = z.object({ Name: z.string() });

interface Read<Properties> {
  readonly id: string;
  readonly properties: Readonly<Properties>;
}

/** Throws an Error that names the resource and its fault. */
function readResource<Properties>(
  { id, type, properties }: Resolved,
  format: z.ZodMiniType<Properties>,
): Read<Properties> {
  const read = format.safeParse(properties);
  if (!read.success) throw new Error(`${type} ${id} cannot be read:\n${z.prettifyError(read.error)}`);
  return { id, properties: read.data };
}

function resources<Properties>(
  template: Template,
  type: string,
  format: z.ZodMiniType<Properties>,
): Read<Properties>[] {
  return template.ofType(type).map((resource) => readResource(resource, format));
}

/** Throws an Error if the template lacks something that the service needs. */
export function blueprintOf(template: Template) {
  const tables = resources(template, 'AWS::DynamoDB::GlobalTable', TABLE);
  const erasureLedger = tables.find(({ properties }) => properties.TableName.endsWith('-erasures'));
  const table = tables.find((other) => other !== erasureLedger);
  const apis = resources(template, 'AWS::ApiGateway::RestApi', REST_API).map((api) => apiPlan(api, template));
  const administration = apis.find(({ name }) => name.endsWith('-administration'));
  const api = apis.find((other) => other !== administration);
  if (!table || !erasureLedger || !administration || !api) throw new Error('the template lacks a table or an API');
  return {
    stage: api.stage,
    functions: resources(template, 'AWS::Lambda::Function', FUNCTION).map((resource) =>
      functionPlan(resource, template),
    ),
    api,
    administration,
    duties: dutiesOf(template),
    signIn: signInPlan(template),
    table: tablePlan(table),
    timeToLive: table.properties.TimeToLiveSpecification?.AttributeName,
    erasureLedger: tablePlan(erasureLedger),
    queues: resources(template, 'AWS::SQS::Queue', QUEUE).map(queuePlan),
    sources: resources(template, 'AWS::Lambda::EventSourceMapping', EVENT_SOURCE).map(sourcePlan),
    schedules: resources(template, 'AWS::Events::Rule', RULE).flatMap(schedulePlans),
    secrets: resources(template, 'AWS::SecretsManager::Secret', SECRET).map(({ properties: { Name } }) => ({
      name: Name,
      arn: template.secretArn(Name),
    })),
  };
}
export type Blueprint = Readonly<ReturnType<typeof blueprintOf>>;
export type SecretPlan = Blueprint['secrets'][number];

/** Returns the name in `name`, `name:alias`, an ARN of either, or the URI of an integration with such an ARN. */
export function functionName(reference: string): string {
  const [, nameInArn] = /function:([^:/]+)/.exec(reference) ?? [];
  return nameInArn ?? reference.replace(/:.*/, '');
}

function functionPlan({ properties }: Read<z.infer<typeof FUNCTION>>, template: Template) {
  const name = properties.FunctionName;
  const folder = template.assets.get(properties.Code.S3Key.replace(/\.zip$/, ''));
  if (!folder) throw new Error(`the code of ${name} is not among the assets`);
  const environment = Object.entries(properties.Environment?.Variables ?? {});
  const variables = Object.fromEntries(environment.map(([key, value]) => [key, String(value)]));
  return {
    name,
    operation: variables['OPERATION'] ?? name,
    folder,
    /** `<file without extension>.<export>`. */
    handler: properties.Handler,
    timeout: seconds(properties.Timeout ?? 3),
    /** Megabytes. */
    memory: properties.MemorySize ?? 128,
    environment: variables,
  };
}
export type FunctionPlan = Readonly<ReturnType<typeof functionPlan>>;

function apiPlan({ id, properties }: Read<z.infer<typeof REST_API>>, template: Template): ApiPlan {
  const isOwn = ({ properties }: Read<{ RestApiId: string }>) => properties.RestApiId === id;
  const stage = resources(template, 'AWS::ApiGateway::Stage', API_STAGE).find(isOwn);
  if (!stage) throw new Error(`the API ${id} has no stage`);
  const responses = resources(template, 'AWS::ApiGateway::GatewayResponse', GATEWAY_RESPONSE).filter(isOwn);
  return {
    id,
    name: properties.Name,
    stage: stage.properties.StageName,
    accessLog: stage.properties.AccessLogSetting.Format,
    methods: methodPlans(id, template),
    answers: Object.fromEntries(responses.map((response) => [response.properties.ResponseType, answerPlan(response)])),
  };
}

/** The name of a duty's managed policy ends in the duty. */
function dutiesOf(template: Template): Readonly<Record<string, readonly PolicyStatement[]>> {
  return Object.fromEntries(
    resources(template, 'AWS::IAM::ManagedPolicy', MANAGED_POLICY).map(({ properties }) => {
      const name = properties.ManagedPolicyName;
      return [name.slice(name.lastIndexOf('-') + 1), properties.PolicyDocument.Statement];
    }),
  );
}

interface RolePlan {
  readonly trust: readonly TrustStatement[];
  readonly permissions: readonly PolicyStatement[];
}

/** Indexes groups by name, and roles by ARN. */
function signInPlan(template: Template) {
  const only = (type: string) => {
    const [found, ...others] = template.ofType(`AWS::Cognito::${type}`);
    if (!found || others.length > 0) throw new Error(`the template does not have exactly one ${type}`);
    return found;
  };
  const attachment = readResource(only('IdentityPoolRoleAttachment'), ROLE_ATTACHMENT);
  const [mapping] = Object.values(attachment.properties.RoleMappings);
  if (!mapping) throw new Error('the identity pool maps no token to a role');
  const groups: Record<string, string> = {};
  for (const { properties } of resources(template, 'AWS::Cognito::UserPoolGroup', USER_POOL_GROUP)) {
    groups[properties.GroupName] = properties.RoleArn;
  }
  return {
    pool: only('UserPool').id,
    clientId: only('UserPoolClient').id,
    identityPool: only('IdentityPool').id,
    mapping: { provider: mapping.IdentityProvider, type: mapping.Type, ambiguous: mapping.AmbiguousRoleResolution },
    groups,
    roles: rolePlans(template, Object.values(groups)),
  };
}
export type SignInPlan = Readonly<ReturnType<typeof signInPlan>>;

/** Throws an Error if a role names a managed policy that the template does not have. */
function rolePlans(template: Template, arns: readonly string[]): Readonly<Record<string, RolePlan>> {
  const policies = new Map(
    resources(template, 'AWS::IAM::ManagedPolicy', MANAGED_POLICY).map(({ id, properties }) => [id, properties]),
  );
  const plans: Record<string, RolePlan> = {};
  for (const role of template.ofType('AWS::IAM::Role')) {
    const arn = arns.find((candidate) => candidate.endsWith(`/${role.properties['RoleName']}`));
    if (arn === undefined) continue;
    const { AssumeRolePolicyDocument, ManagedPolicyArns } = readResource(role, GROUP_ROLE).properties;
    const permissions = ManagedPolicyArns.flatMap((id) => {
      const policy = policies.get(id);
      if (!policy) throw new Error(`the role ${role.id} names the policy ${id}, which the template does not have`);
      return policy.PolicyDocument.Statement;
    });
    plans[arn] = { trust: AssumeRolePolicyDocument.Statement, permissions };
  }
  return plans;
}

function methodPlans(api: string, template: Template): MethodPlan[] {
  const paths = new Map(
    resources(template, 'AWS::ApiGateway::Resource', API_RESOURCE).map(({ id, properties }) => [id, properties]),
  );
  const pathOf = (id: string): string => {
    const resource = paths.get(id);
    if (!resource) return '';
    return `${pathOf(resource.ParentId)}/${resource.PathPart}`;
  };
  return resources(template, 'AWS::ApiGateway::Method', API_METHOD)
    .filter(({ properties }) => properties.RestApiId === api)
    .map(({ properties }) => ({
      method: properties.HttpMethod,
      path: pathOf(properties.ResourceId) || '/',
      function: functionName(properties.Integration.Uri),
      signed: properties.AuthorizationType === 'AWS_IAM',
    }));
}

function answerPlan({ properties }: Read<z.infer<typeof GATEWAY_RESPONSE>>): AnswerPlan {
  const headers = Object.entries(properties.ResponseParameters ?? {});
  return {
    status: Number(properties.StatusCode),
    headers: Object.fromEntries(
      headers.map(([name, value]) => [name.replace(/^gatewayresponse\.header\./, ''), value]),
    ),
    body: properties.ResponseTemplates?.['application/json'] ?? '{"message":$context.error.messageString}',
  };
}

function tablePlan({ properties }: Read<z.infer<typeof TABLE>>) {
  const indexes = properties.GlobalSecondaryIndexes ?? [];
  return {
    TableName: properties.TableName,
    AttributeDefinitions: properties.AttributeDefinitions,
    KeySchema: properties.KeySchema,
    BillingMode: 'PAY_PER_REQUEST',
    // DynamoDB refuses an empty list.
    GlobalSecondaryIndexes: indexes.length > 0 ? indexes : undefined,
  } as const satisfies CreateTableCommandInput;
}

const QUEUE_ATTRIBUTES = [
  'VisibilityTimeout',
  'MessageRetentionPeriod',
  'DelaySeconds',
  'ReceiveMessageWaitTimeSeconds',
] as const;

function queuePlan({ properties }: Read<z.infer<typeof QUEUE>>) {
  const attributes: Record<string, string> = {};
  for (const name of QUEUE_ATTRIBUTES) {
    const value = properties[name];
    if (value !== undefined) attributes[name] = String(value);
  }
  const { RedrivePolicy } = properties;
  if (RedrivePolicy !== undefined) attributes['RedrivePolicy'] = JSON.stringify(RedrivePolicy);
  return { name: properties.QueueName, attributes };
}
export type QueuePlan = Readonly<ReturnType<typeof queuePlan>>;

function sourcePlan({ properties }: Read<z.infer<typeof EVENT_SOURCE>>) {
  return {
    queueArn: properties.EventSourceArn,
    function: functionName(properties.FunctionName),
    batchSize: properties.BatchSize ?? 10,
    maxConcurrency: properties.ScalingConfig?.MaximumConcurrency ?? 2,
    reportsFailures: properties.FunctionResponseTypes?.includes('ReportBatchItemFailures') ?? false,
  };
}
export type SourcePlan = Readonly<ReturnType<typeof sourcePlan>>;

const RATE_UNITS: ReadonlyMap<string, Milliseconds> = new Map([
  ['minute', minutes(1)],
  ['hour', hours(1)],
  ['day', days(1)],
]);

export interface SchedulePlan {
  readonly id: string;
  readonly every: Milliseconds;
  readonly function: string;
  /** JSON text of the event, with a placeholder `<name>` for each name of `times`. */
  readonly input: string;
  readonly times: readonly string[];
}

/**
 * Returns nothing for a rule without a schedule. Throws an Error if the schedule is not a rate, or if its input uses a
 * part of the event other than the time.
 */
function schedulePlans({ id, properties }: Read<z.infer<typeof RULE>>): SchedulePlan[] {
  const expression = properties.ScheduleExpression;
  if (expression === undefined) return [];
  const [, count, unit = ''] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression) ?? [];
  const length = RATE_UNITS.get(unit);
  if (length === undefined) throw new Error(`the schedule ${expression} cannot be run here`);
  const every = Number(count) * length;
  const targets = properties.Targets ?? [];
  return targets.map(({ Arn, Input = '{}', InputTransformer }) => {
    const paths = Object.entries(InputTransformer?.InputPathsMap ?? {});
    for (const [, path] of paths)
      if (path !== '$.time') throw new Error(`the input path ${path} cannot be filled here`);
    const input = InputTransformer?.InputTemplate ?? Input;
    return { id, every, function: functionName(Arn), input, times: paths.map(([name]) => name) };
  });
}
