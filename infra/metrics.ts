import { isPending, SITUATIONS } from '../shared/domain/analyses/analysis.ts';
import { BANKS, type Bank } from '../shared/domain/values/bank.ts';
import type { Environment } from '../shared/domain/values/tenancy.ts';
import { type Milliseconds, minutes } from '../shared/domain/values/time.ts';
import {
  type DimensionOf,
  type DividedName,
  METRICS,
  type MetricBy,
  type MetricName,
  NAMESPACE,
  type TotalName,
} from '../shared/runtime/metrics.ts';
import { type Formula, textOf } from './formula.ts';
import { type RuleName, ruleNameOf } from './insight-rules.ts';
import { administrationOf, functionNameOf, namesOf, prefixOf, type Stage } from './stages.ts';

interface Shape {
  /** Statistic as CloudWatch writes it: Sum, Maximum, p99. @default Sum */
  readonly statistic?: string;
  /** Length of a point. @default 5 minutes */
  readonly period?: Milliseconds;
}

export interface MetricSeries extends Required<Shape> {
  readonly kind: 'metric';
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Readonly<Record<string, string>>;
}

export interface MathSeries {
  readonly kind: 'math';
  readonly formula: Formula;
  readonly of: Readonly<Record<string, MetricSeries>>;
  readonly period: Milliseconds;
  readonly label?: string;
}

/** All series of one of our metrics. An alarm on them notifies once for each series. */
export interface EverySeries extends Required<Shape> {
  readonly kind: 'every';
  readonly name: MetricName;
  readonly by: readonly string[];
  readonly fixed: Readonly<Record<string, string>>;
}

/** The count for the rule's busiest contributor. Each matching line counts as one. */
export interface RuleSeries {
  readonly kind: 'rule';
  readonly rule: RuleName;
  readonly ruleName: string;
  readonly period: Milliseconds;
}

export type Series = MetricSeries | MathSeries | EverySeries | RuleSeries;

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
  'AWS/WAFV2': ['BlockedRequests', 'AllowedRequests'],
  'AWS/Backup': ['NumberOfBackupJobsCompleted', 'NumberOfCopyJobsCompleted'],
} as const;
type PlatformName<S extends keyof typeof PLATFORM_METRICS> = (typeof PLATFORM_METRICS)[S][number];

export const ENVIRONMENTS = ['producao', 'sandbox'] as const satisfies readonly Environment[];
export const OUTCOMES = SITUATIONS.filter((situation) => !isPending(situation));

/** Rules of the web firewall, in the order in which they look at a call. Their metrics have the same names. */
export const FIREWALL_RULES = ['rate-per-address', 'common', 'known-bad-inputs'] as const;

const FIVE_MINUTES = minutes(5);

export function metricsOf(stage: Stage) {
  const metric = (
    namespace: string,
    name: string,
    dimensions: MetricSeries['dimensions'],
    { statistic = 'Sum', period = FIVE_MINUTES }: Shape = {},
  ): MetricSeries => ({ kind: 'metric', namespace, name, dimensions, statistic, period });
  const api = { ApiName: prefixOf(stage), Stage: stage.name };
  const FunctionName = (operation: string) => functionNameOf(stage, operation);

  const own = <N extends MetricName>(name: N, values: Readonly<Record<DimensionOf<N>, string>>, shape?: Shape) =>
    metric(NAMESPACE, name, { stage: stage.name, ...values }, shape);

  return {
    own,
    total: (name: TotalName, shape?: Shape, environment: Environment = 'producao') =>
      metric(NAMESPACE, name, { stage: stage.name, environment }, shape),
    perBank: (
      name: MetricBy<'environment' | 'bank'>,
      shape?: Shape,
      environment: Environment = 'producao',
    ): Readonly<Record<Bank, MetricSeries>> => named(BANKS, (bank) => own(name, { environment, bank }, shape)),
    /** If the metric has `environment`, only production's series. */
    every: (name: DividedName, { statistic = 'Sum', period = FIVE_MINUTES }: Shape = {}): EverySeries => {
      const all: readonly string[] = METRICS[name].by;
      const fixed: Record<string, string> = { stage: stage.name };
      if (all.includes('environment')) fixed['environment'] = 'producao';
      const by = all.filter((dimension) => dimension !== 'environment');
      return { kind: 'every', name, by, fixed, statistic, period };
    },
    rule: (rule: RuleName, period: Milliseconds): RuleSeries => ({
      kind: 'rule',
      rule,
      ruleName: ruleNameOf(stage, rule),
      period,
    }),
    gateway: (name: PlatformName<'AWS/ApiGateway'>, shape?: Shape) => metric('AWS/ApiGateway', name, api, shape),
    administration: (name: PlatformName<'AWS/ApiGateway'>, shape?: Shape) =>
      metric('AWS/ApiGateway', name, { ApiName: administrationOf(stage), Stage: stage.name }, shape),
    /** Covers the functions of all stages in the account. */
    account: (name: PlatformName<'AWS/Lambda'>, shape?: Shape) => metric('AWS/Lambda', name, {}, shape),
    lambda: (name: PlatformName<'AWS/Lambda'>, operation: string, shape?: Shape) =>
      metric('AWS/Lambda', name, { FunctionName: FunctionName(operation) }, shape),
    /** Covers all versions of the alias. */
    live: (name: PlatformName<'AWS/Lambda'>, operation: string, shape?: Shape) =>
      metric(
        'AWS/Lambda',
        name,
        { FunctionName: FunctionName(operation), Resource: `${FunctionName(operation)}:live` },
        shape,
      ),
    table: (
      name: PlatformName<'AWS/DynamoDB'>,
      of: { readonly GlobalSecondaryIndexName?: string; readonly Operation?: string } = {},
      shape?: Shape,
    ) => metric('AWS/DynamoDB', name, { TableName: namesOf(stage).table, ...of }, shape),
    queue: (name: PlatformName<'AWS/SQS'>, queue: 'deliveryQueue' | 'deadLetterQueue', period = FIVE_MINUTES) =>
      metric('AWS/SQS', name, { QueueName: namesOf(stage)[queue] }, { statistic: 'Maximum', period }),
    /** `ALL` means every rule. */
    firewall: (name: PlatformName<'AWS/WAFV2'>, Rule: string, shape?: Shape) =>
      metric('AWS/WAFV2', name, { WebACL: prefixOf(stage), Region: stage.region, Rule }, shape),
    /** AWS counts a copy job at the vault to which it copies. */
    backup: (name: PlatformName<'AWS/Backup'>, BackupVaultName: string, shape?: Shape) =>
      metric('AWS/Backup', name, { BackupVaultName }, shape),
  };
}

/** The first metric decides the period. Throws an Error if there is no metric. */
export function math(of: MathSeries['of'], formula: Formula, label?: string): MathSeries {
  const [first] = Object.values(of);
  if (!first) throw new Error(`the formula ${textOf(formula)} has no metric`);
  return { kind: 'math', formula, of, period: first.period, label };
}

export const named = <N extends string, T>(names: readonly N[], make: (name: N) => T): Readonly<Record<N, T>> =>
  Object.fromEntries(names.map((name) => [name, make(name)])) as Record<N, T>;
