import { AsyncLocalStorage } from 'node:async_hooks';
import type { Context } from 'aws-lambda';
import { beginLog, logError } from './log.ts';

interface Deadline {
  /** Aborts at the deadline. */
  readonly signal: AbortSignal;
  /** On the monotonic clock. */
  readonly atMs: number;
}

const current = new AsyncLocalStorage<Deadline>();

/**
 * Runs one invocation under its deadline, which is `milliseconds` from now. Calls to the table, the queue of deliveries, the
 * operator and receivers end by then, and what writes a secret: their clients pass the signal on and fit their attempts into
 * what remains. Secrets that are kept and dead letters have time-outs of their own (shared/runtime/secret.ts, shared/queue).
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

/** Work whose result may turn out not to be wanted. */
export interface Cancellable<T> {
  /** May reject unobserved: no unhandled rejection follows. */
  readonly result: Promise<T>;
  /** Ends what the work awaits of a peer; resolves once the work has ended. Does nothing to work that has. */
  cancel(): Promise<void>;
}

/** Begins work that can be given up before the invocation's deadline. */
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
      // Aborting builds an error with its stack, a twentieth of a read's cost; most work has ended by then.
      if (running) abort.abort(new Cancelled());
      return ended;
    },
  };
}

/** The work is not wanted any more. */
class Cancelled extends Error {
  override readonly name = 'AbortError';
}

/** The invocation has no time left. */
export class DeadlineReached extends Error {
  override readonly name = 'DeadlineReached';
}

/** Aborts at the invocation's deadline; undefined outside of one. */
export const deadlineSignal = (): AbortSignal | undefined => current.getStore()?.signal;

/** The SDK's options that end a request with the invocation: an attempt that hangs as well as the pause before the next. */
export const underDeadline = (): { abortSignal: AbortSignal | undefined } => ({ abortSignal: deadlineSignal() });

/** Milliseconds that the invocation has left; `otherwiseMs` outside of one. */
export function remainingTime(otherwiseMs: number): number {
  const deadline = current.getStore();
  return deadline ? deadline.atMs - performance.now() : otherwiseMs;
}

/** A port that can do, while a container starts, what its first call would otherwise wait for: keys, connections. */
export interface Primable {
  /** May fail or hang: nothing depends on it. */
  prime(): Promise<unknown>;
}

/** How long a container's start waits for priming. */
const PRIMING_MS = 1_000;

export function isPrimable(port: unknown): port is Primable {
  return (typeof port === 'object' || typeof port === 'function') && port !== null && 'prime' in port;
}

/**
 * Runs all primings at once, and ends what they ask of peers after PRIMING_MS. Never fails: what could not be
 * readied is the first call's to do, as if there were no priming.
 */
export async function primeAll(primings: () => readonly Promise<unknown>[]): Promise<void> {
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, PRIMING_MS);
  const run = withDeadline(PRIMING_MS, async () => Promise.allSettled(primings()));
  // A peer's client may not heed the deadline, so the wait ends by itself too.
  await Promise.race([run, over.promise]).catch(() => {});
  clearTimeout(timer);
}

/** Time before the function's timeout at which a run gives up calls still under way, so that it can log its result. */
const LAST_CALL_MS = 1_000;

/** One invocation that no call waits for: a tick of a schedule, a batch of a queue. `facts` stand in its log beside its operation. */
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
    // Lambda's own line about it shows no causes.
    logError('run_failed', error);
    throw error;
  }
}
