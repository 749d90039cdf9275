import { OutboundError } from './outbound-error.ts';

/**
 * Runs work under one deadline. Its signal aborts after so many milliseconds (`timeout`) or together with the caller's
 * signal (`aborted`, or the reason of an outer deadline), always with an OutboundError as the reason. The work must
 * obey the signal; it never starts where the caller's signal is aborted already. Leaves no timer and no listener behind.
 */
export async function withDeadline<T>(
  milliseconds: number,
  caller: AbortSignal | undefined,
  work: (stop: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = new AbortController();
  const abort = () => {
    const reason: unknown = caller?.reason;
    deadline.abort(reason instanceof OutboundError ? reason : new OutboundError('aborted', 'the caller gave up'));
  };
  if (caller?.aborted) abort();
  deadline.signal.throwIfAborted();
  caller?.addEventListener('abort', abort);
  const expire = () => deadline.abort(new OutboundError('timeout', `gave up after ${milliseconds} ms`));
  const timer = setTimeout(expire, milliseconds);
  try {
    return await work(deadline.signal);
  } finally {
    clearTimeout(timer);
    caller?.removeEventListener('abort', abort);
  }
}

/** The result of work that cannot be cancelled. Where the signal aborts first, throws its reason and drops the result. */
export async function unlessAborted<T>(work: T | Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort);
  if (signal.aborted) abort();
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
