import { days, hours, type Instant, minutes } from '#shared/domain/values/time.ts';

const DATE_TIME = new Intl.DateTimeFormat('pt-BR', {
  day: '2-digit',
  month: '2-digit',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZoneName: 'shortOffset',
});
const SPANS = [
  ['day', days(1)],
  ['hour', hours(1)],
  ['minute', minutes(1)],
] as const;
const RELATIVE = new Intl.RelativeTimeFormat('pt-BR', { numeric: 'always' });

/** 21/11/2026, 09:15 GMT-3, by the clock of this machine. */
export const dateTime = (at: string): string => DATE_TIME.format(new Date(at));

/** 21/11/2026 for a day, 11/2026 for a month */
export const dayText = (day: string): string => day.split('-').reverse().join('/');

/** GMT-3, by the clock of this machine. */
export const zoneAt = (at: Instant): string =>
  DATE_TIME.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '';

/** 09:15:07, by the clock of this machine. */
export const timeOfDay = (at: Instant): string => new Date(at).toLocaleTimeString('pt-BR');

/** "há 3 dias", "em 2 horas". Less than a minute is "agora". */
export function distance(at: string, now: Instant): string {
  const milliseconds = Date.parse(at) - now;
  for (const [unit, length] of SPANS) {
    if (Math.abs(milliseconds) >= length) return RELATIVE.format(Math.trunc(milliseconds / length), unit);
  }
  return 'agora';
}

/** The moment is in UTC. Undefined if the input is empty. */
export const momentOf = (local: string): string | undefined =>
  local === '' ? undefined : new Date(local).toISOString();

/** Source: shared/contract/README.md#signatures, rule 5. */
const OVERLAP = hours(24);

/**
 * Returns when the overlap of two secrets began (ISO 8601), and how much of the overlap has passed, from 0 to 1.
 * Undefined if no overlap runs at `now`.
 */
export function secretTimeline(until: string | null, now: Instant) {
  if (until === null) return undefined;
  const end = Date.parse(until);
  if (end <= now) return undefined;
  const passed = Math.max(0, Math.min(1, 1 - (end - now) / OVERLAP));
  return { from: new Date(end - OVERLAP).toISOString(), until, passed };
}
