import type { AlarmRow } from '#infra/alarms/row.ts';
import type { Condition } from '#infra/constructs/impact-alarm.ts';
import { type Instant, minutes } from '#shared/domain/values/time.ts';
import { NAMESPACE } from '#shared/runtime/metrics.ts';
import { isMeasured, type MetricStore, valuesOf } from './metric-store.ts';

/** `ONLY_AWS`: the alarm reads a metric that only AWS measures. */
type AlarmState = 'ALARM' | 'OK' | 'INSUFFICIENT_DATA' | 'ONLY_AWS';

export interface AlarmView extends Pick<AlarmRow, 'name' | 'level' | 'board' | 'impact' | 'section'> {
  readonly state: AlarmState;
  /** The series that are on, if the alarm notifies for each series: `itau`, `17 disabled`. */
  readonly contributors: readonly string[];
}

const MINUTE = minutes(1);

/**
 * Evaluates alarms as CloudWatch does: each minute, over whole periods that end with the last full minute. If missing
 * data is bad for an alarm, its state is INSUFFICIENT_DATA for the time before the store began.
 */
export function alarmStates(rows: readonly AlarmRow[], store: MetricStore, now: Instant): Map<string, AlarmView> {
  const end = Math.floor(now / MINUTE) * MINUTE;
  const views = new Map<string, AlarmView>();
  const stateNamed = (name: string): AlarmState => {
    const view = views.get(name);
    if (!view) throw new Error(`a composite alarm comes before the alarm ${name}, which it reads`);
    return view.state;
  };
  for (const row of rows) {
    const { name, level, board, impact, section, when, any } = row;
    const conditions = 'alarms' in when ? [] : [when].flat();
    const states =
      'alarms' in when ? when.alarms.map(stateNamed) : conditions.map((condition) => stateOf(condition, store, end));
    const contributors = conditions.flatMap((condition) => contributorsOf(condition, store, end));
    const clock = 'alarms' in when && when.during !== undefined ? [stateNamed(when.during)] : [];
    const state = any || 'alarms' in when ? allOf([worstOf(states), ...clock]) : allOf(states);
    views.set(name, { name, level, board, impact, section, state, contributors });
  }
  return views;
}

const WORST_FIRST = ['ALARM', 'OK', 'ONLY_AWS', 'INSUFFICIENT_DATA'] as const;

const worstOf = (states: readonly AlarmState[]) => WORST_FIRST.find((state) => states.includes(state)) ?? 'OK';

function allOf(states: readonly AlarmState[]): AlarmState {
  const others = states.filter((state) => state !== 'ALARM');
  return others.length === 0 ? 'ALARM' : worstOf(others);
}

function contributorsOf(condition: Condition, store: MetricStore, end: Instant): string[] {
  const { metric } = condition;
  if (metric.kind !== 'every') return [];
  const { name, by, fixed, statistic, period } = metric;
  return store
    .find(NAMESPACE, name, [...by, ...Object.keys(fixed)], fixed)
    .filter((series) => {
      const one = { ...condition, metric: { kind: 'metric' as const, ...series, statistic, period } };
      return stateOf(one, store, end) === 'ALARM';
    })
    .map(({ dimensions }) => by.map((dimension) => dimensions[dimension]).join(' '));
}

function stateOf(condition: Condition, store: MetricStore, end: Instant): AlarmState {
  const { metric, datapoints = 1, outOf = datapoints, missingIsBad = false } = condition;
  if (metric.kind === 'every') return contributorsOf(condition, store, end).length > 0 ? 'ALARM' : 'OK';
  if (!isMeasured(metric, store)) return 'ONLY_AWS';
  const step = metric.period;
  const starts = Array.from({ length: outOf }, (_, back) => end - (back + 1) * step);
  const values = valuesOf(metric, store, { starts, step });
  const verdicts = starts.map((start, back) => {
    const value = values[back];
    if (value !== undefined) return isBeyond(condition, value);
    return missingIsBad && start < store.since ? undefined : missingIsBad;
  });
  if (verdicts.filter((bad) => bad === true).length >= datapoints) return 'ALARM';
  return verdicts.includes(undefined) ? 'INSUFFICIENT_DATA' : 'OK';
}

function isBeyond(condition: Condition, value: number): boolean {
  if ('above' in condition) return value > condition.above;
  return 'atLeast' in condition ? value >= condition.atLeast : value < condition.below;
}
