import type { ImpactAlarmProps } from '../constructs/impact-alarm.ts';
import { type Formula, percentOf } from '../formula.ts';
import { type MetricSeries, math } from '../metrics.ts';

export type BoardName = 'product' | 'partners' | 'platform';

/**
 * Where the person on call begins to look: at this service and what it runs on, at the banks and their operator, or at
 * what partners send and receive. If an alarm fits two of them, it has the one that is looked at first.
 */
export const CAUSES = ['us', 'bank', 'partner'] as const;
type Cause = (typeof CAUSES)[number];

export interface AlarmRow extends Omit<ImpactAlarmProps, 'setting'> {
  readonly board: BoardName;
  readonly about: Cause;
}

/** The section of the runbook follows from the alarm's name. */
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
/** Returns an alarm that wakes someone. */
export const page = rowsOf('page');
/** Returns an alarm that waits for office hours. */
export const ticket = rowsOf('ticket');
/** Returns an alarm that notifies nobody, because a composite alarm reads it. */
export const part = rowsOf('part');

export const added = (parts: readonly Formula[]): Formula => parts.reduce((sum, part) => [sum, '+', part]);

/** Three of the last five periods, because a single bad period may be chance. */
export const THREE_OF_FIVE = { datapoints: 3, outOf: 5 } as const;

/**
 * Returns 0 if there were fewer calls than `minimum`, so that one failure at night wakes nobody. `ours`: calls of the
 * outside probe, which do not count as calls; if they fail too, the result is above 100.
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
