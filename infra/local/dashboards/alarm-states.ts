import type { AlarmRow } from '#infra/alarms/row.ts';
import { type AllOn, type Condition, isSeveral } from '#infra/constructs/impact-alarm.ts';
import { type Instant, minutes } from '#shared/domain/values/time.ts';
import { isMeasured, type MetricStore, valuesOf } from './metric-store.ts';

/** `ONLY_AWS`: the alarm reads a metric that only AWS measures. */
type AlarmState = 'ALARM' | 'OK' | 'INSUFFICIENT_DATA' | 'ONLY_AWS';

export interface AlarmView extends Pick<AlarmRow, 'name' | 'level' | 'board' | 'impact' | 'section'> {
  readonly state: AlarmState;
}

const MINUTE = minutes(1);

/**
 * Decides as CloudWatch does: each minute, over whole periods that end with the last full minute. If missing data is
 * bad for an alarm, it has insufficient data for the time before the store began.
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
    const states =
      'alarms' in when
        ? statesBelow(when, stateNamed)
        : (isSeveral(when) ? when : [when]).map((condition) => stateOf(condition, store, end));
    views.set(name, { name, level, board, impact, section, state: any ? worstOf(states) : allOf(states) });
  }
  return views;
}

/** With `unless`, returns only the worst state, or OK while the alarm `unless` is on. */
function statesBelow({ alarms, unless }: AllOn, stateOf: (name: string) => AlarmState): AlarmState[] {
  const states = alarms.map(stateOf);
  if (unless === undefined) return states;
  return [stateOf(unless) === 'ALARM' ? 'OK' : worstOf(states)];
}

const WORST_FIRST = ['ALARM', 'OK', 'ONLY_AWS', 'INSUFFICIENT_DATA'] as const;

const worstOf = (states: readonly AlarmState[]) => WORST_FIRST.find((state) => states.includes(state)) ?? 'OK';

function allOf(states: readonly AlarmState[]): AlarmState {
  const others = states.filter((state) => state !== 'ALARM');
  return others.length === 0 ? 'ALARM' : worstOf(others);
}

function stateOf(condition: Condition, store: MetricStore, end: Instant): AlarmState {
  const { metric, datapoints = 1, outOf = datapoints, missingIsBad = false } = condition;
  // Only graphs use searches.
  if (metric.kind === 'every' || !isMeasured(metric, store)) return 'ONLY_AWS';
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
