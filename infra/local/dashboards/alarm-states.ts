import type { AlarmRow } from '#infra/alarms/row.ts';
import { type AllOn, type Condition, isSeveral } from '#infra/constructs/impact-alarm.ts';
import { isMeasured, type MetricStore, valuesOf } from './metric-store.ts';

/** As CloudWatch names them; `ONLY_AWS` where the alarm reads a metric that only AWS measures. */
type AlarmState = 'ALARM' | 'OK' | 'INSUFFICIENT_DATA' | 'ONLY_AWS';

/** An alarm as the page shows it. */
export interface AlarmView extends Pick<AlarmRow, 'name' | 'level' | 'impact' | 'section'> {
  readonly state: AlarmState;
}

const MINUTE = 60_000;

/**
 * The state of each alarm at a moment (milliseconds), by its name, as CloudWatch decides it: each minute, over whole
 * periods that end with the last full minute; a period without a value counts as the alarm says. An alarm for which
 * silence is bad has no data from before the store began.
 */
export function alarmStates(rows: readonly AlarmRow[], store: MetricStore, now: number): Map<string, AlarmView> {
  const end = Math.floor(now / MINUTE) * MINUTE;
  const views = new Map<string, AlarmView>();
  for (const row of rows) {
    const { name, level, impact, section, when, any } = row;
    const states =
      'alarms' in when
        ? statesBelow(when, (other) => views.get(other)!.state)
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
  if (states.every((state) => state === 'ALARM')) return 'ALARM';
  return WORST_FIRST.slice(1).find((state) => states.includes(state))!;
}

function stateOf(condition: Condition, store: MetricStore, end: number): AlarmState {
  const { metric, datapoints = 1, outOf = datapoints, missingIsBad = false } = condition;
  // Only graphs search.
  if (metric.kind === 'every' || !isMeasured(metric, store)) return 'ONLY_AWS';
  const step = metric.minutes * MINUTE;
  const starts = Array.from({ length: outOf }, (_, back) => end - (back + 1) * step);
  const verdicts = valuesOf(metric, store, { starts, step }).map((value, back) => {
    if (value !== undefined) return isBeyond(condition, value);
    return missingIsBad && starts[back]! < store.since ? undefined : missingIsBad;
  });
  if (verdicts.filter((bad) => bad === true).length >= datapoints) return 'ALARM';
  return verdicts.includes(undefined) ? 'INSUFFICIENT_DATA' : 'OK';
}

function isBeyond(condition: Condition, value: number): boolean {
  if ('above' in condition) return value > condition.above;
  return 'atLeast' in condition ? value >= condition.atLeast : value < condition.below;
}
