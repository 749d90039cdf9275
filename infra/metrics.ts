import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { functionNameOf, namesOf, prefixOf, type Stage } from './stages.ts';

/** Namespace of what the functions emit. */
export const NAMESPACE = 'PartnerCredit';

/** What a metric is told apart by, beside `stage`, which every one carries. */
export type Dimension = 'operation' | 'bank' | 'situacao' | 'class' | 'partner' | 'codigo';

/** A metric that the functions emit, always with exactly these dimensions and `stage`. */
export interface MetricRow {
  readonly name: string;
  readonly dimensions: readonly Dimension[];
  /** As CloudWatch spells units. */
  readonly unit: 'Count' | 'Milliseconds' | 'Seconds' | 'None';
  /** What one value stands for, where the name does not say it, and what the metric is for. */
  readonly why: string;
}

/** Every metric of the service. No alarm and no dashboard names another one, and each is shown somewhere. */
export const METRICS = [
  { name: 'Requests', dimensions: ['operation'], unit: 'Count', why: 'Answered calls: service level.' },
  {
    name: 'Latency',
    dimensions: ['operation'],
    unit: 'Milliseconds',
    why: 'Of a call inside the function: service level.',
  },
  { name: 'ServerErrors', dimensions: ['operation'], unit: 'Count', why: 'Calls answered 5xx: service level.' },
  { name: 'ClientErrors', dimensions: ['operation'], unit: 'Count', why: 'Calls answered 4xx: service level.' },
  { name: 'LeadsCreated', dimensions: [], unit: 'Count', why: 'The funnel begins here.' },
  { name: 'LeadsReused', dimensions: [], unit: 'Count', why: 'Leads whose CPF was known already: the funnel.' },
  { name: 'Simulations', dimensions: ['bank'], unit: 'Count', why: 'Simulated offers of a bank: the funnel.' },
  { name: 'AnalysesSubmitted', dimensions: ['bank'], unit: 'Count', why: 'Analyses begun: the funnel.' },
  { name: 'AnalysesConcluded', dimensions: ['bank'], unit: 'Count', why: 'Analyses with an outcome: the funnel ends.' },
  {
    name: 'Outcome',
    dimensions: ['bank', 'situacao'],
    unit: 'Count',
    why: 'Approval mix; all recusado or erro at once is a fault of the mapping or of the bank.',
  },
  { name: 'TimeToOutcome', dimensions: ['bank'], unit: 'Seconds', why: 'From submission to outcome.' },
  {
    name: 'Pending',
    dimensions: ['bank'],
    unit: 'Count',
    why: 'Waiting analyses that a tick met: the young at every tick, older ones at their pace. Each shard emits its part for every bank at every tick, 0 included, so silence is an alarm.',
  },
  {
    name: 'OldestPendingMinutes',
    dimensions: ['bank'],
    unit: 'None',
    why: 'Age of the oldest waiting analysis of production that a tick met: look at an hour, in which each is met; emitted like Pending, 0 where none was met.',
  },
  {
    name: 'AnalysesUnanswerable',
    dimensions: ['bank'],
    unit: 'Count',
    why: 'Waiting analyses of production, met by a tick, for which the operator has no usable answer while it answers for others: someone has to ask it about them.',
  },
  {
    name: 'PollLag',
    dimensions: [],
    unit: 'Seconds',
    why: 'Now minus due time: of each part of the index with something due, the longest wait of what a run asked about or left over. Is the poller behind?',
  },
  { name: 'Polls', dimensions: [], unit: 'Count', why: 'Questions put to the operator.' },
  {
    name: 'PollsWithoutNews',
    dimensions: [],
    unit: 'Count',
    why: 'Questions that changed nothing: what waiting costs.',
  },
  { name: 'PollDuration', dimensions: [], unit: 'Milliseconds', why: 'One tick of one shard, against its 55 s.' },
  {
    name: 'OperatorLatency',
    dimensions: ['bank'],
    unit: 'Milliseconds',
    why: 'One value for each call to the operator, failed ones included: their number is the number of calls.',
  },
  {
    name: 'OperatorErrors',
    dimensions: ['bank'],
    unit: 'Count',
    why: 'Calls to the operator without a usable answer.',
  },
  { name: 'WebhookAttempts', dimensions: [], unit: 'Count', why: 'Attempts made, retries included.' },
  { name: 'WebhookDelivered', dimensions: [], unit: 'Count', why: 'Attempts answered 2xx.' },
  {
    name: 'WebhookFirstTryDelivered',
    dimensions: [],
    unit: 'Count',
    why: 'Events that their first attempt delivered.',
  },
  { name: 'WebhookExhausted', dimensions: [], unit: 'Count', why: 'Events given up after their last attempt.' },
  {
    name: 'WebhookDelay',
    dimensions: [],
    unit: 'Seconds',
    why: "An attempt's start minus its due time: time that we lose, without the waits between retries.",
  },
  { name: 'WebhookFailures', dimensions: ['class'], unit: 'Count', why: 'Failed attempts by what went wrong.' },
  { name: 'EndpointsDisabled', dimensions: [], unit: 'Count', why: 'Webhook addresses that an attempt switched off.' },
  { name: 'DeliveriesSuspended', dimensions: [], unit: 'Count', why: 'Events kept back for switched-off addresses.' },
  { name: 'PartnerRequests', dimensions: ['partner'], unit: 'Count', why: 'Who calls.' },
  { name: 'RateLimited', dimensions: ['partner'], unit: 'Count', why: 'Who is refused by rate.' },
  { name: 'ClientErrorsByCode', dimensions: ['codigo'], unit: 'Count', why: 'What partners get wrong.' },
  { name: 'PartnerWebhookFailures', dimensions: ['partner'], unit: 'Count', why: 'Whose endpoint is ill.' },
  { name: 'SweeperRepairs', dimensions: [], unit: 'Count', why: 'Deliveries that the queue had lost.' },
  { name: 'DeliveriesDue', dimensions: [], unit: 'Count', why: 'Retries sent to the queue since they fell due.' },
  { name: 'IdempotencyReplays', dimensions: [], unit: 'Count', why: 'Answers given again: clients that repeat.' },
  { name: 'IdempotencyConflicts', dimensions: [], unit: 'Count', why: 'One key with two bodies: client bugs.' },
  {
    name: 'IdempotencyInFlight',
    dimensions: [],
    unit: 'Count',
    why: 'Calls that met their own first try: impatient clients.',
  },
  { name: 'IdempotencyResumed', dimensions: [], unit: 'Count', why: 'Work taken up where a crash left it.' },
  { name: 'UnknownStatus', dimensions: ['bank'], unit: 'Count', why: 'Texts of a bank that no rule reads: drift.' },
  { name: 'IgnoredTransition', dimensions: ['bank'], unit: 'Count', why: 'Changes of what is final already: drift.' },
  { name: 'AuthenticationFailures', dimensions: [], unit: 'Count', why: 'Refused keys: a leak or brute force.' },
  {
    name: 'TableCalls',
    dimensions: ['operation'],
    unit: 'Count',
    why: "DynamoDB calls, against the operation's budget.",
  },
  {
    name: 'TableUnits',
    dimensions: ['operation'],
    unit: 'Count',
    why: "Capacity units, against the operation's budget.",
  },
] as const satisfies readonly MetricRow[];

type Row = (typeof METRICS)[number];
export type MetricName = Row['name'];
type DimensionsOf<N extends MetricName> = Extract<Row, { readonly name: N }>['dimensions'][number];
type ValuesOf<N extends MetricName> = Readonly<Record<DimensionsOf<N>, string>>;

/** Values that a dimension takes, as far as they are few and known; they are spelled where the functions have them. */
export const BANKS = ['bradesco', 'itau', 'santander', 'inter', 'brb', 'cashme'] as const;
export const OUTCOMES = ['aprovado', 'condicionado', 'recusado', 'cancelado', 'erro'] as const;

interface Shape {
  /** As CloudWatch writes it: Sum, Maximum, p99. @default Sum */
  readonly statistic?: string;
  /** Minutes. @default 5 */
  readonly minutes?: number;
  readonly label?: string;
}

const shapeOf = ({ statistic = 'Sum', minutes = 5, label }: Shape) => ({
  statistic,
  period: Duration.minutes(minutes),
  ...(label !== undefined && { label }),
});

/** A metric of ours. The values of its dimensions are those that its row names: others do not compile. */
export function ours<N extends MetricName>(stage: Stage, name: N, values: ValuesOf<N>, shape: Shape = {}): Metric {
  return new Metric({
    namespace: NAMESPACE,
    metricName: name,
    dimensionsMap: { stage: stage.name, ...values },
    ...shapeOf(shape),
  });
}

/** One of our metrics, once per bank, named after the bank. */
export function perBank(
  stage: Stage,
  name:
    | 'Simulations'
    | 'AnalysesSubmitted'
    | 'AnalysesConcluded'
    | 'TimeToOutcome'
    | 'Pending'
    | 'OldestPendingMinutes'
    | 'AnalysesUnanswerable'
    | 'OperatorLatency'
    | 'OperatorErrors'
    | 'UnknownStatus'
    | 'IgnoredTransition',
  shape: Shape = {},
): Metric[] {
  return BANKS.map((bank) => ours(stage, name, { bank }, { label: bank, ...shape }));
}

/** All series of a metric of ours with one dimension, whatever its values: for graphs only. */
export function everyOf<N extends MetricName>(stage: Stage, name: N, shape: Shape = {}): IMetric {
  const { dimensions } = METRICS.find((row) => row.name === name)!;
  const { statistic, period } = shapeOf(shape);
  const schema = [NAMESPACE, ...dimensions, 'stage'].join(',');
  return new MathExpression({
    expression: `SEARCH('{${schema}} MetricName="${name}" stage="${stage.name}"', '${statistic}', ${period.toSeconds()})`,
    label: `\${PROP('Dim.${dimensions[0]}')}`,
    period,
    usingMetrics: {},
  });
}

/** The partners with the most of a metric, as a Metrics Insights query: with no limit, a series for each partner. */
export function byPartner(
  stage: Stage,
  name: 'PartnerRequests' | 'RateLimited' | 'PartnerWebhookFailures',
  { limit, minutes = 5 }: { readonly limit?: number; readonly minutes?: number } = {},
): MathExpression {
  return new MathExpression({
    expression: [
      `SELECT SUM(${name}) FROM SCHEMA("${NAMESPACE}", partner, stage)`,
      `WHERE stage = '${stage.name}' GROUP BY partner ORDER BY SUM() DESC`,
      ...(limit === undefined ? [] : [`LIMIT ${limit}`]),
    ].join(' '),
    period: Duration.minutes(minutes),
    usingMetrics: {},
    // In graphs: the partner's id; CDK would show the query.
    ...(limit !== undefined && { label: `\${LABEL}` }),
  });
}

/** Metrics that AWS itself emits about what the stage has made, with the dimensions that they come with. */
export const PLATFORM_METRICS = {
  'AWS/ApiGateway': {
    dimensions: [
      ['ApiName', 'Stage'],
      ['ApiName', 'Method', 'Resource', 'Stage'],
    ],
    names: ['Count', '4XXError', '5XXError', 'Latency'],
  },
  'AWS/Lambda': {
    dimensions: [[], ['FunctionName'], ['FunctionName', 'Resource']],
    names: ['Errors', 'Throttles', 'Duration', 'Invocations', 'ConcurrentExecutions', 'ClaimedAccountConcurrency'],
  },
  'AWS/DynamoDB': {
    dimensions: [['TableName'], ['GlobalSecondaryIndexName', 'TableName'], ['Operation', 'TableName']],
    names: [
      'ReadThrottleEvents',
      'WriteThrottleEvents',
      'SystemErrors',
      'SuccessfulRequestLatency',
      'ConsumedReadCapacityUnits',
      'ConsumedWriteCapacityUnits',
    ],
  },
  'AWS/SQS': {
    dimensions: [['QueueName']],
    names: [
      'ApproximateNumberOfMessagesVisible',
      'ApproximateNumberOfMessagesNotVisible',
      'ApproximateAgeOfOldestMessage',
    ],
  },
  'AWS/WAFV2': {
    dimensions: [['Region', 'Rule', 'WebACL']],
    names: ['BlockedRequests'],
  },
} as const satisfies Readonly<
  Record<string, { readonly dimensions: readonly (readonly string[])[]; readonly names: readonly string[] }>
>;

type PlatformNamespace = keyof typeof PLATFORM_METRICS;
type PlatformName<S extends PlatformNamespace> = (typeof PLATFORM_METRICS)[S]['names'][number];

function platform<S extends PlatformNamespace>(
  namespace: S,
  name: PlatformName<S>,
  dimensions: Readonly<Record<string, string>>,
  shape: Shape,
): Metric {
  return new Metric({ namespace, metricName: name, dimensionsMap: { ...dimensions }, ...shapeOf(shape) });
}

/** Of the gateway as a whole, or of one route. */
export function gatewayMetric(
  stage: Stage,
  name: PlatformName<'AWS/ApiGateway'>,
  shape: Shape = {},
  route?: { readonly method: string; readonly path: string },
): Metric {
  const whole = { ApiName: prefixOf(stage), Stage: stage.name };
  return platform(
    'AWS/ApiGateway',
    name,
    route ? { ...whole, Method: route.method, Resource: route.path } : whole,
    shape,
  );
}

/** Of an operation's function; of all functions of the account, in all stages, where none is named. */
export function functionMetric(
  stage: Stage,
  name: PlatformName<'AWS/Lambda'>,
  operation: string | undefined,
  shape: Shape = {},
): Metric {
  return platform('AWS/Lambda', name, operation ? { FunctionName: functionNameOf(stage, operation) } : {}, shape);
}

/** Of what callers of an operation reach: its alias, over all versions that it leads to. */
export function liveMetric(
  stage: Stage,
  name: PlatformName<'AWS/Lambda'>,
  operation: string,
  shape: Shape = {},
): Metric {
  const FunctionName = functionNameOf(stage, operation);
  return platform('AWS/Lambda', name, { FunctionName, Resource: `${FunctionName}:live` }, shape);
}

/** Of the table, of one of its indexes, or of one kind of call on it. */
export function tableMetric(
  stage: Stage,
  name: PlatformName<'AWS/DynamoDB'>,
  of: { readonly index?: string; readonly call?: string } = {},
  shape: Shape = {},
): Metric {
  return platform(
    'AWS/DynamoDB',
    name,
    {
      TableName: namesOf(stage).table,
      ...(of.index !== undefined && { GlobalSecondaryIndexName: of.index }),
      ...(of.call !== undefined && { Operation: of.call }),
    },
    shape,
  );
}

/** Of the delivery queue or of its dead letters. */
export function queueMetric(
  stage: Stage,
  queue: 'deliveryQueue' | 'deadLetterQueue',
  name: PlatformName<'AWS/SQS'>,
  shape: Shape = {},
): Metric {
  return platform('AWS/SQS', name, { QueueName: namesOf(stage)[queue] }, shape);
}

/** Calls that a rule of the web firewall blocked. */
export function firewallMetric(stage: Stage, rule: string, shape: Shape = {}): Metric {
  const dimensions = { WebACL: prefixOf(stage), Region: stage.region, Rule: rule };
  return platform('AWS/WAFV2', 'BlockedRequests', dimensions, { label: rule, ...shape });
}

/** Metric math. `metrics` are named as the expression names them. */
export function math(
  expression: string,
  metrics: Readonly<Record<string, IMetric>>,
  { minutes = 5, label }: Omit<Shape, 'statistic'> = {},
): MathExpression {
  return new MathExpression({
    expression,
    usingMetrics: { ...metrics },
    period: Duration.minutes(minutes),
    ...(label !== undefined && { label }),
  });
}
