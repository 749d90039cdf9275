import type { Milliseconds } from '../domain/values/time.ts';
import { deadlineSignal } from '../runtime/deadline.ts';

/** Why a request brought no usable answer. Each adapter maps this closed set to its own terms. */
export type OutboundFault = 'blocked' | 'dns' | 'connection' | 'tls' | 'timeout' | 'aborted' | 'too_large';

/** The message is for people: it may name hosts and addresses, but never the content of the request. */
export class OutboundError extends Error {
  readonly fault: OutboundFault;

  constructor(fault: OutboundFault, message: string, cause?: unknown) {
    super(message, { cause });
    this.fault = fault;
  }
}

/**
 * Throws an OutboundError (`aborted`) if the invocation has ended or its deadline has passed: a container may be
 * thawed, and continue here, during its next invocation.
 */
export function expectTimeLeft(): void {
  if (deadlineSignal()?.aborted) throw new OutboundError('aborted', 'the invocation is over');
}

/** Undefined if the error has no code such as `ECONNRESET`. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

/**
 * Runs work for at most `time`, and no longer than its caller and the invocation allow. The work must obey its signal,
 * which aborts with an OutboundError: `timeout` after `time`, else `aborted` or the reason of an outer limit. If an
 * outer limit is over already, throws that reason and starts no work.
 */
export async function withTimeLimit<T>(
  time: Milliseconds,
  caller: AbortSignal | undefined,
  work: (stop: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const outer = AbortSignal.any([caller, deadlineSignal()].filter((signal) => signal !== undefined));
  const abort = () => {
    const reason: unknown = outer.reason;
    limit.abort(reason instanceof OutboundError ? reason : new OutboundError('aborted', 'the caller gave up'));
  };
  if (outer.aborted) abort();
  limit.signal.throwIfAborted();
  outer.addEventListener('abort', abort);
  const expire = () => limit.abort(new OutboundError('timeout', `gave up after ${time} ms`));
  const timer = setTimeout(expire, time);
  try {
    return await work(limit.signal);
  } finally {
    clearTimeout(timer);
    outer.removeEventListener('abort', abort);
  }
}

/** For work that cannot be cancelled. If the signal aborts first, throws its reason and drops the result. */
export function unlessAborted<T>(work: T | Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort);
  if (signal.aborted) abort();
  return Promise.race([work, aborted]).finally(() => signal.removeEventListener('abort', abort));
}
