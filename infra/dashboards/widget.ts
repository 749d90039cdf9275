import { type EverySeries, type MathSeries, type MetricSeries, named } from '../metrics.ts';

/** A widget on the 24 columns of a dashboard, in CloudWatch and on the local page. */
export type Widget = Graph | Tile | Light | AlarmList | Text | Heading | LogQuery;

interface Placed {
  readonly title: string;
  readonly width: number;
}

export interface Graph extends Placed {
  readonly kind: 'graph';
  readonly lines: Lines | EverySeries;
  readonly stacked: boolean;
  readonly unit?: string;
  readonly max?: number;
  /** Text of the local page if there is no value. @default a text that nothing came yet */
  readonly empty?: string;
  /** Value of each horizontal line, by label. */
  readonly thresholds?: Readonly<Record<string, number>>;
}

type Lines = Readonly<Record<string, MetricSeries | MathSeries>>;

/** Whether the lines are a search, whose series have labels of their own. */
export function isSearch(lines: Lines | EverySeries): lines is EverySeries {
  return typeof lines.kind === 'string';
}

export interface Tile extends Placed {
  readonly kind: 'tile';
  readonly series: MetricSeries | MathSeries;
  readonly unit: string;
}

export interface Light extends Placed {
  readonly kind: 'light';
  /** Names without the prefix of the stage. */
  readonly names: readonly string[];
  readonly figure: string;
  readonly unit: string;
  readonly series: MathSeries;
}

export interface AlarmList extends Placed {
  readonly kind: 'alarms';
  readonly names: readonly string[];
}

export interface Text extends Placed {
  readonly kind: 'text';
  readonly markdown: string;
}

/** The local page folds the widgets up to the next heading. */
interface Heading extends Placed {
  readonly kind: 'heading';
}

interface LogQuery extends Placed {
  readonly kind: 'log';
  readonly operations: readonly string[];
  readonly query: readonly string[];
}

export const THIRD = 8;
export const HALF = 12;
export const FULL = 24;

type Style = Partial<Pick<Graph, 'width' | 'stacked' | 'unit' | 'max' | 'thresholds' | 'empty'>>;

export const NONE_IS_GOOD = 'None so far, and that is good.';

export function graph(title: string, lines: Graph['lines'], style: Style = {}): Graph {
  return { kind: 'graph', title, lines, width: THIRD, stacked: false, ...style };
}

export const part = (title: string): Widget[] => [{ kind: 'heading', title, width: FULL }];

export const percentiles = (of: (statistic: string) => MetricSeries) => named(['p50', 'p90', 'p99'], of);

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
