import { AsyncLocalStorage } from 'node:async_hooks';
import type { Context } from 'aws-lambda';
import { beginLog, logError, RunFailed, withOwnLog } from './log.ts';

interface Deadline {
  readonly signal: AbortSignal;
  /** Time of the deadline on the monotonic clock (`performance.now()`). */
  readonly atMs: number;
  /** Deadline of the surrounding run. Undefined if there is none. */
  readonly outer: Deadline | undefined;
  ended: boolean;
}

const current = new AsyncLocalStorage<Deadline>();

/**
 * Runs one invocation under a deadline, which is `milliseconds` from now. Its calls to other systems end by then,
 * because their clients pass the signal on and fit their attempts into the time that remains. Reads of cached secrets
 * have a time limit of their own (shared/runtime/secret.ts).
 *
 * Once the deadline has passed or `run` has ended, no such call begins. A part of `run` that hung may continue much
 * later: when Lambda thaws the container for its next invocation.
 */
export async function withDeadline<T>(milliseconds: number, run: () => Promise<T>): Promise<T> {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(new DeadlineReached()), Math.max(0, milliseconds));
  const atMs = performance.now() + milliseconds;
  const deadline: Deadline = { signal: abort.signal, atMs, outer: current.getStore(), ended: false };
  try {
    return await current.run(deadline, () => withOwnLog(run));
  } finally {
    clearTimeout(timer);
    deadline.ended = true;
  }
}

export interface Cancellable<T> {
  /** Result of the work. If it rejects and nobody awaits it, no unhandled rejection follows. */
  readonly result: Promise<T>;
  /** Aborts the calls that the work waits for, and resolves when the work has ended. */
  cancel(): Promise<void>;
}

export function cancellable<T>(run: () => Promise<T>): Cancellable<T> {
  const abort = new AbortController();
  const outer = current.getStore();
  const signal = outer ? AbortSignal.any([outer.signal, abort.signal]) : abort.signal;
  const deadline: Deadline = { signal, atMs: Number.POSITIVE_INFINITY, outer, ended: false };
  const result = current.run(deadline, async () => run());
  const end = () => {
    deadline.ended = true;
  };
  const ended = result.then(end, end);
  return {
    result,
    cancel: () => {
      // Most work has ended by now. An abort would make an error with its stack: a twentieth of the time of a read.
      if (!deadline.ended) abort.abort(new Cancelled());
      return ended;
    },
  };
}

class Cancelled extends Error {
  override readonly name = 'AbortError';
}

export class DeadlineReached extends Error {
  override readonly name = 'DeadlineReached';
}

const OVER = AbortSignal.abort(new DeadlineReached());

/**
 * Returns a signal that aborts at the invocation's deadline. It is aborted from the start if the deadline has passed or
 * the invocation has ended: in a thawed container, the timer may fire after the code that waited has continued.
 * Undefined outside an invocation.
 */
export function deadlineSignal(): AbortSignal | undefined {
  const signal = current.getStore()?.signal;
  return signal && !signal.aborted && remainingTime(0) <= 0 ? OVER : signal;
}

/** Returns options with which a call of the AWS SDK ends with the invocation, also in the pause before an attempt. */
export const underDeadline = (): { abortSignal: AbortSignal | undefined } => ({ abortSignal: deadlineSignal() });

/** Returns `otherwiseMs` outside an invocation. */
export function remainingTime(otherwiseMs: number): number {
  const deadline = current.getStore();
  return deadline ? timeLeft(deadline) : otherwiseMs;
}

function timeLeft({ atMs, outer, ended }: Deadline): number {
  if (ended) return 0;
  const left = atMs - performance.now();
  return outer ? Math.min(left, timeLeft(outer)) : left;
}

/** A port that can work while a container starts, so that its first call does not wait: read keys, open connections. */
export interface Primable {
  /** Does the work in advance. It may fail or hang: nothing depends on it. */
  prime(): Promise<unknown>;
}

const PRIMING_MS = 1_000;

export function isPrimable(port: unknown): port is Primable {
  return (typeof port === 'object' || typeof port === 'function') && port !== null && 'prime' in port;
}

/**
 * Runs all primings at the same time, and aborts their calls after PRIMING_MS. Never fails: the container's first call
 * does the work of a priming that did not finish.
 */
export async function primeAll(primings: () => readonly Promise<unknown>[]): Promise<void> {
  const timeUp = Promise.withResolvers<void>();
  const timer = setTimeout(timeUp.resolve, PRIMING_MS);
  const run = withDeadline(PRIMING_MS, async () => Promise.allSettled(primings()));
  // A client may ignore the deadline, so the wait has an end of its own.
  await Promise.race([run, timeUp.promise]).catch(() => {});
  clearTimeout(timer);
}

/** Calls are aborted this long before the function's timeout, so that the run can still log its result. */
const LAST_CALL_MS = 1_000;

/** Every line of the run's log has the operation and `facts`. If the run fails, logs its error and throws RunFailed. */
export async function backgroundRun<T>(
  operation: string,
  context: Context,
  run: () => Promise<T>,
  facts: Readonly<Record<string, number>> = {},
): Promise<T> {
  beginLog({ request_id: context.awsRequestId, operation, ...facts });
  try {
    return await withDeadline(context.getRemainingTimeInMillis() - LAST_CALL_MS, run);
  } catch (error) {
    logError('run_failed', error);
    throw new RunFailed();
  }
}
