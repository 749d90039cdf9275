/** Failures in a row after which one more call is tried, alone. */
const FAILURES_TO_OPEN = 5;

/**
 * How a call ended for the breaker. `failed`: the bank, or the way to it, did not answer. `neutral`: the call says nothing of
 * the bank, since its fault lies in one analysis or with us.
 */
export type CallEnd = 'answered' | 'failed' | 'neutral';

/**
 * The circuit breaker of one lane in one run. Five failures in a row trip it: calls under way are waited for, then one is
 * tried alone. Its failure opens the breaker for good, its answer closes it; a run gives a bank one such try. A neutral
 * end counts for nothing, and the try is made again with the next call.
 */
export function circuitBreaker() {
  let state: 'closed' | 'tripped' | 'trying' | 'open' = 'closed';
  let failures = 0;
  let tried = false;
  return {
    /** Whether the bank is left alone for the rest of the run. */
    get isOpen() {
      return state === 'open';
    },
    /** Whether a call may start while so many are under way. */
    mayStart: (running: number) => state === 'closed' || (state === 'tripped' && running === 0),
    started() {
      if (state === 'tripped') state = 'trying';
    },
    ended(end: CallEnd) {
      if (state === 'open') return;
      if (end === 'neutral') {
        if (state === 'trying') state = 'tripped';
      } else if (end === 'answered') {
        tried ||= state === 'trying';
        failures = 0;
        state = 'closed';
      } else {
        failures += 1;
        if (state === 'trying') state = 'open';
        else if (state === 'closed' && failures >= FAILURES_TO_OPEN) state = tried ? 'open' : 'tripped';
      }
    },
  };
}
