import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { NAMESPACE } from '../../shared/runtime/metrics.ts';
import { textOf } from '../formula.ts';
import type { EverySeries, Series } from '../metrics.ts';

/** A series as CDK takes it for alarms and graphs, with the label that a graph gives it. */
export function cdkMetric(series: Series, label?: string): IMetric {
  const common = { period: Duration.minutes(series.minutes), ...(label !== undefined && { label }) };
  switch (series.kind) {
    case 'metric': {
      const { namespace, name, dimensions, statistic } = series;
      return new Metric({ namespace, metricName: name, dimensionsMap: { ...dimensions }, statistic, ...common });
    }
    case 'math': {
      const usingMetrics = Object.fromEntries(Object.entries(series.of).map(([name, one]) => [name, cdkMetric(one)]));
      const own = label ?? series.label;
      return new MathExpression({
        expression: textOf(series.formula),
        usingMetrics,
        ...common,
        ...(own !== undefined && { label: own }),
      });
    }
    case 'every':
      return new MathExpression({ expression: searchOf(series), label: `\${PROP('Dim.${series.by}')}`, ...common });
    case 'rule':
      return new MathExpression({
        expression: `INSIGHT_RULE_METRIC("${series.ruleName}", "MaxContributorValue")`,
        ...common,
      });
  }
}

function searchOf({ name, by, fixed, statistic, minutes }: EverySeries): string {
  const values = Object.entries(fixed).map(([dimension, value]) => `${dimension}="${value}"`);
  const dimensions = [by, ...Object.keys(fixed)].sort().join();
  return `SEARCH('{${NAMESPACE},${dimensions}} MetricName="${name}" ${values.join(' ')}', '${statistic}', ${minutes * 60})`;
}
