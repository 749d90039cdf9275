import { AsyncLocalStorage } from 'node:async_hooks';
import type { Context } from 'aws-lambda';
import { beginLog, logError } from './log.ts';

interface Deadline {
  /** Aborts at the deadline. */
  readonly signal: AbortSignal;
  /** Time of the deadline on the monotonic clock (`performance.now()`). */
  readonly atMs: number;
}

const current = new AsyncLocalStorage<Deadline>();

/**
 * Runs one invocation under a deadline, which is `milliseconds` from now. Calls to the table, the delivery queue, the
 * operator and webhook receivers end by then, and so do writes of secrets. Their clients pass the signal on and fit
 * their attempts into the time that remains. Reads of cached secrets and calls about dead letters have time limits of
 * their own (shared/runtime/secret.ts, shared/queue).
 */
export async function withDeadline<T>(milliseconds: number, run: () => Promise<T>): Promise<T> {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(new DeadlineReached()), Math.max(0, milliseconds));
  try {
    return await current.run({ signal: abort.signal, atMs: performance.now() + milliseconds }, run);
  } finally {
    clearTimeout(timer);
  }
}

/** Work that can be cancelled because its result is no longer needed. */
export interface Cancellable<T> {
  /** Result of the work. If it rejects and nobody awaits it, no unhandled rejection follows. */
  readonly result: Promise<T>;
  /**
   * Aborts the calls that the work waits for, and resolves when the work has ended. Does nothing if it has ended
   * already.
   */
  cancel(): Promise<void>;
}

/** Starts work that can be cancelled before the invocation's deadline. */
export function cancellable<T>(run: () => Promise<T>): Cancellable<T> {
  const abort = new AbortController();
  const deadline = current.getStore();
  const signal = deadline ? AbortSignal.any([deadline.signal, abort.signal]) : abort.signal;
  const result = current.run({ signal, atMs: deadline?.atMs ?? Number.POSITIVE_INFINITY }, async () => run());
  let running = true;
  const end = () => {
    running = false;
  };
  const ended = result.then(end, end);
  return {
    result,
    cancel: () => {
      // Most work has ended by now, and is not aborted: the error and its stack would take a twentieth of the time of a
      // read.
      if (running) abort.abort(new Cancelled());
      return ended;
    },
  };
}

/** The result of the work is no longer needed. */
class Cancelled extends Error {
  override readonly name = 'AbortError';
}

/** The invocation has no time left. */
export class DeadlineReached extends Error {
  override readonly name = 'DeadlineReached';
}

/** Returns a signal that aborts at the invocation's deadline. Undefined outside an invocation. */
export const deadlineSignal = (): AbortSignal | undefined => current.getStore()?.signal;

/**
 * Returns options for a call of the AWS SDK that ends with the invocation: the attempt under way, and the pause before
 * the next one.
 */
export const underDeadline = (): { abortSignal: AbortSignal | undefined } => ({ abortSignal: deadlineSignal() });

/** Returns the milliseconds that the invocation has left, or `otherwiseMs` outside an invocation. */
export function remainingTime(otherwiseMs: number): number {
  const deadline = current.getStore();
  return deadline ? deadline.atMs - performance.now() : otherwiseMs;
}

/**
 * A port that can do work while a container starts, so that the container's first call does not wait for it: read keys,
 * open connections.
 */
export interface Primable {
  /** Does the work in advance. It may fail or hang: nothing depends on it. */
  prime(): Promise<unknown>;
}

/** How long the start of a container waits for priming. */
const PRIMING_MS = 1_000;

/** Whether a port can be primed. */
export function isPrimable(port: unknown): port is Primable {
  return (typeof port === 'object' || typeof port === 'function') && port !== null && 'prime' in port;
}

/**
 * Runs all primings at the same time, and aborts their calls after PRIMING_MS. Never fails: if a priming did not
 * finish, the container's first call does its work.
 */
export async function primeAll(primings: () => readonly Promise<unknown>[]): Promise<void> {
  const timeUp = Promise.withResolvers<void>();
  const timer = setTimeout(timeUp.resolve, PRIMING_MS);
  const run = withDeadline(PRIMING_MS, async () => Promise.allSettled(primings()));
  // A client may ignore the deadline, so the wait has an end of its own.
  await Promise.race([run, timeUp.promise]).catch(() => {});
  clearTimeout(timer);
}

/**
 * Time before the function's timeout at which the calls under way are aborted, so that the run can still log its
 * result.
 */
const LAST_CALL_MS = 1_000;

/**
 * Runs one invocation that no caller waits for: a tick of a schedule, a batch of a queue. Every line of its log carries
 * the operation and `facts`. Logs and rethrows an error.
 */
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
    // The line that Lambda itself logs about an error does not show its causes.
    logError('run_failed', error);
    throw error;
  }
}
