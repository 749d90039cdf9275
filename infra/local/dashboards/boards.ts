import MarkdownIt from 'markdown-it';
import {
  type AlarmList,
  type Graph,
  isSearch,
  type Light,
  type Text,
  type Tile,
  type Widget,
} from '#infra/dashboards/widget.ts';
import type { Board } from '#infra/dashboards.ts';
import type { MathSeries, MetricSeries } from '#infra/metrics.ts';
import { NAMESPACE } from '#shared/runtime/metrics.ts';
import type { AlarmView } from './alarm-states.ts';
import { isMeasured, type MetricStore, type Points, valuesOf } from './metric-store.ts';
import { type QueryBehind, queryBehind } from './query-behind.ts';

/** `x`: first column, from 0. */
export type WidgetView = { readonly x: number } & (
  | Exclude<Widget, Graph | Tile | Light | AlarmList | Text>
  | (Omit<AlarmList, 'names'> & { readonly alarms: readonly AlarmView[] })
  | (Omit<Text, 'markdown'> & { readonly html: string })
  | (Omit<Light, 'names' | 'series'> & {
      readonly alarms: readonly AlarmView[];
      readonly value: number | null;
    })
  | (Omit<Tile, 'series'> & { readonly value: number | null })
  | (Omit<Graph, 'lines'> & {
      readonly series: readonly {
        readonly label: string;
        readonly values: readonly (number | null)[];
        readonly sums: boolean;
      }[];
      readonly onlyAws: readonly string[];
      readonly behind: QueryBehind;
    })
);

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
          return { x, ...rest, ...drawLines(lines, store, points), behind: queryBehind(lines) };
        }
        case 'tile': {
          const { series, ...rest } = widget;
          return { x, ...rest, value: valuesOf(series, store, EVER)[0] ?? null };
        }
        case 'light': {
          const { names, series, ...rest } = widget;
          const latest = { starts: [endOf(points) - series.period], step: series.period };
          return { x, ...rest, alarms: onAmong(names, alarms), value: valuesOf(series, store, latest)[0] ?? null };
        }
        case 'alarms': {
          const { names, ...rest } = widget;
          return { x, ...rest, alarms: names.flatMap((name) => alarms.get(name) ?? []) };
        }
        case 'text': {
          const { markdown, ...rest } = widget;
          return { x, ...rest, html: new MarkdownIt().render(markdown) };
        }
        default:
          return { x, ...widget };
      }
    });
  });
}

const endOf = ({ starts, step }: Points) => (starts.at(-1) ?? 0) + step;

function onAmong(names: readonly string[], alarms: ReadonlyMap<string, AlarmView>): readonly AlarmView[] {
  const on = names.flatMap((name) => alarms.get(name) ?? []).filter(({ state }) => state === 'ALARM');
  return on.filter(({ level }) => level === 'page').concat(on.filter(({ level }) => level !== 'page'));
}

const EVER: Points = { starts: [0], step: Number.MAX_SAFE_INTEGER };

type Line = readonly [label: string, series: MetricSeries | MathSeries];

function drawLines(lines: Graph['lines'], store: MetricStore, points: Points) {
  const all = linesOf(lines, store);
  return {
    series: all
      .map(([label, series]) => ({ label, series, values: valuesOf(series, store, points) }))
      .filter(({ values }) => values.some((value) => value !== undefined))
      .map(({ label, series, values }) => {
        // A sum without values is 0. A latency without calls has no value.
        const sums = isSum(series);
        return { label, values: values.map((value) => value ?? (sums ? 0 : null)), sums };
      }),
    onlyAws: all.filter(([, series]) => !isMeasured(series, store)).map(([label]) => label),
  };
}

function isSum(series: MetricSeries | MathSeries): boolean {
  if (series.kind === 'metric') return ['Sum', 'SampleCount'].includes(series.statistic);
  const { formula, of } = series;
  return typeof formula === 'object' && 'sum' in formula && Object.values(of).every(isSum);
}

function linesOf(lines: Graph['lines'], store: MetricStore): Line[] {
  if (!isSearch(lines)) return Object.entries(lines);
  const { name, by, fixed, statistic, period } = lines;
  return store.find(NAMESPACE, name, [...by, ...Object.keys(fixed)], fixed).flatMap((series): Line[] => {
    const label = by.map((dimension) => series.dimensions[dimension]).join(' ');
    return [[label, { kind: 'metric', ...series, statistic, period }]];
  });
}
