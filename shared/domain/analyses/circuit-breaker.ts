/** Failures in a row after which the breaker makes one trial call. */
const FAILURES_TO_OPEN = 5;

/**
 * The end of a call, as the circuit breaker counts it.
 * - `answered`: the bank works.
 * - `failed`: the bank, or the connection to it, did not answer.
 * - `neutral`: nothing, since the fault is in one analysis or in our own code.
 */
export type CallEnd = 'answered' | 'failed' | 'neutral';

/**
 * Returns the circuit breaker of one lane in one run. After five failures in a row it waits for the calls that are
 * running; if one of them is answered, it closes again. Otherwise it admits one trial call.
 *
 * If the trial call fails, the breaker opens for the rest of the run. If it is answered, the breaker closes, and the
 * next five failures in a row open it without another trial. A neutral end does not count: after a neutral trial call,
 * the next call is the trial.
 */
export function circuitBreaker() {
  let state: 'closed' | 'tripped' | 'trying' | 'open' = 'closed';
  let failures = 0;
  let tried = false;
  return {
    /** Whether no more calls are made in this run. */
    get isOpen() {
      return state === 'open';
    },
    /** Whether a call may start while `running` other calls are running. */
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
