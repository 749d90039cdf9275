const DATE_TIME = new Intl.DateTimeFormat('pt-BR', { dateStyle: 'short', timeStyle: 'short' });
const SPANS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;
const RELATIVE = new Intl.RelativeTimeFormat('pt-BR', { numeric: 'always' });

/** A moment as people here write it: 21/11/2026, 09:15, by the clock of this machine. */
export function dateTime(at: string): string {
  return DATE_TIME.format(new Date(at));
}

/** How far a moment is from now: "há 3 dias", "em 2 horas"; less than a minute is "agora". */
export function distance(at: string, now: number): string {
  const milliseconds = Date.parse(at) - now;
  for (const [unit, length] of SPANS) {
    if (Math.abs(milliseconds) >= length) return RELATIVE.format(Math.trunc(milliseconds / length), unit);
  }
  return 'agora';
}

/** What an input of type datetime-local holds, as a moment with an offset; undefined where it is empty. */
export function momentOf(local: string): string | undefined {
  return local === '' ? undefined : new Date(local).toISOString();
}
