const DATE_TIME = new Intl.DateTimeFormat('pt-BR', { dateStyle: 'short', timeStyle: 'short' });
const SPANS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;
const RELATIVE = new Intl.RelativeTimeFormat('pt-BR', { numeric: 'always' });

/** A moment as people here write it: 21/11/2026, 09:15, by the clock of this machine. */
export const dateTime = (at: string): string => DATE_TIME.format(new Date(at));

/** The time of day of a moment in milliseconds: 09:15:07, by the clock of this machine. */
export const timeOfDay = (at: number): string => new Date(at).toLocaleTimeString('pt-BR');

/** How far a moment is from now: "há 3 dias", "em 2 horas"; less than a minute is "agora". */
export function distance(at: string, now: number): string {
  const milliseconds = Date.parse(at) - now;
  for (const [unit, length] of SPANS) {
    if (Math.abs(milliseconds) >= length) return RELATIVE.format(Math.trunc(milliseconds / length), unit);
  }
  return 'agora';
}

/** What an input of type datetime-local holds, as a moment with an offset; undefined where it is empty. */
export const momentOf = (local: string): string | undefined =>
  local === '' ? undefined : new Date(local).toISOString();

/**
 * For how long the secret before a rotation signs too, in milliseconds. Source:
 * shared/contract/README.md#signatures, rule 5.
 */
const OVERLAP = 24 * 3_600_000;

/**
 * The overlap of two secrets that ends at `until`: when it began (ISO 8601), and how much of it is over, 0 to 1. Undefined
 * where none runs at `now`, in milliseconds since 1970.
 */
export function secretTimeline(until: string | null, now: number) {
  if (until === null) return undefined;
  const end = Date.parse(until);
  if (end <= now) return undefined;
  const passed = Math.max(0, Math.min(1, 1 - (end - now) / OVERLAP));
  return { from: new Date(end - OVERLAP).toISOString(), until, passed };
}
