import { Failure } from '../values/failure.ts';

/** More calls than the minute allows. */
export class RateExceeded extends Failure {
  /** Calls a minute. */
  readonly limit: number;

  /** `retryAfter` in whole seconds. */
  constructor(limit: number, retryAfter: number) {
    super('rate_limited', { retryAfter });
    this.limit = limit;
  }
}

/**
 * Calls admitted so far that a minute allows, smoothed by the minute before: `limit - ceil(previous * (60 - second) / 60)`.
 * `second` is whole seconds into the clock minute. May be zero or less: then nothing is admitted.
 */
export function allowance(limit: number, previous: number, second: number): number {
  return limit - Math.ceil((previous * (60 - second)) / 60);
}

/** The longest that a refused caller is told to wait, in seconds. */
const LONGEST_WAIT = 61;

/** Whole seconds, 1 to 61, after which a call would be admitted if no other came before it. */
export function secondsUntilAdmitted(limit: number, previous: number, current: number, second: number): number {
  for (let later = second + 1; later < 60; later++) {
    if (current < allowance(limit, previous, later)) return later - second;
  }
  for (let later = 0; later < 60; later++) {
    if (0 < allowance(limit, current, later)) return Math.min(LONGEST_WAIT, 60 - second + later);
  }
  return LONGEST_WAIT;
}
