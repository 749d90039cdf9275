import type { Clock } from '../domain/values/clock.ts';

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

/** How far back bank submissions are looked at, and how long a refused token is believed, in milliseconds. */
const WINDOW = 30_000;
/** Bank submissions below which nothing is concluded from their time-outs. */
const LEAST = 3;

/** Whether a container still offers the operator new submissions. */
export interface Circuit {
  /** Takes note of a call to the operator. */
  note(call: {
    readonly operation: 'submit' | 'query' | 'query_batch';
    readonly fault: OperatorFault | undefined;
  }): void;
  /** Whole seconds for which submissions are not worth taking in, 1 to 30; undefined while they are. */
  openFor(): number | undefined;
}

/**
 * Sheds new submissions that nobody could serve: while most of the last 30 s' bank submissions timed out, each further
 * one would only hold a function for its whole time; and for 30 s after the operator refused our token, no bank would get
 * any. What is shed is told so before anything is stored. After the window the next submission is the trial. One circuit
 * a container: containers that reach the operator go on.
 */
export function circuit(clock: Clock): Circuit {
  let submissions: { readonly at: number; readonly timedOut: boolean }[] = [];
  let refusedAt: number | undefined;

  return {
    note({ operation, fault }) {
      const at = clock();
      const refused = fault === 'unauthorized' || fault === 'token';
      // An answer proves the token; a call without one says nothing of it.
      if (refused) refusedAt = at;
      else if (fault === undefined) refusedAt = undefined;
      if (operation !== 'submit') return;
      submissions.push({ at, timedOut: fault === 'timeout' || fault === 'aborted' });
    },

    openFor() {
      const now = clock();
      submissions = submissions.filter(({ at }) => now - at < WINDOW);
      const late = submissions.filter(({ timedOut }) => timedOut);
      const overloaded = submissions.length >= LEAST && late.length * 2 > submissions.length;
      const until = Math.max(overloaded ? late[0]!.at + WINDOW : 0, refusedAt === undefined ? 0 : refusedAt + WINDOW);
      return until > now ? Math.ceil((until - now) / 1000) : undefined;
    },
  };
}
