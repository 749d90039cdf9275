import type { AlarmRow } from '#infra/alarms/row.ts';
import { type AllOn, type Condition, isSeveral } from '#infra/constructs/impact-alarm.ts';
import { type Instant, minutes } from '#shared/domain/values/time.ts';
import { isMeasured, type MetricStore, valuesOf } from './metric-store.ts';

/** As CloudWatch names them; `ONLY_AWS` where the alarm reads a metric that only AWS measures. */
type AlarmState = 'ALARM' | 'OK' | 'INSUFFICIENT_DATA' | 'ONLY_AWS';

/** An alarm as the page shows it. */
export interface AlarmView extends Pick<AlarmRow, 'name' | 'level' | 'impact' | 'section'> {
  readonly state: AlarmState;
}

const MINUTE = minutes(1);

/**
 * The state of each alarm at a moment, by its name, as CloudWatch decides it: each minute, over whole
 * periods that end with the last full minute; a period without a value counts as the alarm says. An alarm for which
 * silence is bad has no data from before the store began.
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
    const { name, level, impact, section, when, any } = row;
    const states =
      'alarms' in when
        ? statesBelow(when, stateNamed)
        : (isSeveral(when) ? when : [when]).map((condition) => stateOf(condition, store, end));
    views.set(name, { name, level, impact, section, state: any ? worstOf(states) : allOf(states) });
  }
  return views;
}

/** Of a composite: of all that it stands above, or of the worst of them, which `unless` holds back. */
function statesBelow({ alarms, unless }: AllOn, stateOf: (name: string) => AlarmState): AlarmState[] {
  const states = alarms.map(stateOf);
  if (unless === undefined) return states;
  return [stateOf(unless) === 'ALARM' ? 'OK' : worstOf(states)];
}

const WORST_FIRST = ['ALARM', 'OK', 'ONLY_AWS', 'INSUFFICIENT_DATA'] as const;

const worstOf = (states: readonly AlarmState[]) => WORST_FIRST.find((state) => states.includes(state)) ?? 'OK';

/** ALARM where all are in it; else the state of one that is not. */
function allOf(states: readonly AlarmState[]): AlarmState {
  const others = states.filter((state) => state !== 'ALARM');
  return others.length === 0 ? 'ALARM' : worstOf(others);
}

function stateOf(condition: Condition, store: MetricStore, end: Instant): AlarmState {
  const { metric, datapoints = 1, outOf = datapoints, missingIsBad = false } = condition;
  // Only graphs search.
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
