import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { unlessAborted, withTimeLimit } from '#shared/outbound/time-limit.ts';
import { withDeadline } from '#shared/runtime/deadline.ts';

const never = () => new Promise<never>(() => undefined);
const untilStopped = (stop: AbortSignal) => unlessAborted(never(), stop);

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

describe('withTimeLimit', () => {
  test('withTimeLimit aborts as timeout after its time, and not before', async () => {
    let stopped: AbortSignal | undefined;
    const work = withTimeLimit(100, undefined, (stop) => {
      stopped = stop;
      return untilStopped(stop);
    });
    const failing = expect(work).rejects.toMatchObject({ fault: 'timeout', message: 'gave up after 100 ms' });
    vi.advanceTimersByTime(99);
    expect(stopped?.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    await failing;
  });

  test('withTimeLimit aborts as aborted when the signal of its caller aborts', async () => {
    const caller = new AbortController();
    const failing = expect(withTimeLimit(100, caller.signal, untilStopped)).rejects.toMatchObject({ fault: 'aborted' });
    caller.abort();
    await failing;
  });

  test('withTimeLimit aborts as aborted at the deadline of the invocation', async () => {
    const invocation = withDeadline(50, () => withTimeLimit(100, undefined, untilStopped));
    const failing = expect(invocation).rejects.toMatchObject({ fault: 'aborted' });
    vi.advanceTimersByTime(50);
    await failing;
  });

  test('withTimeLimit starts no work for a caller that has given up', async () => {
    const work = vi.fn(never);
    await expect(withTimeLimit(100, AbortSignal.abort(), work)).rejects.toMatchObject({ fault: 'aborted' });
    expect(work).not.toHaveBeenCalled();
  });

  const throwing = (): never => {
    throw new Error('no');
  };
  test.each([
    ['succeeds', async () => 7],
    ['fails', () => Promise.reject(new Error('no'))],
    ['throws at once', throwing],
  ])('withTimeLimit leaves no timer and no listener behind if the work %s', async (_, work) => {
    const { signal } = new AbortController();
    await withTimeLimit(100, signal, work).catch(() => undefined);
    expect(vi.getTimerCount()).toBe(0);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

test('unlessAborted throws once the signal aborts, and a later error of the work is no unhandled rejection', async () => {
  const late = Promise.withResolvers<never>();
  await expect(unlessAborted(late.promise, AbortSignal.abort(new Error('stop')))).rejects.toThrow('stop');
  late.reject(new Error('late'));
  await expect(late.promise).rejects.toThrow('late');
});
