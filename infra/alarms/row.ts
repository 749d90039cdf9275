import type { ImpactAlarmProps } from '../constructs/impact-alarm.ts';
import { type Formula, percentOf } from '../formula.ts';
import { type MetricSeries, math } from '../metrics.ts';

/** The dashboard whose top row shows an alarm. */
export type BoardName = 'product' | 'partners' | 'platform';

/** An alarm of the watch stack. */
export interface AlarmRow extends Omit<ImpactAlarmProps, 'setting'> {
  readonly board: BoardName;
}

type Where = Pick<AlarmRow, 'board' | 'section'>;
const rowsOf =
  (level: AlarmRow['level']) =>
  (name: string, { board, section }: Where, impact: string, when: AlarmRow['when']): AlarmRow => ({
    name,
    level,
    board,
    section,
    impact,
    when,
  });
/** Wakes someone. */
export const page = rowsOf('page');
/** Waits for office hours. */
export const ticket = rowsOf('ticket');
/** Tells no one; others stand above it. */
export const part = rowsOf('part');

/** The sum of formulas. */
export const added = (parts: readonly Formula[]): Formula => parts.reduce((sum, one) => [sum, '+', one]);

/** Three periods of the last five: one alone is noise. */
export const THREE_OF_FIVE = { datapoints: 3, outOf: 5 } as const;

/**
 * Percent that failed is of calls; 0 while there were fewer calls than `least`, so that one failure at night wakes no one.
 * `ours` of the calls are our own and do not count; where they fail too, it is more than 100.
 */
export function percentFailed(failed: MetricSeries, calls: MetricSeries, least: number, label: string, ours = 0) {
  const counted: Formula = ours > 0 ? ['calls', '-', ours] : 'calls';
  const formula = { if: counted, atLeast: least, gives: percentOf('failed', counted), else: 0 };
  return math({ failed, calls }, formula, label);
}

/** A metric where there were at least so many samples, else 0: a percentile of two values says nothing. */
export const withSamples = (value: MetricSeries, least: number, label: string, samples = samplesOf(value)) =>
  math({ value, samples }, { if: 'samples', atLeast: least, gives: 'value', else: 0 }, label);

/** How many values a metric had. */
export const samplesOf = (series: MetricSeries): MetricSeries => ({ ...series, statistic: 'SampleCount' });
