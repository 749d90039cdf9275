import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';
import type { PolicyStatement } from './aws/iam.ts';
import type { Resolved, Template } from './template.ts';

/** A function as the template describes it. */
export interface FunctionPlan {
  /** Physical name. */
  readonly name: string;
  /** What it is called in this project: `create-lead`. */
  readonly operation: string;
  /** Folder of its bundle. */
  readonly folder: string;
  /** `<file without extension>.<export>`. */
  readonly handler: string;
  /** Milliseconds. */
  readonly timeout: number;
  /** Megabytes. */
  readonly memory: number;
  readonly environment: Readonly<Record<string, string>>;
}

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

export interface QueuePlan {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
}

export interface SourcePlan {
  readonly queueArn: string;
  readonly function: string;
  readonly batchSize: number;
  readonly maxConcurrency: number;
  readonly reportsFailures: boolean;
}

export interface SchedulePlan {
  readonly id: string;
  /** Milliseconds between runs. */
  readonly every: number;
  readonly function: string;
  /** JSON text of the event. */
  readonly input: string;
}

export interface SecretPlan {
  readonly name: string;
  readonly arn: string;
}

/** Everything that the local run makes, read off the template. */
export interface Blueprint {
  readonly stage: string;
  readonly functions: readonly FunctionPlan[];
  /** What partners call. */
  readonly api: ApiPlan;
  /** What the service's own people call. */
  readonly administration: ApiPlan;
  /** What each duty of these people may do. */
  readonly duties: Readonly<Record<string, readonly PolicyStatement[]>>;
  readonly table: CreateTableCommandInput;
  readonly timeToLive: string | undefined;
  /** Who was erased. */
  readonly erasureLedger: CreateTableCommandInput;
  readonly queues: readonly QueuePlan[];
  readonly sources: readonly SourcePlan[];
  readonly schedules: readonly SchedulePlan[];
  readonly secrets: readonly SecretPlan[];
}

/** The plan of a template. Throws an Error where the template lacks what the service cannot do without. */
export function blueprintOf(template: Template): Blueprint {
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
    api,
    administration,
    duties: dutiesOf(template),
    table: tablePlan(table),
    timeToLive: (table.properties['TimeToLiveSpecification'] as { AttributeName?: string } | undefined)?.AttributeName,
    erasureLedger: tablePlan(erasureLedger),
    queues: template.ofType('AWS::SQS::Queue').map(queuePlan),
    sources: template.ofType('AWS::Lambda::EventSourceMapping').map(({ properties }) => ({
      queueArn: text(properties['EventSourceArn']),
      function: functionName(text(properties['FunctionName'])),
      batchSize: Number(properties['BatchSize'] ?? 10),
      maxConcurrency: Number(
        (properties['ScalingConfig'] as { MaximumConcurrency?: number } | undefined)?.MaximumConcurrency ?? 2,
      ),
      reportsFailures: ((properties['FunctionResponseTypes'] ?? []) as string[]).includes('ReportBatchItemFailures'),
    })),
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

function text(value: unknown): string {
  if (typeof value !== 'string') throw new Error(`expected a text, found ${JSON.stringify(value)}`);
  return value;
}

/** The function's name in `name`, `name:alias`, an ARN of either, or an integration's URI around such an ARN. */
export function functionName(reference: string): string {
  const match = /function:([^:/]+)/.exec(reference);
  return match ? match[1]! : reference.split(':')[0]!;
}

function functionPlan({ properties }: Resolved, template: Template): FunctionPlan {
  const name = text(properties['FunctionName']);
  const hash = text((properties['Code'] as { S3Key: unknown }).S3Key).replace(/\.zip$/, '');
  const folder = template.assets.get(hash);
  if (!folder) throw new Error(`the code of ${name} is not among the assets`);
  const environment = (properties['Environment'] as { Variables?: Record<string, unknown> } | undefined)?.Variables;
  const variables = Object.fromEntries(Object.entries(environment ?? {}).map(([key, value]) => [key, String(value)]));
  return {
    name,
    operation: variables['OPERATION'] ?? name,
    folder,
    handler: text(properties['Handler']),
    timeout: Number(properties['Timeout'] ?? 3) * 1000,
    memory: Number(properties['MemorySize'] ?? 128),
    environment: variables,
  };
}

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

/** The statements of the managed policies, by the duty that ends their names. */
function dutiesOf(template: Template): Blueprint['duties'] {
  return Object.fromEntries(
    template.ofType('AWS::IAM::ManagedPolicy').map(({ properties }) => {
      const policy = properties['PolicyDocument'] as { Statement: PolicyStatement[] };
      return [text(properties['ManagedPolicyName']).split('-').at(-1)!, policy.Statement];
    }),
  );
}

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

function queuePlan({ properties }: Resolved): QueuePlan {
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

const UNITS: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

function schedulePlans({ id, properties }: Resolved): SchedulePlan[] {
  const expression = text(properties['ScheduleExpression']);
  const match = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression);
  if (!match) throw new Error(`the schedule ${expression} cannot be run here`);
  const every = Number(match[1]) * UNITS[match[2]!]!;
  return (properties['Targets'] as { Arn: string; Input?: string }[]).map(({ Arn, Input }) => ({
    id,
    every,
    function: functionName(Arn),
    input: Input ?? '{}',
  }));
}
