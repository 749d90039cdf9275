import { NAMESPACE } from '../../../shared/runtime/metrics.ts';
import { type Board, type Graph, isSearch, type Widget } from '../../dashboards.ts';
import { valueAt } from '../../formula.ts';
import type { MathSeries, MetricSeries } from '../../metrics.ts';
import type { MetricStore } from './metric-store.ts';
import { isCountedHere } from './platform-metrics.ts';

/** What the page draws of a widget; `x` is its first column, from 0. */
export type WidgetView = { readonly x: number } & (
  | Exclude<Widget, Graph>
  | (Omit<Graph, 'lines'> & {
      readonly series: readonly { readonly label: string; readonly values: readonly (number | null)[] }[];
      /** Labels of what only AWS measures. */
      readonly onlyAws: readonly string[];
    })
);

/** Points of a graph: one for each of `starts`, a span of `step` milliseconds. */
export interface Points {
  readonly starts: readonly number[];
  readonly step: number;
}

/** What a board shows of the store. */
export function viewOf(board: Board, store: MetricStore, points: Points): WidgetView[] {
  return board.rows.flatMap((row) => {
    let end = 0;
    return row.map((widget) => {
      const x = end;
      end += widget.width;
      if (widget.kind !== 'graph') return { x, ...widget };
      const { lines, ...rest } = widget;
      return { x, ...rest, ...drawn(lines, store, points) };
    });
  });
}

type Line = readonly [label: string, series: MetricSeries | MathSeries];

function drawn(lines: Graph['lines'], store: MetricStore, points: Points) {
  const all = linesOf(lines, store);
  return {
    series: all
      .map(([label, series]) => ({ label, series, values: valuesOf(series, store, points) }))
      .filter(({ values }) => values.some((value) => value !== undefined))
      .map(({ label, series, values }) => {
        // A sum over nothing is 0; a latency of no call is none.
        const absent = series.kind === 'metric' && series.statistic === 'Sum' ? 0 : null;
        return { label, values: values.map((value) => value ?? absent) };
      }),
    onlyAws: all.filter(([, series]) => !metricsIn(series).every(isCountedHere)).map(([label]) => label),
  };
}

/** The lines of a graph; of a search, those that the store has series for. */
function linesOf(lines: Graph['lines'], store: MetricStore): Line[] {
  if (!isSearch(lines)) return Object.entries(lines);
  const { name, stage, minutes } = lines;
  const by = lines.kind === 'every' ? lines.by : 'partner';
  const statistic = lines.kind === 'every' ? lines.statistic : 'Sum';
  const found = store
    .find(NAMESPACE, name, [by, 'stage'], { stage })
    .map((series): Line => [series.dimensions[by]!, { kind: 'metric', ...series, statistic, minutes }]);
  if (lines.kind === 'every') return found;
  const whole = { starts: [0], step: Number.MAX_SAFE_INTEGER };
  const total = ([, series]: Line) => valuesOf(series, store, whole)[0] ?? 0;
  return found.sort((a, b) => total(b) - total(a)).slice(0, lines.limit);
}

/**
 * Values of a metric or of a formula over metrics, for dashboards and alarms alike: one a point, undefined where nothing
 * came and where a formula takes in what only AWS measures.
 */
export function valuesOf(
  series: MetricSeries | MathSeries,
  store: MetricStore,
  points: Points,
): (number | undefined)[] {
  const { starts, step } = points;
  if (series.kind === 'metric') return store.values(series, series.statistic, starts, step);
  if (!metricsIn(series).every(isCountedHere)) return starts.map(() => undefined);
  const operands = Object.entries(series.of).map(([name, one]) => [name, valuesOf(one, store, points)] as const);
  if (operands.every(([, values]) => values.every((value) => value === undefined))) return starts.map(() => undefined);
  return starts.map((_, at) =>
    valueAt(series.formula, Object.fromEntries(operands.map(([name, values]) => [name, values[at]]))),
  );
}

const metricsIn = (series: MetricSeries | MathSeries) => (series.kind === 'math' ? Object.values(series.of) : [series]);
