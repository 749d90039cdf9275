import { NAMESPACE } from '../../../shared/runtime/metrics.ts';
import { type AlarmList, type Graph, isSearch, type Tile, type Widget } from '../../dashboards/widget.ts';
import type { Board } from '../../dashboards.ts';
import { valueAt } from '../../formula.ts';
import type { MathSeries, MetricSeries, RuleSeries } from '../../metrics.ts';
import type { AlarmView } from './alarm-states.ts';
import type { MetricStore } from './metric-store.ts';
import { RULES } from './platform-metrics.ts';

/** What the page draws of a widget; `x` is its first column, from 0. */
export type WidgetView = { readonly x: number } & (
  | Exclude<Widget, Graph | Tile | AlarmList>
  | (Omit<AlarmList, 'names'> & { readonly alarms: readonly AlarmView[] })
  | (Omit<Tile, 'series'> & { readonly value: number | null })
  | (Omit<Graph, 'lines'> & {
      readonly series: readonly {
        readonly label: string;
        readonly values: readonly (number | null)[];
        readonly sums: boolean;
      }[];
      /** Labels of what only AWS measures. */
      readonly onlyAws: readonly string[];
    })
);

/** Points of a graph: one for each of `starts`, a span of `step` milliseconds. */
export interface Points {
  readonly starts: readonly number[];
  readonly step: number;
}

/** What a board shows of the store, and of the alarms by name. */
export function viewOf(
  board: Board,
  store: MetricStore,
  points: Points,
  alarms: ReadonlyMap<string, AlarmView> = new Map(),
): WidgetView[] {
  return board.rows.flatMap((row) => {
    let end = 0;
    return row.map((widget): WidgetView => {
      const x = end;
      end += widget.width;
      switch (widget.kind) {
        case 'graph': {
          const { lines, ...rest } = widget;
          return { x, ...rest, ...drawn(lines, store, points) };
        }
        case 'tile': {
          const { series, ...rest } = widget;
          return { x, ...rest, value: valuesOf(series, store, EVER)[0] ?? null };
        }
        case 'alarms': {
          const { names, ...rest } = widget;
          return { x, ...rest, alarms: names.flatMap((name) => alarms.get(name) ?? []) };
        }
        default:
          return { x, ...widget };
      }
    });
  });
}

/** One point over all that the store holds. */
const EVER: Points = { starts: [0], step: Number.MAX_SAFE_INTEGER };

type Line = readonly [label: string, series: MetricSeries | MathSeries];

function drawn(lines: Graph['lines'], store: MetricStore, points: Points) {
  const all = linesOf(lines, store);
  return {
    series: all
      .map(([label, series]) => ({ label, series, values: valuesOf(series, store, points) }))
      .filter(({ values }) => values.some((value) => value !== undefined))
      .map(({ label, series, values }) => {
        // A sum over nothing is 0; a latency of no call is none.
        const sums = series.kind === 'metric' && ['Sum', 'SampleCount'].includes(series.statistic);
        return { label, values: values.map((value) => value ?? (sums ? 0 : null)), sums };
      }),
    onlyAws: all.filter(([, series]) => !isMeasured(series, store)).map(([label]) => label),
  };
}

/** The lines of a graph; of a search, those that the store has series for. */
function linesOf(lines: Graph['lines'], store: MetricStore): Line[] {
  if (!isSearch(lines)) return Object.entries(lines);
  const { name, by, fixed, statistic, minutes } = lines;
  return store
    .find(NAMESPACE, name, [by, ...Object.keys(fixed)], fixed)
    .map((series): Line => [series.dimensions[by]!, { kind: 'metric', ...series, statistic, minutes }]);
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
  return starts.map((_, at) =>
    valueAt(series.formula, Object.fromEntries(operands.map(([name, values]) => [name, values[at]]))),
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
