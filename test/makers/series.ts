import type { AlarmRow } from '#infra/alarms/row.ts';
import { isSearch } from '#infra/dashboards/widget.ts';
import type { Board } from '#infra/dashboards.ts';
import type { EverySeries, MathSeries, MetricSeries, Series } from '#infra/metrics.ts';
import { NAMESPACE } from '#shared/runtime/metrics.ts';

/** A metric that an alarm reads or a widget draws. The dimensions in which every series differs have the value `*`. */
export type NamedMetric = Pick<MetricSeries, 'namespace' | 'name' | 'dimensions'>;

const metricOfSearch = ({ name, by, fixed }: EverySeries): NamedMetric => ({
  namespace: NAMESPACE,
  name,
  dimensions: { ...fixed, ...Object.fromEntries(by.map((dimension) => [dimension, '*'])) },
});

function metricsIn(series: Series): readonly NamedMetric[] {
  if (series.kind === 'math') return Object.values(series.of);
  if (series.kind === 'every') return [metricOfSearch(series)];
  return series.kind === 'metric' ? [series] : [];
}

/** Returns each series that an alarm watches. */
export function seriesWatched(alarms: readonly AlarmRow[]): readonly Series[] {
  return alarms.flatMap(({ when }) => ('alarms' in when ? [] : when)).map(({ metric }) => metric);
}

/** Returns each series that a widget draws. */
export function seriesDrawn(boards: readonly Board[]): readonly (MetricSeries | MathSeries | EverySeries)[] {
  const widgets = boards.flatMap(({ rows }) => rows.flat());
  return widgets.flatMap((widget): readonly (MetricSeries | MathSeries | EverySeries)[] => {
    if (widget.kind === 'tile' || widget.kind === 'light') return [widget.series];
    if (widget.kind !== 'graph') return [];
    return isSearch(widget.lines) ? [widget.lines] : Object.values(widget.lines);
  });
}

export const metricsWatched = (alarms: readonly AlarmRow[]) => seriesWatched(alarms).flatMap(metricsIn);
export const metricsDrawn = (boards: readonly Board[]) => seriesDrawn(boards).flatMap(metricsIn);
