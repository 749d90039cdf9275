import { ROUTES } from '../../shared/contract/routes.ts';
import { METRICS, type MetricRow } from '../../shared/runtime/metrics.ts';
import { FUNCTIONS } from '../functions.ts';
import { BANKS, OUTCOMES } from '../metrics.ts';

import type { Standing } from './cost.ts';

interface Resource {
  readonly Properties: Readonly<Record<string, unknown>>;
}
/** A template, as the CDK's assertions give it. */
interface Made {
  findResources(type: string): object;
}

/** What a stage's templates make that costs by the month. */
export function standingOf(stacks: { readonly data: Made; readonly service: Made; readonly watch: Made }): Standing {
  const all = [stacks.data, stacks.service, stacks.watch];
  const ofType = (type: string) =>
    all.flatMap((stack) => Object.values(stack.findResources(type) as Readonly<Record<string, Resource>>));
  const alarms = ofType('AWS::CloudWatch::Alarm');
  const metricsOf = (properties: Resource['Properties']) => {
    const metrics = properties['Metrics'] as readonly { readonly MetricStat?: unknown }[] | undefined;
    // A query over series is paid like one metric.
    return metrics ? Math.max(1, metrics.filter(({ MetricStat }) => MetricStat).length) : 1;
  };
  const acl = ofType('AWS::WAFv2::WebACL')[0];
  return {
    keys: ofType('AWS::KMS::Key').length,
    secrets: ofType('AWS::SecretsManager::Secret').length,
    alarmMetrics: alarms.reduce((total, { Properties }) => total + metricsOf(Properties), 0),
    compositeAlarms: ofType('AWS::CloudWatch::CompositeAlarm').length,
    firewallRules: ((acl?.Properties['Rules'] ?? []) as unknown[]).length,
  };
}

/** Metrics of the gateway for each method of a route: Count, Latency, IntegrationLatency, 4XXError, 5XXError. */
const GATEWAY_METRICS = 5;

/**
 * Series of metrics of a stage that is called: each name with each combination of what it is told apart by, and the
 * gateway's by route. The values that no file of infra lists are counted by the caller.
 */
export function seriesOf(known: { readonly partner: number; readonly codigo: number; readonly class: number }): number {
  const values: Readonly<Record<string, number>> = {
    operation: FUNCTIONS.length,
    environment: 2,
    bank: BANKS.length,
    situacao: OUTCOMES.length,
    ...known,
  };
  const rows: readonly MetricRow[] = Object.values(METRICS);
  const ours = rows.reduce(
    (total, { by = [] }) => total + by.reduce((product, dimension) => product * values[dimension]!, 1),
    0,
  );
  return ours + ROUTES.length * GATEWAY_METRICS;
}
