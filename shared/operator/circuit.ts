import { type Clock, isWithin } from '../domain/values/clock.ts';
import { type Instant, type Milliseconds, type Seconds, seconds } from '../domain/values/time.ts';

/** A closed set, so that it can be a metric's dimension. */
export type OperatorFault =
  | 'token'
  | 'aborted'
  | 'timeout'
  | 'connection'
  | 'too_large'
  | 'unauthorized'
  | 'failing'
  /** A status that the contract does not name. */
  | 'status'
  | 'garbage'
  | 'mismatch';

/** How far back bank submissions count, and how long after a refused token no new submission is accepted. */
export const CIRCUIT_WINDOW: Milliseconds = seconds(30);
/** With fewer submissions, time-outs do not open the circuit. */
const LEAST_SUBMISSIONS = 3;

interface CircuitCall {
  readonly operation: 'submit' | 'query' | 'query_batch';
  /** Undefined if the call had an answer. */
  readonly fault: OperatorFault | undefined;
}

interface Submission {
  readonly at: Instant;
  readonly timedOut: boolean;
}

function overloaded(submissions: readonly Submission[]): boolean {
  const late = submissions.filter(({ timedOut }) => timedOut);
  return submissions.length >= LEAST_SUBMISSIONS && late.length * 2 > submissions.length;
}

/** 0 if the submissions are no overload now. */
function overloadedUntil(submissions: readonly Submission[]): Instant {
  let until: Instant = 0;
  for (const [index, { at }] of submissions.entries()) {
    if (!overloaded(submissions.slice(index))) break;
    until = at + CIRCUIT_WINDOW;
  }
  return until;
}

/**
 * Refuses new submissions before anything is stored, in two cases:
 *
 * - Most bank submissions of the last 30 s timed out. A further submission would only keep a function busy.
 * - In the last 30 s the token was refused or missing, and no answer has proved it valid since.
 *
 * Each container has its own circuit, so containers that still reach the operator continue.
 */
export class Circuit {
  readonly #clock: Clock;
  #submissions: readonly Submission[] = [];
  #refusedAt: Instant | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  note({ operation, fault }: CircuitCall): void {
    const at = this.#clock();
    const refused = fault === 'unauthorized' || fault === 'token';
    // An answer proves that the token is valid. A call without an answer says nothing about the token.
    if (refused) this.#refusedAt = at;
    else if (fault === undefined) this.#refusedAt = undefined;
    if (operation !== 'submit') return;
    this.#submissions = this.#recent().concat({ at, timedOut: fault === 'timeout' || fault === 'aborted' });
  }

  /** From 1 to 30. Undefined while submissions are accepted. */
  openFor(): Seconds | undefined {
    const now = this.#clock();
    const refusedAt = this.#refusedAt;
    const isRefused = refusedAt !== undefined && isWithin(now, refusedAt, CIRCUIT_WINDOW);
    const refusedUntil = isRefused ? refusedAt + CIRCUIT_WINDOW : 0;
    const until = Math.max(overloadedUntil(this.#recent()), refusedUntil);
    return until > now ? Math.ceil((until - now) / seconds(1)) : undefined;
  }

  #recent(): readonly Submission[] {
    const now = this.#clock();
    return this.#submissions.filter(({ at }) => isWithin(now, at, CIRCUIT_WINDOW));
  }
}
