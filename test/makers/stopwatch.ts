import type { Clock, Stopwatch } from '#shared/domain/values/clock.ts';

/** Returns a stopwatch that measures by a test's own clock. */
export function stopwatchBy(clock: Clock): Stopwatch {
  return () => {
    const begun = clock();
    return () => clock() - begun;
  };
}
