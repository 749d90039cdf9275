import { valueAt } from '../../formula.ts';
import type { MathSeries, MetricSeries, RuleSeries } from '../../metrics.ts';
import type { MetricStore } from './metric-store.ts';
import { RULES } from './platform-metrics.ts';

/** Points of a graph: one for each of `starts`, a span of `step` milliseconds. */
export interface Points {
  readonly starts: readonly number[];
  readonly step: number;
}

/**
 * Values of a metric or of a formula over metrics, for dashboards and alarms alike: one a point, undefined where nothing
 * came and where a formula takes in what only AWS measures.
 */
export function valuesOf(
  series: MetricSeries | MathSeries | RuleSeries,
  store: MetricStore,
  points: Points,
): (number | undefined)[] {
  const { starts, step } = points;
  if (series.kind === 'metric') return store.values(series, series.statistic, starts, step);
  if (series.kind === 'rule') return busiest(series, store, points);
  if (!isMeasured(series, store)) return starts.map(() => undefined);
  const operands = Object.entries(series.of).map(([name, one]) => [name, valuesOf(one, store, points)] as const);
  if (operands.every(([, values]) => values.every((value) => value === undefined))) return starts.map(() => undefined);
  return starts.map((start, at) =>
    valueAt(series.formula, Object.fromEntries(operands.map(([name, values]) => [name, values[at]])), start),
  );
}

/** What the busiest contributor of a rule has added in each point. */
function busiest({ rule }: RuleSeries, store: MetricStore, { starts, step }: Points): (number | undefined)[] {
  const all = store.find(RULES, rule, ['contributor'], {}).map((one) => store.values(one, 'Sum', starts, step));
  return starts.map((_, at) => {
    const added = all.map((values) => values[at]).filter((value) => value !== undefined);
    return added.length > 0 ? Math.max(...added) : undefined;
  });
}

/** Whether all that a series is made of is measured here. */
export function isMeasured(series: MetricSeries | MathSeries | RuleSeries, store: MetricStore): boolean {
  if (series.kind === 'rule') return true;
  return (series.kind === 'math' ? Object.values(series.of) : [series]).every((one) => store.measures(one));
}
