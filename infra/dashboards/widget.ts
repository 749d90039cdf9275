import { type EverySeries, type MathSeries, type MetricSeries, named } from '../metrics.ts';

/** What a widget is on the 24 columns of a dashboard, in CloudWatch and on the local page. */
export type Widget = Graph | Tile | AlarmList | Text | Heading | LogQuery;

interface Placed {
  readonly title: string;
  /** Columns. */
  readonly width: number;
}

export interface Graph extends Placed {
  readonly kind: 'graph';
  readonly lines: Lines | EverySeries;
  readonly stacked: boolean;
  /** Of the axis. */
  readonly unit?: string;
  /** Of the axis. */
  readonly max?: number;
  /** What the local page says where nothing came: of troubles that is good. @default that nothing came yet */
  readonly empty?: string;
  /** Value of each horizontal line, by label. */
  readonly thresholds?: Readonly<Record<string, number>>;
}

/** Each line's series by its label. */
type Lines = Readonly<Record<string, MetricSeries | MathSeries>>;

/** Whether the lines are one search, whose series bring labels of their own. */
export function isSearch(lines: Lines | EverySeries): lines is EverySeries {
  return typeof lines.kind === 'string';
}

/** One figure. */
export interface Tile extends Placed {
  readonly kind: 'tile';
  readonly series: MetricSeries | MathSeries;
  readonly unit: string;
}

export interface AlarmList extends Placed {
  readonly kind: 'alarms';
  /** Without the stage's prefix. */
  readonly names: readonly string[];
}

export interface Text extends Placed {
  readonly kind: 'text';
  readonly markdown: string;
}

/** Begins a part of a board: what follows, up to the next, is folded on the local page. */
interface Heading extends Placed {
  readonly kind: 'heading';
}

interface LogQuery extends Placed {
  readonly kind: 'log';
  /** Whose logs are read. */
  readonly operations: readonly string[];
  /** Lines of Logs Insights. */
  readonly query: readonly string[];
}

const THIRD = 8;
export const HALF = 12;
export const FULL = 24;

type Style = Partial<Pick<Graph, 'width' | 'stacked' | 'unit' | 'max' | 'thresholds' | 'empty'>>;

/** What an empty graph says that shows only what goes wrong. */
export const NONE_IS_GOOD = 'None so far, and that is good.';

export function graph(title: string, lines: Graph['lines'], style: Style = {}): Graph {
  return { kind: 'graph', title, lines, width: THIRD, stacked: false, ...style };
}

/** A row that begins a part of a board. */
export const part = (title: string): Widget[] => [{ kind: 'heading', title, width: FULL }];

/** The middle and the ends of a distribution, by name. */
export const percentiles = (of: (statistic: string) => MetricSeries) => named(['p50', 'p90', 'p99'], of);

/** A query over the logs of some functions. */
export function logQuery(
  title: string,
  operations: readonly string[],
  query: readonly string[],
  width = FULL,
): LogQuery {
  return { kind: 'log', title, operations, query, width };
}

export function tile(title: string, unit: string, series: Tile['series']): Tile {
  return { kind: 'tile', title, unit, series, width: HALF };
}
