import type { Template } from '../template.ts';
import { evaluate, type Values } from './expression.ts';
import type { Dimensions, MetricStore, Series } from './metric-store.ts';
import { FED } from './platform-metrics.ts';

/** A metric of a widget, as a dashboard's body has it: namespace, name, pairs of dimension and value, and options. */
type MetricLine = readonly (string | MetricOptions)[];
interface MetricOptions {
  readonly id?: string;
  readonly label?: string;
  readonly stat?: string;
  readonly visible?: boolean;
  readonly expression?: string;
}

interface WidgetBody {
  readonly type: 'alarm' | 'text' | 'metric' | 'log';
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly properties: {
    readonly title?: string;
    readonly markdown?: string;
    readonly alarms?: readonly string[];
    readonly query?: string;
    readonly stacked?: boolean;
    readonly metrics?: readonly MetricLine[];
    readonly annotations?: { readonly horizontal?: readonly { readonly value: number; readonly label: string }[] };
    readonly yAxis?: { readonly left?: { readonly label?: string; readonly max?: number } };
  };
}

/** One of the stage's dashboards, as CloudWatch would get it. */
export interface Board {
  readonly name: string;
  readonly widgets: readonly WidgetBody[];
  /** Names of the alarms in the board's alarm widget. */
  readonly alarms: readonly string[];
}

interface Place {
  readonly title: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** What the page draws of a widget. */
export type WidgetView = Place &
  (
    | { readonly kind: 'text'; readonly markdown: string }
    | { readonly kind: 'alarms'; readonly names: readonly string[] }
    | { readonly kind: 'log'; readonly query: string }
    | {
        readonly kind: 'graph';
        readonly unit: string;
        readonly max: number | null;
        readonly stacked: boolean;
        readonly lines: readonly { readonly value: number; readonly label: string }[];
        readonly series: readonly { readonly label: string; readonly values: readonly (number | null)[] }[];
        /** Labels of what only AWS measures. */
        readonly onlyAws: readonly string[];
      }
  );

/** The dashboards of the synthesised template, the same that a deployment makes, in its order. */
export function boardsOf(template: Pick<Template, 'ofType'>): Board[] {
  const alarmNames = new Map(
    ['AWS::CloudWatch::Alarm', 'AWS::CloudWatch::CompositeAlarm'].flatMap((type) =>
      template.ofType(type).map(({ id, properties }) => [id, String(properties['AlarmName'])] as const),
    ),
  );
  return template.ofType('AWS::CloudWatch::Dashboard').map(({ properties }) => {
    const { widgets } = JSON.parse(String(properties['DashboardBody'])) as { widgets: WidgetBody[] };
    const arns = widgets.flatMap(({ properties: { alarms = [] } }) => alarms);
    return {
      name: String(properties['DashboardName']).split('-').at(-1)!,
      widgets,
      alarms: arns.map((arn) => alarmNames.get(arn.split('/').at(-1)!) ?? arn),
    };
  });
}

/** What a board shows of the store: a point for each of `starts`, a span of `step` milliseconds. */
export function viewOf(board: Board, store: MetricStore, starts: readonly number[], step: number): WidgetView[] {
  return board.widgets.map(({ type, x, y, width, height, properties }) => {
    const place = { title: properties.title ?? '', x, y, width, height };
    switch (type) {
      case 'text':
        return { ...place, kind: 'text', markdown: properties.markdown ?? '' };
      case 'alarm':
        return { ...place, kind: 'alarms', names: board.alarms };
      case 'log':
        return { ...place, kind: 'log', query: queryOf(properties.query ?? '') };
      case 'metric':
        return {
          ...place,
          kind: 'graph',
          unit: properties.yAxis?.left?.label ?? '',
          max: properties.yAxis?.left?.max ?? null,
          stacked: properties.stacked ?? false,
          lines: (properties.annotations?.horizontal ?? []).map(({ value, label }) => ({ value, label })),
          ...drawn(properties.metrics ?? [], store, starts, step),
        };
      default:
        throw new Error(`the widget ${type} is not known here`);
    }
  });
}

/** The query without the log groups that it looks into. */
function queryOf(query: string): string {
  return query.replace(/^(\s*\|?\s*SOURCE '[^']*')+/, '').replace(/^\s*\|\s*/, '');
}

interface Drawn {
  readonly series: { readonly label: string; readonly values: readonly (number | null)[] }[];
  readonly onlyAws: string[];
}

function drawn(lines: readonly MetricLine[], store: MetricStore, starts: readonly number[], step: number): Drawn {
  const read = lines.map(readLine);
  const none: Values = starts.map(() => undefined);
  const named: Record<string, Values> = {};
  const missing = new Set<string>();
  for (const { series, options } of read) {
    if (options.id === undefined || !series) continue;
    named[options.id] = store.values(series, options.stat ?? 'Sum', starts, step) ?? none;
    if (!isFed(series)) missing.add(options.id);
  }
  const made: Drawn = { series: [], onlyAws: [] };
  const add = (label: string, values: Values | undefined, summed: boolean) => {
    if (!values?.some((value) => value !== undefined)) return;
    // A sum over nothing is nothing; a latency of no call is none.
    made.series.push({ label, values: values.map((value) => value ?? (summed ? 0 : null)) });
  };
  for (const { series, options } of read.filter((line) => line.options.visible !== false)) {
    const stat = options.stat ?? 'Sum';
    if (series) {
      const label = options.label ?? series.name;
      if (isFed(series)) add(label, store.values(series, stat, starts, step), stat === 'Sum');
      else made.onlyAws.push(label);
      continue;
    }
    const expression = options.expression ?? '';
    const search = searched(expression, store);
    if (search) {
      for (const found of search.found) {
        add(search.labelOf(found), store.values(found, search.statistic, starts, step), search.statistic === 'Sum');
      }
    } else if ([...missing].some((id) => new RegExp(`\\b${id}\\b`).test(expression))) {
      made.onlyAws.push(options.label ?? expression);
    } else {
      add(options.label ?? expression, evaluate(expression, named, starts.length), false);
    }
  }
  return made;
}

function readLine(line: MetricLine): { series: Series | undefined; options: MetricOptions } {
  const last = line.at(-1);
  const options = typeof last === 'object' ? last : {};
  const texts = line.filter((part) => typeof part === 'string');
  if (options.expression !== undefined) return { series: undefined, options };
  const [namespace = '', name = '', ...pairs] = texts;
  const dimensions: Record<string, string> = {};
  for (let at = 0; at + 1 < pairs.length; at += 2) dimensions[pairs[at]!] = pairs[at + 1]!;
  return { series: { namespace, name, dimensions }, options };
}

/** Whether the local run measures a metric: ours, and those of AWS that it can count itself. */
function isFed({ namespace, name }: Series): boolean {
  return !namespace.startsWith('AWS/') || (FED[namespace]?.includes(name) ?? false);
}

interface Search {
  readonly found: readonly Series[];
  readonly statistic: string;
  readonly labelOf: (series: Series) => string;
}

/** The series that a SEARCH or a Metrics Insights query names; undefined for metric math. */
function searched(expression: string, store: MetricStore): Search | undefined {
  const search = /^SEARCH\('\{([^}]+)\} MetricName="(\w+)" stage="(\w+)"', '(\w+)', \d+\)$/.exec(expression);
  if (search) {
    const [namespace = '', ...names] = search[1]!.split(',');
    const told = names.find((name) => name !== 'stage') ?? 'stage';
    return {
      found: store.find(namespace, search[2]!, names, { stage: search[3]! }),
      statistic: search[4]!,
      labelOf: ({ dimensions }) => dimensions[told] ?? '',
    };
  }
  const select =
    /^SELECT SUM\((\w+)\) FROM SCHEMA\("(\w+)", (\w+), stage\) WHERE stage = '(\w+)' GROUP BY \w+ ORDER BY SUM\(\) DESC LIMIT (\d+)$/.exec(
      expression,
    );
  if (!select) return undefined;
  const [, name, namespace, told, stage, limit] = select as unknown as string[];
  const fixed: Dimensions = { stage: stage! };
  const total = (series: Series) => store.values(series, 'Sum', [0], Number.MAX_SAFE_INTEGER)?.[0] ?? 0;
  return {
    found: store
      .find(namespace!, name!, [told!, 'stage'], fixed)
      .sort((a, b) => total(b) - total(a))
      .slice(0, Number(limit)),
    statistic: 'Sum',
    labelOf: ({ dimensions }) => dimensions[told!] ?? '',
  };
}
