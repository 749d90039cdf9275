import type { Clock } from '../domain/values/clock.ts';
import { type Instant, type Milliseconds, type Seconds, seconds } from '../domain/values/time.ts';

/** Why a call brought no answer that can be trusted: a closed set, so that it can be a metric's dimension. */
export type OperatorFault =
  | 'token'
  | 'aborted'
  | 'timeout'
  | 'connection'
  | 'too_large'
  | 'unauthorized'
  /** 5xx or 429. */
  | 'failing'
  /** Any other that the contract does not name. */
  | 'status'
  | 'garbage'
  | 'mismatch';

/** How far back bank submissions are looked at, and how long a refused token is believed. */
const WINDOW: Milliseconds = seconds(30);
/** Bank submissions below which nothing is concluded from their time-outs. */
const LEAST = 3;

/** A call to the operator that has ended. */
interface CircuitCall {
  readonly operation: 'submit' | 'query' | 'query_batch';
  /** Undefined if the call brought an answer. */
  readonly fault: OperatorFault | undefined;
}

interface Submission {
  readonly at: Instant;
  readonly timedOut: boolean;
}

function overloaded(submissions: readonly Submission[]): boolean {
  const late = submissions.filter(({ timedOut }) => timedOut);
  return submissions.length >= LEAST && late.length * 2 > submissions.length;
}

/** When enough of them have left the window for the others to be no overload, oldest first; 0 where they are none now. */
function overloadedUntil(submissions: readonly Submission[]): Instant {
  let until: Instant = 0;
  for (const [index, { at }] of submissions.entries()) {
    if (!overloaded(submissions.slice(index))) break;
    until = at + WINDOW;
  }
  return until;
}

/**
 * Sheds new submissions that could not be served. While most bank submissions of the last 30 s timed out, each further
 * one would only hold a function for its whole time; for 30 s after the operator refused our token, no bank would get any.
 * A shed call is refused before anything is stored. Afterwards submissions are accepted again, and their outcomes decide
 * anew. Each container has its own circuit, so containers that reach the operator go on.
 */
export class Circuit {
  readonly #clock: Clock;
  #submissions: readonly Submission[] = [];
  #refusedAt: Instant | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes note of a call to the operator. */
  note({ operation, fault }: CircuitCall): void {
    const at = this.#clock();
    const refused = fault === 'unauthorized' || fault === 'token';
    // An answer proves the token; a call without one says nothing of it.
    if (refused) this.#refusedAt = at;
    else if (fault === undefined) this.#refusedAt = undefined;
    if (operation !== 'submit') return;
    this.#submissions = this.#recent().concat({ at, timedOut: fault === 'timeout' || fault === 'aborted' });
  }

  /** For how long to refuse new submissions, a whole number from 1 to 30; undefined while they are accepted. */
  openFor(): Seconds | undefined {
    const now = this.#clock();
    const refusedUntil = this.#refusedAt === undefined ? 0 : this.#refusedAt + WINDOW;
    const until = Math.max(overloadedUntil(this.#recent()), refusedUntil);
    return until > now ? Math.ceil((until - now) / seconds(1)) : undefined;
  }

  #recent(): readonly Submission[] {
    return this.#submissions.filter(({ at }) => this.#clock() - at < WINDOW);
  }
}
