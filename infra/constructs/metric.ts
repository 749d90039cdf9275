import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { NAMESPACE } from '../../shared/runtime/metrics.ts';
import { textOf } from '../formula.ts';
import type { EverySeries, PartnerSeries, Series } from '../metrics.ts';

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
    case 'partners':
      return new MathExpression({
        expression: queryOf(series),
        // In graphs the partner's id: CDK would show the query.
        ...(series.limit !== undefined && { label: `\${LABEL}` }),
        ...common,
      });
  }
}

function searchOf({ name, by, stage, statistic, minutes }: EverySeries): string {
  return `SEARCH('{${NAMESPACE},${by},stage} MetricName="${name}" stage="${stage}"', '${statistic}', ${minutes * 60})`;
}

/** A Metrics Insights query. */
function queryOf({ name, stage, limit }: PartnerSeries): string {
  return [
    `SELECT SUM(${name}) FROM SCHEMA("${NAMESPACE}", partner, stage)`,
    `WHERE stage = '${stage}' GROUP BY partner ORDER BY SUM() DESC`,
    ...(limit === undefined ? [] : [`LIMIT ${limit}`]),
  ].join(' ');
}
