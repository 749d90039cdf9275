import { days, hours, type Instant, type Milliseconds } from './time.ts';

/** Returns the present moment. A port, so that tests can hold the time. */
export type Clock = () => Instant;

/** A calendar day, `YYYY-MM-DD`, valid in the Gregorian calendar. */
export type Day = string & { readonly __format: 'day' };

/** Whether a text writes a day of the Gregorian calendar as `YYYY-MM-DD`. */
export function isDay(text: string): text is Day {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const { year, month, day } = partsOf(text);
  return year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
}

/** The day that a text writes as `YYYY-MM-DD`; undefined if there is no such day. */
export const parseDay = (text: string): Day | undefined => (isDay(text) ? text : undefined);

/** The day that a text writes as `YYYY-MM-DD`. Throws a RangeError if there is no such day. */
export function dayOf(text: string): Day {
  if (!isDay(text)) throw new RangeError(`there is no day '${text}'`);
  return text;
}

/** How many days a month (1 to 12) of a year has. */
export function daysInMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** Year, month (1 to 12) and day of the month of a text of the form `YYYY-MM-DD`. */
function partsOf(text: string): { year: number; month: number; day: number } {
  return { year: Number(text.slice(0, 4)), month: Number(text.slice(5, 7)), day: Number(text.slice(8, 10)) };
}

/** Year, month (1 to 12) and day of the month of a day. */
export const dayParts = (day: Day): { year: number; month: number; day: number } => partsOf(day);

/** The same day of the month so many months later, clamped to that month's end (31 January + 1 month = 28 or 29 February). */
export function addMonths(start: Day, months: number): Day {
  const { year, month, day } = dayParts(start);
  const index = year * 12 + (month - 1) + months;
  const laterYear = Math.floor(index / 12);
  const laterMonth = (index % 12) + 1;
  const laterDay = Math.min(day, daysInMonth(laterYear, laterMonth));
  const yearText = String(laterYear).padStart(4, '0');
  const monthText = String(laterMonth).padStart(2, '0');
  return dayOf(`${yearText}-${monthText}-${String(laterDay).padStart(2, '0')}`);
}

/** The day so many days later; earlier if the number is below zero. */
export const addDays = (start: Day, count: number): Day => dayAt(Date.parse(start) + days(count));

/** Whole months that have passed from one day to a later one; a month is complete on its day, or on the month's last day where it has none. */
export function monthsBetween(from: Day, to: Day): number {
  const a = dayParts(from);
  const b = dayParts(to);
  const months = (b.year - a.year) * 12 + (b.month - a.month);
  return b.day >= Math.min(a.day, daysInMonth(b.year, b.month)) ? months : months - 1;
}

/** Days from one day to another; below zero where the other comes first. */
export const daysBetween = (from: Day, to: Day): number => (Date.parse(to) - Date.parse(from)) / days(1);

/** Completed years of a person born on a day, on another day. Born on 29 February: a year older on 1 March of common years (Código Civil, art. 132 § 3). */
export function ageOn(birth: Day, on: Day): number {
  const years = Number(on.slice(0, 4)) - Number(birth.slice(0, 4));
  return on.slice(5) >= birth.slice(5) ? years : years - 1;
}

/** How far Sao Paulo is behind UTC, all year: Brazil has no summer time since decree 9.772 of 2019. */
const SAO_PAULO: Milliseconds = hours(3);

/** Returns the calendar day in America/Sao_Paulo at a moment. */
export const dayInSaoPaulo = (now: Instant): Day => dayAt(now - SAO_PAULO);

/** Returns the calendar day in UTC at a moment. */
const dayAt = (now: Instant): Day => dayOf(timestamp(now).slice(0, 10));

/** Returns a moment as ISO 8601 ending in `Z`. */
export const timestamp = (now: Instant): string => new Date(now).toISOString();
