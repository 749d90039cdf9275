import { parseDay } from '#shared/domain/values/clock.ts';
import { compareRatios, ratioOf } from '../ratio.ts';
import type { Figure } from './table.ts';

/** Ages in completed years for which a premium must be known. */
export const YOUNGEST_INSURED = 18;
export const OLDEST_INSURED = 80;

/** What a figure may be: a decimal inside its bounds, both of them allowed. */
export interface Bounds {
  readonly least: string;
  readonly most: string;
  readonly whole?: true;
  /** May be written as a fraction, `1/3`. */
  readonly fraction?: true;
  readonly decimals?: number;
}

const money = (least: string, most: string): Bounds => ({ least, most, decimals: 2 });

/** Percent a month of the balance, any insured age. */
export const MIP: Bounds = { least: '0.003', most: '1.2' };

/**
 * Bounds of each kind of figure: wider than anything that this market has seen since 2015, narrow enough that a
 * decimal point or a zero too many falls outside.
 */
export const PLAUSIBLE = {
  /** Percent a year. */
  annualRate: { least: '4', most: '30', decimals: 4 },
  /** Percent a month: 4 to 30 % a year. */
  monthlyRate: { least: '0.33', most: '2.21', decimals: 4 },
  /** Percent of the property's value. */
  share: { least: '30', most: '90' },
  /** Months. */
  shortestTerm: { least: '6', most: '180', whole: true },
  longestTerm: { least: '120', most: '420', whole: true },
  leastFinanced: money('10000', '500000'),
  largestFinanced: money('500000', '50000000'),
  leastProperty: money('20000', '1000000'),
  /** Percent a month of the property's value. */
  dfi: { least: '0.002', most: '0.03' },
  monthlyFee: money('0', '100'),
  appraisalFee: money('0', '10000'),
  incomeShare: { least: '15/100', most: '1/2', fraction: true },
  /** Years. */
  youngest: { least: '18', most: '21', whole: true },
  oldest: { least: '60', most: String(OLDEST_INSURED), whole: true },
  /** Months. */
  oldestAtTheEnd: { least: '720', most: String(OLDEST_INSURED * 12 + 11), whole: true },
  sfhProperty: money('500000', '10000000'),
  sfhRate: { least: '6', most: '20' },
  sfhFee: money('10', '100'),
  /** Percent of the property's value. */
  expenses: { least: '1', most: '10' },
  programmeIncome: money('3000', '50000'),
  programmeProperty: money('100000', '2000000'),
  /** Percent a day. */
  dailyRate: { least: '0.001', most: '0.02' },
  /** Days. */
  longest: { least: '365', most: '365', whole: true },
  /** Percent. */
  additionalRate: { least: '0.1', most: '1' },
  /** Percent a year. */
  inflation: { least: '0', most: '15' },
} as const satisfies Record<string, Bounds>;

/** Whether a row of a table is a figure with bounds of its own name. */
export const isBounded = (row: string): row is keyof typeof PLAUSIBLE => Object.hasOwn(PLAUSIBLE, row);

/** What is wrong with a date of publication that has to be known on a day; undefined if nothing is. */
export function dateFault(date: string, until: string): string | undefined {
  const isDate = /^\d{4}(-\d{2}){0,2}$/.test(date) && parseDay(`${date}-01-01`.slice(0, 10)) !== undefined;
  if (!isDate) return 'has no date of publication';
  return date > until ? `was published in ${date}, after ${until}` : undefined;
}

/** What is wrong with a figure that has to be known on a day; nothing where it is sound. */
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
