import { type DimensionOf, METRICS, type MetricBy, type MetricName, NAMESPACE } from '../shared/runtime/metrics.ts';
import type { Formula } from './formula.ts';
import { functionNameOf, namesOf, prefixOf, type Stage } from './stages.ts';

interface Shape {
  /** As CloudWatch writes it: Sum, Maximum, p99. @default Sum */
  readonly statistic?: string;
  /** Minutes of a point. @default 5 */
  readonly minutes?: number;
}

/** A metric with a value for each of its dimensions. */
export interface MetricSeries extends Required<Shape> {
  readonly kind: 'metric';
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Readonly<Record<string, string>>;
}

/** A formula over metrics, which it calls by the names that they have in `of`. */
export interface MathSeries {
  readonly kind: 'math';
  readonly formula: Formula;
  readonly of: Readonly<Record<string, MetricSeries>>;
  readonly minutes: number;
  readonly label?: string;
}

/** All series of a metric of ours with one dimension, whatever its values: for graphs alone. */
export interface EverySeries extends Required<Shape> {
  readonly kind: 'every';
  readonly name: MetricName;
  readonly by: string;
  readonly stage: string;
}

/** The series of a metric by partner, the largest sums first. */
export interface PartnerSeries {
  readonly kind: 'partners';
  readonly name: MetricBy<'partner'>;
  readonly stage: string;
  /** @default all of them */
  readonly limit?: number;
  readonly minutes: number;
}

/** What an alarm watches or a graph draws. */
export type Series = MetricSeries | MathSeries | EverySeries | PartnerSeries;

/** Metrics that AWS itself emits about what the stage has made. */
export const PLATFORM_METRICS = {
  'AWS/ApiGateway': ['Count', '4XXError', '5XXError', 'Latency'],
  'AWS/Lambda': ['Errors', 'Throttles', 'Duration', 'Invocations', 'ConcurrentExecutions', 'ClaimedAccountConcurrency'],
  'AWS/DynamoDB': [
    'ReadThrottleEvents',
    'WriteThrottleEvents',
    'SystemErrors',
    'SuccessfulRequestLatency',
    'ConsumedReadCapacityUnits',
    'ConsumedWriteCapacityUnits',
  ],
  'AWS/SQS': [
    'ApproximateNumberOfMessagesVisible',
    'ApproximateNumberOfMessagesNotVisible',
    'ApproximateAgeOfOldestMessage',
  ],
  'AWS/WAFV2': ['BlockedRequests'],
} as const;
type PlatformName<S extends keyof typeof PLATFORM_METRICS> = (typeof PLATFORM_METRICS)[S][number];

/** Values that a dimension takes, as far as they are few and known: a test compares them with the domain's. */
export const BANKS = ['bradesco', 'itau', 'santander', 'inter', 'brb', 'cashme'] as const;
export const OUTCOMES = ['aprovado', 'condicionado', 'recusado', 'cancelado', 'erro'] as const;

/** Rules of the web firewall, in the order in which a call meets them; also the names of their metrics. */
export const FIREWALL_RULES = ['rate-per-address', 'common', 'known-bad-inputs'] as const;

/** The series of a stage, by what emits them. */
export function metricsOf(stage: Stage) {
  const metric = (
    namespace: string,
    name: string,
    dimensions: MetricSeries['dimensions'],
    { statistic = 'Sum', minutes = 5 }: Shape = {},
  ): MetricSeries => ({ kind: 'metric', namespace, name, dimensions, statistic, minutes });
  const api = { ApiName: prefixOf(stage), Stage: stage.name };
  const FunctionName = (operation: string) => functionNameOf(stage, operation);

  /** A metric of ours. The values of its dimensions are those of its row in the catalogue: others do not compile. */
  const own = <N extends MetricName>(name: N, values: Readonly<Record<DimensionOf<N>, string>>, shape?: Shape) =>
    metric(NAMESPACE, name, { stage: stage.name, ...values }, shape);

  return {
    own,
    /** One of our metrics for each bank, under its name. */
    perBank: (name: MetricBy<'bank'>, shape?: Shape) => named(BANKS, (bank) => own(name, { bank }, shape)),
    /** All series of one of our metrics that has one dimension. */
    every: (
      name: MetricBy<'operation'> | MetricBy<'codigo'> | MetricBy<'class'>,
      { statistic = 'Sum', minutes = 5 }: Shape = {},
    ): EverySeries => ({ kind: 'every', name, by: METRICS[name].by[0], stage: stage.name, statistic, minutes }),
    byPartner: (
      name: MetricBy<'partner'>,
      { limit, minutes = 5 }: { readonly limit?: number; readonly minutes?: number },
    ): PartnerSeries => ({ kind: 'partners', name, stage: stage.name, minutes, ...(limit && { limit }) }),
    /** Of the gateway as a whole. */
    gateway: (name: PlatformName<'AWS/ApiGateway'>, shape?: Shape) => metric('AWS/ApiGateway', name, api, shape),
    /** Of one route of the gateway. */
    route: (
      name: PlatformName<'AWS/ApiGateway'>,
      { method, path }: { readonly method: string; readonly path: string },
      shape?: Shape,
    ) => metric('AWS/ApiGateway', name, { ...api, Method: method, Resource: path }, shape),
    /** Of all functions of the account, in all stages. */
    account: (name: PlatformName<'AWS/Lambda'>, shape?: Shape) => metric('AWS/Lambda', name, {}, shape),
    /** Of an operation's function. */
    lambda: (name: PlatformName<'AWS/Lambda'>, operation: string, shape?: Shape) =>
      metric('AWS/Lambda', name, { FunctionName: FunctionName(operation) }, shape),
    /** Of what callers of an operation reach: its alias, over all versions that it leads to. */
    live: (name: PlatformName<'AWS/Lambda'>, operation: string, shape?: Shape) =>
      metric(
        'AWS/Lambda',
        name,
        { FunctionName: FunctionName(operation), Resource: `${FunctionName(operation)}:live` },
        shape,
      ),
    /** Of the table, of one of its indexes (GlobalSecondaryIndexName), or of one kind of call on it (Operation). */
    table: (
      name: PlatformName<'AWS/DynamoDB'>,
      of: { readonly GlobalSecondaryIndexName?: string; readonly Operation?: string } = {},
      shape?: Shape,
    ) => metric('AWS/DynamoDB', name, { TableName: namesOf(stage).table, ...of }, shape),
    queue: (name: PlatformName<'AWS/SQS'>, queue: 'deliveryQueue' | 'deadLetterQueue') =>
      metric('AWS/SQS', name, { QueueName: namesOf(stage)[queue] }, { statistic: 'Maximum' }),
    /** Calls that a rule of the web firewall blocked. */
    firewall: (Rule: string) =>
      metric('AWS/WAFV2', 'BlockedRequests', { WebACL: prefixOf(stage), Region: stage.region, Rule }),
  };
}

/** A formula over named metrics. Its points are as long as theirs. */
export function math(of: MathSeries['of'], formula: Formula, label?: string): MathSeries {
  const [{ minutes }] = Object.values(of) as [MetricSeries, ...MetricSeries[]];
  return { kind: 'math', formula, of, minutes, ...(label !== undefined && { label }) };
}

/** What `make` gives for each name, under that name. */
export function named<N extends string, T>(names: readonly N[], make: (name: N) => T): Readonly<Record<N, T>> {
  return Object.fromEntries(names.map((name) => [name, make(name)])) as Record<N, T>;
}
