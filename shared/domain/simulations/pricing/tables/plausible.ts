import { parseDay } from '#shared/domain/values/clock.ts';
import { compareRatios, ratioOf } from '../ratio.ts';
import type { Figure } from './table.ts';

/** Lowest and highest age, in completed years, for which a premium must be known. */
export const YOUNGEST_INSURED = 18;
export const OLDEST_INSURED = 80;

/** A decimal from `least` to `most`, both included. */
export interface Bounds {
  readonly least: string;
  readonly most: string;
  readonly whole?: true;
  /** The figure may be a fraction like `1/3`. */
  readonly fraction?: true;
  readonly decimals?: number;
}

const money = (least: string, most: string): Bounds => ({ least, most, decimals: 2 });

/** In percent of the balance each month, for any insured age. */
export const MIP: Bounds = { least: '0.003', most: '1.2' };

/**
 * Bounds of each kind of figure. They are wider than everything that this market has seen since 2015, and so narrow
 * that a wrong decimal point or an extra zero falls outside.
 */
export const PLAUSIBLE = {
  /** In percent a year. */
  annualRate: { least: '4', most: '30', decimals: 4 },
  /** In percent a month. These bounds are 4 and 30 % a year. */
  monthlyRate: { least: '0.33', most: '2.21', decimals: 4 },
  /** In percent of the property's value. */
  share: { least: '30', most: '90' },
  /** In months. */
  shortestTerm: { least: '6', most: '180', whole: true },
  longestTerm: { least: '120', most: '420', whole: true },
  leastFinanced: money('10000', '500000'),
  largestFinanced: money('500000', '50000000'),
  leastProperty: money('20000', '1000000'),
  /** In percent of the property's value each month. */
  dfi: { least: '0.002', most: '0.03' },
  monthlyFee: money('0', '100'),
  appraisalFee: money('0', '10000'),
  incomeShare: { least: '15/100', most: '1/2', fraction: true },
  /** In years. */
  youngest: { least: '18', most: '21', whole: true },
  oldest: { least: '60', most: String(OLDEST_INSURED), whole: true },
  /** In months. */
  oldestAtTheEnd: { least: '720', most: String(OLDEST_INSURED * 12 + 11), whole: true },
  sfhProperty: money('500000', '10000000'),
  sfhRate: { least: '6', most: '20' },
  sfhFee: money('10', '100'),
  /** In percent of the property's value. */
  expenses: { least: '1', most: '10' },
  programmeIncome: money('3000', '50000'),
  programmeProperty: money('100000', '2000000'),
  /** In percent a day. */
  dailyRate: { least: '0.001', most: '0.02' },
  /** In days. */
  longest: { least: '365', most: '365', whole: true },
  /** In percent. */
  additionalRate: { least: '0.1', most: '1' },
  /** In percent a year. */
  inflation: { least: '0', most: '15' },
} as const satisfies Record<string, Bounds>;

export const isBounded = (row: string): row is keyof typeof PLAUSIBLE => Object.hasOwn(PLAUSIBLE, row);

/** The date must not be after `until`. Undefined if nothing is wrong. */
export function dateFault(date: string, until: string): string | undefined {
  const isDate = /^\d{4}(-\d{2}){0,2}$/.test(date) && parseDay(`${date}-01-01`.slice(0, 10)) !== undefined;
  if (!isDate) return 'has no date of publication';
  return date > until ? `was published in ${date}, after ${until}` : undefined;
}

/** The figure must not be published after `until`. */
export function figureFaults(figure: Figure, bounds: Bounds, until: string): readonly string[] {
  const pattern = bounds.fraction ? /^\d+(\/0*[1-9]\d*|\.\d+)?$/ : bounds.whole ? /^\d+$/ : /^\d+(\.\d+)?$/;
  if (!pattern.test(figure.value)) return [`'${figure.value}' is not a number`];
  const value = ratioOf(figure.value);
  const faults: string[] = [];
  if (compareRatios(value, ratioOf(bounds.least)) < 0) faults.push(`${figure.value} is below ${bounds.least}`);
  if (compareRatios(value, ratioOf(bounds.most)) > 0) faults.push(`${figure.value} is above ${bounds.most}`);
  if (bounds.decimals !== undefined && (figure.value.split('.')[1] ?? '').length > bounds.decimals)
    faults.push(`${figure.value} has more than ${bounds.decimals} decimals`);
  const date = dateFault(figure.date, until);
  if (date !== undefined) faults.push(date);
  if (!figure.source?.trim()) faults.push('has no source');
  return faults;
}
