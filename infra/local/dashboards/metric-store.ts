/** Milliseconds of the shortest span that values are kept by. */
export const STEP = 10_000;
/** Spans of a series: one hour. */
const SPANS = 360;
/** Values of a span that percentiles are taken from; sums and extremes count all of them. */
const MOST_VALUES = 200;
/** Series: a partner's metrics could otherwise grow without end. */
const MOST_SERIES = 3_000;

export type Dimensions = Readonly<Record<string, string>>;

interface Span {
  readonly start: number;
  sum: number;
  count: number;
  most: number;
  least: number;
  readonly values: number[];
}

export interface Series {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Dimensions;
}

interface Kept extends Series {
  readonly spans: Span[];
}

const keyOf = ({ namespace, name, dimensions }: Series) =>
  [
    namespace,
    name,
    ...Object.entries(dimensions)
      .map((pair) => pair.join('='))
      .sort(),
  ].join('|');

/** The metrics of the last hour, in memory and bounded: what CloudWatch keeps for fifteen months. */
export class MetricStore {
  private readonly series = new Map<string, Kept>();
  private readonly clock: () => number;

  constructor(clock: () => number = Date.now) {
    this.clock = clock;
  }

  add(series: Series, values: readonly number[]): void {
    const key = keyOf(series);
    let kept = this.series.get(key);
    if (!kept) {
      if (this.series.size >= MOST_SERIES) return;
      kept = { ...series, spans: [] };
      this.series.set(key, kept);
    }
    const start = Math.floor(this.clock() / STEP) * STEP;
    let span = kept.spans.at(-1);
    if (!span || span.start < start) {
      span = { start, sum: 0, count: 0, most: Number.NEGATIVE_INFINITY, least: Number.POSITIVE_INFINITY, values: [] };
      kept.spans.push(span);
      if (kept.spans.length > SPANS) kept.spans.shift();
    }
    for (const value of values) {
      span.sum += value;
      span.count += 1;
      span.most = Math.max(span.most, value);
      span.least = Math.min(span.least, value);
      if (span.values.length < MOST_VALUES) span.values.push(value);
    }
  }

  /** Takes the metrics of a line that a function has written, as CloudWatch's embedded metric format has them; other lines hold none. */
  takeLine(line: string): void {
    if (!line.includes('"CloudWatchMetrics"')) return;
    let entry: EmbeddedLine;
    try {
      entry = JSON.parse(line);
    } catch {
      return;
    }
    for (const { Namespace, Dimensions, Metrics } of entry._aws?.CloudWatchMetrics ?? []) {
      for (const names of Dimensions) {
        const dimensions = Object.fromEntries(names.map((name) => [name, String(entry[name])]));
        for (const { Name } of Metrics) {
          const values = [entry[Name]].flat().filter((value): value is number => typeof value === 'number');
          this.add({ namespace: Namespace, name: Name, dimensions }, values);
        }
      }
    }
  }

  /** The series of a metric that have exactly these dimensions, with the values that `fixed` names. */
  find(namespace: string, name: string, names: readonly string[], fixed: Dimensions): Series[] {
    const wanted = [...names].sort().join();
    return [...this.series.values()].filter(
      (one) =>
        one.namespace === namespace &&
        one.name === name &&
        Object.keys(one.dimensions).sort().join() === wanted &&
        Object.entries(fixed).every(([dimension, value]) => one.dimensions[dimension] === value),
    );
  }

  /**
   * A statistic, as CloudWatch names it, of a series: one value for each start of a span of `step` milliseconds;
   * undefined where nothing came.
   */
  values(series: Series, statistic: string, starts: readonly number[], step: number): (number | undefined)[] {
    const spans = this.series.get(keyOf(series))?.spans ?? [];
    return starts.map((start) => {
      const within = spans.filter((span) => span.start >= start && span.start < start + step);
      return within.length === 0 ? undefined : statisticOf(within, statistic);
    });
  }
}

interface EmbeddedLine {
  readonly _aws?: {
    readonly CloudWatchMetrics: readonly {
      readonly Namespace: string;
      readonly Dimensions: readonly (readonly string[])[];
      readonly Metrics: readonly { readonly Name: string }[];
    }[];
  };
  readonly [name: string]: unknown;
}

/** Throws an Error that names a statistic which is not known here. */
function statisticOf(spans: readonly Span[], statistic: string): number {
  const total = (of: (span: Span) => number) => spans.reduce((sum, span) => sum + of(span), 0);
  switch (statistic) {
    case 'Sum':
      return total(({ sum }) => sum);
    case 'SampleCount':
      return total(({ count }) => count);
    case 'Average':
      return total(({ sum }) => sum) / total(({ count }) => count);
    case 'Maximum':
      return Math.max(...spans.map(({ most }) => most));
    case 'Minimum':
      return Math.min(...spans.map(({ least }) => least));
    default: {
      const percentile = /^p(\d+(?:\.\d+)?)$/.exec(statistic);
      if (!percentile) throw new Error(`the statistic ${statistic} is not known here`);
      const values = spans.flatMap((span) => span.values).sort((a, b) => a - b);
      return values[Math.max(0, Math.ceil((Number(percentile[1]) / 100) * values.length) - 1)]!;
    }
  }
}
