import { days, hours, type Instant, type Milliseconds, minutes } from './time.ts';

export type Clock = () => Instant;

/** The returned function says how much time has passed at least, even if the clock was corrected meanwhile. */
export type Stopwatch = () => () => Milliseconds;

/** How far a partner's clock may be ahead of ours. */
export const CLOCK_DIFFERENCE: Milliseconds = minutes(5);

/** False if `since` lies in the future: a clock that was put back would otherwise extend the time by as much. */
export const isWithin = (now: Instant, since: Instant, time: Milliseconds): boolean =>
  now >= since && now - since < time;

/** Day of the Gregorian calendar, written as `YYYY-MM-DD`. */
export type Day = string & { readonly __format: 'day' };

export function isDay(text: string): text is Day {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const { year, month, day } = partsOf(text);
  return year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
}

/** Undefined if the text is not a day written as `YYYY-MM-DD`. */
export const parseDay = (text: string): Day | undefined => (isDay(text) ? text : undefined);

/** Throws a RangeError if the text is not a day written as `YYYY-MM-DD`. */
export function dayOf(text: string): Day {
  if (!isDay(text)) throw new RangeError(`there is no day '${text}'`);
  return text;
}

export function daysInMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

function partsOf(text: string): { year: number; month: number; day: number } {
  return { year: Number(text.slice(0, 4)), month: Number(text.slice(5, 7)), day: Number(text.slice(8, 10)) };
}

export const dayParts = (day: Day): { year: number; month: number; day: number } => partsOf(day);

/** Returns the month's last day if the month has no such day: one month after 31 January is 28 or 29 February. */
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

export const addDays = (start: Day, count: number): Day => dayAt(Date.parse(start) + days(count));

/** Most months that addMonths can add to `from` without passing `to`. */
export function monthsBetween(from: Day, to: Day): number {
  const start = dayParts(from);
  const end = dayParts(to);
  const months = (end.year - start.year) * 12 + (end.month - start.month);
  return end.day >= Math.min(start.day, daysInMonth(end.year, end.month)) ? months : months - 1;
}

/** Negative if `to` comes first. */
export const daysBetween = (from: Day, to: Day): number => (Date.parse(to) - Date.parse(from)) / days(1);

/**
 * Returns the completed years of age on a day. A person who was born on 29 February becomes a year older on 1 March in
 * years without a 29 February (Código Civil, art. 132 § 3).
 */
export function ageOn(birth: Day, on: Day): number {
  const years = Number(on.slice(0, 4)) - Number(birth.slice(0, 4));
  return on.slice(5) >= birth.slice(5) ? years : years - 1;
}

/** Time by which São Paulo is behind UTC. It holds all year: decree 9.772 of 2019 ended summer time in Brazil. */
const SAO_PAULO_BEHIND_UTC: Milliseconds = hours(3);

export const dayInSaoPaulo = (now: Instant): Day => dayAt(now - SAO_PAULO_BEHIND_UTC);

export const startInSaoPaulo = (day: Day): Instant => Date.parse(day) + SAO_PAULO_BEHIND_UTC;

/** `2026-01-01T00:00:00.000-03:00` */
export const timestampInSaoPaulo = (now: Instant): string =>
  `${timestamp(now - SAO_PAULO_BEHIND_UTC).slice(0, -1)}-03:00`;

const dayAt = (now: Instant): Day => dayOf(timestamp(now).slice(0, 10));

/** `2026-01-01T00:00:00.000Z` */
export const timestamp = (now: Instant): string => new Date(now).toISOString();
