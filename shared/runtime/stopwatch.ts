import { MOST_DIFFERENCE_MS } from './background-runs.ts';

/** Background runs accept a clock that is up to five minutes wrong, so a correction moves it by at most ten minutes. */
const LARGEST_CORRECTION_MS = 2 * MOST_DIFFERENCE_MS;

/**
 * Returns a function that says how many milliseconds have passed at least. The monotonic clock may stand still while
 * the container is frozen. The wall clock counts frozen time, but may be corrected. Neither says more than has passed
 * if the largest correction is taken off the wall clock's time.
 */
export function stopwatch(): () => number {
  const [wallMs, monotonicMs] = [Date.now(), performance.now()];
  return () => Math.max(performance.now() - monotonicMs, Date.now() - wallMs - LARGEST_CORRECTION_MS);
}
