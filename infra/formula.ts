import { type Instant, seconds } from '#shared/domain/values/time.ts';
/**
 * Metric math as data: a number, the name of a metric, or an operation on formulas.
 * - `fill`: a metric, or 0 if it has no value.
 * - `quota`: the account's quota for the metric (`SERVICE_QUOTA`). A local point has the quota as `quotaOf(metric)`.
 * - `sum`, `min`, `max`: over the named metrics, or over `METRICS()`. Graphs must name them: `METRICS()` includes the
 *   other lines.
 * - `epoch`: the time at which the point of a metric begins, in seconds since 1970.
 * - `businessHours`: the metric that gives the time, which must never be missing. The result is 0 outside of business
 *   hours.
 */
export type Formula =
  | number
  | string
  | Operation
  | { readonly fill: string }
  | { readonly quota: string }
  | { readonly sum: Many }
  | { readonly min: Many }
  | { readonly max: Many }
  | { readonly epoch: string }
  | { readonly businessHours: string; readonly gives: Formula }
  | { readonly if: Formula; readonly atLeast: number; readonly gives: Formula; readonly else: Formula };
type Many = readonly string[] | 'METRICS()' | 'FILL(METRICS(), 0)';

/** Brazil’s business hours, nine to six in Brasília, as hours and days of UTC. CloudWatch counts Monday as day 1. */
const [OPENS, CLOSES, FRIDAY] = [12, 21, 5];

export const percentOf = (part: string, whole: Formula): Formula => [[100, '*', { fill: part }], '/', whole];

export const quotaOf = (metric: string): string => `quota of ${metric}`;

export function textOf(formula: Formula): string {
  if (typeof formula !== 'object') return String(formula);
  if (isOperation(formula)) {
    const [left, right] = [textOf(formula[0]), textOf(formula[2])];
    return `${left} ${formula[1]} ${Array.isArray(formula[2]) ? `(${right})` : right}`;
  }
  if ('fill' in formula) return `FILL(${formula.fill}, 0)`;
  if ('quota' in formula) return `SERVICE_QUOTA(${formula.quota})`;
  if ('sum' in formula) return `SUM(${listOf(formula.sum)})`;
  if ('min' in formula) return `MIN(${listOf(formula.min)})`;
  if ('max' in formula) return `MAX(${listOf(formula.max)})`;
  if ('epoch' in formula) return `EPOCH(${formula.epoch})`;
  if ('businessHours' in formula) {
    const time = formula.businessHours;
    const hours = `DAY(${time}) <= ${FRIDAY} AND HOUR(${time}) >= ${OPENS} AND HOUR(${time}) < ${CLOSES}`;
    return `IF(${hours}, ${textOf(formula.gives)}, 0)`;
  }
  return `IF(${textOf(formula.if)} >= ${formula.atLeast}, ${textOf(formula.gives)}, ${textOf(formula.else)})`;
}

type Operation = readonly [Formula, '+' | '-' | '*' | '/', Formula];

function isOperation(formula: object): formula is Operation {
  return Array.isArray(formula);
}

const listOf = (many: Many) => (typeof many === 'string' ? many : `[${many.join(', ')}]`);

/** Undefined if a metric has no value. */
type Point = Readonly<Record<string, number | undefined>>;

/**
 * Computes as CloudWatch does. Undefined if an operand has no value or if the formula divides by 0. SUM, MIN and MAX
 * leave out metrics without a value.
 */
export function valueAt(formula: Formula, point: Point, at: Instant = 0): number | undefined {
  if (typeof formula === 'number') return formula;
  if (typeof formula === 'string') return point[formula];
  if (isOperation(formula)) {
    const [left, right] = [valueAt(formula[0], point, at), valueAt(formula[2], point, at)];
    if (left === undefined || right === undefined) return undefined;
    const value = { '+': left + right, '-': left - right, '*': left * right, '/': left / right }[formula[1]];
    return Number.isFinite(value) ? value : undefined;
  }
  if ('fill' in formula) return point[formula.fill] ?? 0;
  if ('quota' in formula) return point[quotaOf(formula.quota)];
  if ('sum' in formula) return overMany(formula.sum, point, (values) => values.reduce((sum, value) => sum + value));
  if ('min' in formula) return overMany(formula.min, point, (values) => Math.min(...values));
  if ('max' in formula) return overMany(formula.max, point, (values) => Math.max(...values));
  if ('epoch' in formula) return point[formula.epoch] === undefined ? undefined : at / seconds(1);
  if ('businessHours' in formula) {
    if (point[formula.businessHours] === undefined) return undefined;
    const [day, hour] = [new Date(at).getUTCDay() || 7, new Date(at).getUTCHours()];
    return day <= FRIDAY && hour >= OPENS && hour < CLOSES ? valueAt(formula.gives, point, at) : 0;
  }
  const condition = valueAt(formula.if, point, at);
  if (condition === undefined) return undefined;
  return valueAt(condition >= formula.atLeast ? formula.gives : formula.else, point, at);
}

function overMany(many: Many, point: Point, combine: (values: readonly number[]) => number): number | undefined {
  const names = typeof many === 'string' ? Object.keys(point) : many;
  const filled = many === 'FILL(METRICS(), 0)' ? 0 : undefined;
  const values = names.map((name) => point[name] ?? filled).filter((value) => value !== undefined);
  return values.length === 0 ? undefined : combine(values);
}
