import * as z from 'zod/mini';
import { quotaOf, valueAt } from '#infra/formula.ts';
import type { MathSeries, MetricSeries, RuleSeries } from '#infra/metrics.ts';
import type { Clock } from '#shared/domain/values/clock.ts';
import { hours, type Instant, type Milliseconds, minutes, seconds } from '#shared/domain/values/time.ts';
import { NAMESPACE } from '#shared/runtime/metrics.ts';
import { parsedJson } from '../listen.ts';

/** Namespace for the counts of Contributor Insights rules, by rule and contributor. */
export const RULES = 'ContributorInsights';

export const STEP = seconds(10);
/** Time for which the shortest spans are kept. Older spans are merged into minutes. */
const FINE = hours(1);
const MINUTE = minutes(1);
/** Alarms over a day or a week see only these hours. */
const KEPT = hours(7);
/** Number of a span's values that percentiles use. Sums and extremes count all values. */
const MOST_VALUES = 200;
/** Without a limit, the metrics of partners could grow without end. */
const MOST_SERIES = 3_000;

type Dimensions = Readonly<Record<string, string>>;

interface Span {
  readonly start: Instant;
  sum: number;
  count: number;
  maximum: number;
  minimum: number;
  readonly values: number[];
}

interface Series {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Dimensions;
}

interface Kept extends Series {
  readonly coarse: Span[];
  readonly fine: Span[];
}

function spanAt(spans: Span[], start: Instant): Span {
  const before = spans.findLastIndex((span) => span.start <= start);
  if (spans[before]?.start === start) return spans[before];
  const nothing = { sum: 0, count: 0, maximum: Number.NEGATIVE_INFINITY, minimum: Number.POSITIVE_INFINITY };
  const added: Span = { start, ...nothing, values: [] };
  spans.splice(before + 1, 0, added);
  return added;
}

function addTo(span: Span, { sum, count, maximum, minimum, values }: Omit<Span, 'start'>): void {
  span.sum += sum;
  span.count += count;
  span.maximum = Math.max(span.maximum, maximum);
  span.minimum = Math.min(span.minimum, minimum);
  span.values.push(...values.slice(0, MOST_VALUES - span.values.length));
}

function mergeOldSpans({ fine, coarse }: Kept, now: Instant): void {
  for (let span = fine[0]; span && span.start < now - FINE; span = fine[0]) {
    addTo(spanAt(coarse, Math.floor(span.start / MINUTE) * MINUTE), span);
    fine.shift();
  }
  while (coarse[0] && coarse[0].start < now - KEPT) coarse.shift();
}

const keyOf = ({ namespace, name, dimensions }: Series) =>
  [
    namespace,
    name,
    ...Object.entries(dimensions)
      .map((pair) => pair.join('='))
      .sort(),
  ].join('|');

export class MetricStore {
  readonly since: Instant;
  /** The account's limits, by the name of the metric that counts against them. AWS knows them; a test may set them. */
  readonly quotas = new Map<string, number>();
  private readonly series = new Map<string, Kept>();
  private readonly measured = new Set<string>([NAMESPACE]);
  private readonly clock: Clock;

  constructor(clock: Clock = Date.now) {
    this.clock = clock;
    this.since = clock();
  }

  /** Declares metrics that this run measures. Only AWS measures other metrics of the namespace. */
  measure(namespace: string, names: readonly string[]): void {
    for (const name of names) this.measured.add(`${namespace} ${name}`);
  }

  measures({ namespace, name }: Pick<Series, 'namespace' | 'name'>): boolean {
    return this.measured.has(namespace) || this.measured.has(`${namespace} ${name}`);
  }

  /** `at`: time of the values by their emitter's clock. @default now */
  add(series: Series, values: readonly number[], at: Instant = this.clock()): void {
    const key = keyOf(series);
    let kept = this.series.get(key);
    if (!kept) {
      if (this.series.size >= MOST_SERIES) return;
      kept = { ...series, coarse: [], fine: [] };
      this.series.set(key, kept);
    }
    const now = this.clock();
    mergeOldSpans(kept, now);
    const span = spanAt(kept.fine, Math.floor(at / STEP) * STEP);
    for (const value of values) addTo(span, { sum: value, count: 1, maximum: value, minimum: value, values: [value] });
  }

  takeLine(line: string): void {
    if (!line.includes('"CloudWatchMetrics"')) return;
    const entry = embeddedLine.safeParse(parsedJson(line)).data;
    if (!entry) return;
    const { CloudWatchMetrics, Timestamp } = entry._aws;
    for (const { Namespace, Dimensions, Metrics } of CloudWatchMetrics) {
      for (const names of Dimensions) {
        const dimensions = Object.fromEntries(names.map((name) => [name, String(entry[name])]));
        for (const { Name } of Metrics) {
          const values = [entry[Name]].flat().filter((value): value is number => typeof value === 'number');
          this.add({ namespace: Namespace, name: Name, dimensions }, values, Timestamp);
        }
      }
    }
  }

  /** Returns only series with exactly these dimensions, and with the values in `fixed`. */
  find(namespace: string, name: string, names: readonly string[], fixed: Dimensions): Series[] {
    const wanted = [...names].sort().join();
    return [...this.series.values()].filter(
      (series) =>
        series.namespace === namespace &&
        series.name === name &&
        Object.keys(series.dimensions).sort().join() === wanted &&
        Object.entries(fixed).every(([dimension, value]) => series.dimensions[dimension] === value),
    );
  }

  /** A value is undefined if its span is empty. `statistic`: name in CloudWatch. */
  values(series: Series, statistic: string, starts: readonly Instant[], step: Milliseconds): (number | undefined)[] {
    const kept = this.series.get(keyOf(series));
    const spans = kept ? kept.coarse.concat(kept.fine) : [];
    return starts.map((start) => {
      const within = spans.filter((span) => span.start >= start && span.start < start + step);
      return within.length === 0 ? undefined : statisticOf(within, statistic);
    });
  }
}

/** Dimensions and values are fields of the line itself. */
const embeddedLine = z.looseObject({
  _aws: z.object({
    Timestamp: z.optional(z.number()),
    CloudWatchMetrics: z.array(
      z.object({
        Namespace: z.string(),
        Dimensions: z.array(z.array(z.string())),
        Metrics: z.array(z.object({ Name: z.string() })),
      }),
    ),
  }),
});

/** Undefined if there is no value. Throws an Error that names an unknown statistic. */
function statisticOf(spans: readonly Span[], statistic: string): number | undefined {
  const total = (of: (span: Span) => number) => spans.reduce((sum, span) => sum + of(span), 0);
  switch (statistic) {
    case 'Sum':
      return total(({ sum }) => sum);
    case 'SampleCount':
      return total(({ count }) => count);
    case 'Average':
      return total(({ sum }) => sum) / total(({ count }) => count);
    case 'Maximum':
      return Math.max(...spans.map(({ maximum }) => maximum));
    case 'Minimum':
      return Math.min(...spans.map(({ minimum }) => minimum));
    default: {
      const percentile = /^p(\d+(?:\.\d+)?)$/.exec(statistic);
      if (!percentile) throw new Error(`the statistic ${statistic} is not known here`);
      const values = spans.flatMap((span) => span.values).sort((a, b) => a - b);
      return values[Math.max(0, Math.ceil((Number(percentile[1]) / 100) * values.length) - 1)];
    }
  }
}

export interface Points {
  readonly starts: readonly Instant[];
  readonly step: Milliseconds;
}

/** A value is undefined if there is no data, or if the formula contains something that only AWS measures. */
export function valuesOf(
  series: MetricSeries | MathSeries | RuleSeries,
  store: MetricStore,
  points: Points,
): (number | undefined)[] {
  const { starts, step } = points;
  if (series.kind === 'metric') return store.values(series, series.statistic, starts, step);
  if (series.kind === 'rule') return findBusiest(series, store, points);
  if (!isMeasured(series, store)) return starts.map(() => undefined);
  const operands = Object.entries(series.of).map(([name, one]) => [name, valuesOf(one, store, points)] as const);
  for (const [name, one] of Object.entries(series.of)) {
    const quota = store.quotas.get(one.name);
    if (quota !== undefined) operands.push([quotaOf(name), starts.map(() => quota)]);
  }
  if (operands.every(([, values]) => values.every((value) => value === undefined))) return starts.map(() => undefined);
  return starts.map((start, at) =>
    valueAt(series.formula, Object.fromEntries(operands.map(([name, values]) => [name, values[at]])), start),
  );
}

function findBusiest({ rule }: RuleSeries, store: MetricStore, { starts, step }: Points): (number | undefined)[] {
  const all = store.find(RULES, rule, ['contributor'], {}).map((one) => store.values(one, 'Sum', starts, step));
  return starts.map((_, at) => {
    const added = all.map((values) => values[at]).filter((value) => value !== undefined);
    return added.length > 0 ? Math.max(...added) : undefined;
  });
}

export function isMeasured(series: MetricSeries | MathSeries | RuleSeries, store: MetricStore): boolean {
  if (series.kind === 'rule') return true;
  return (series.kind === 'math' ? Object.values(series.of) : [series]).every((one) => store.measures(one));
}
