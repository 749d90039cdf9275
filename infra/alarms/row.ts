import type { ImpactAlarmProps } from '../constructs/impact-alarm.ts';
import { type Formula, percentOf } from '../formula.ts';
import { type MetricSeries, math } from '../metrics.ts';

export type BoardName = 'product' | 'partners' | 'platform';

/**
 * Where the person on call begins to look: at this service and its platform, at the banks and their operator, or at
 * what partners send and receive. If two causes fit, the alarm has the cause that is checked first.
 */
export const CAUSES = ['us', 'bank', 'partner'] as const;
type Cause = (typeof CAUSES)[number];

export interface AlarmRow extends Omit<ImpactAlarmProps, 'setting'> {
  readonly board: BoardName;
  readonly about: Cause;
}

/** A row before `alarmsOf` adds the runbook section. */
export type Row = Omit<AlarmRow, 'section'>;

type Where = Pick<AlarmRow, 'board' | 'about'>;
const rowsOf =
  (level: AlarmRow['level']) =>
  (name: string, { board, about }: Where, impact: string, when: AlarmRow['when']): Row => ({
    name,
    level,
    board,
    about,
    impact,
    when,
  });
export const page = rowsOf('page');
export const ticket = rowsOf('ticket');
export const part = rowsOf('part');

export const added = (parts: readonly Formula[]): Formula => parts.reduce((sum, part) => [sum, '+', part]);

/** Three of the last five periods, because a single bad period may be chance. */
export const THREE_OF_FIVE = { datapoints: 3, outOf: 5 } as const;

/**
 * Returns 0 if there were fewer calls than `minimum`, so that one failure at night wakes nobody. The outside probe's
 * calls (`ours`) do not count as calls: if they fail too, the result is above 100.
 */
export function percentFailed(failed: MetricSeries, calls: MetricSeries, minimum: number, label: string, ours = 0) {
  const counted: Formula = ours > 0 ? ['calls', '-', ours] : 'calls';
  const formula = { if: counted, atLeast: minimum, gives: percentOf('failed', counted), else: 0 };
  return math({ failed, calls }, formula, label);
}

/** Returns 0 for fewer than `minimum` samples: a percentile of two values says nothing. */
export const withSamples = (value: MetricSeries, minimum: number, label: string, samples = samplesOf(value)) =>
  math({ value, samples }, { if: 'samples', atLeast: minimum, gives: 'value', else: 0 }, label);

export const samplesOf = (series: MetricSeries): MetricSeries => ({ ...series, statistic: 'SampleCount' });
