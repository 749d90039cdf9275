import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { cancellable, deadlineSignal, primeAll, remainingTime, withDeadline } from '#shared/runtime/deadline.ts';

/** Work that waits for a peer that never answers, until its signal aborts. */
const hanging = () =>
  new Promise<never>((_, reject) => {
    const signal = deadlineSignal()!;
    // On a busy machine the deadline may have passed before the work begins.
    signal.throwIfAborted();
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

it('cancellable work ends when it is cancelled, and nobody has to handle its rejection', async () => {
  const work = cancellable(hanging);
  await work.cancel();
  await expect(work.result).rejects.toMatchObject({ name: 'AbortError' });
});

it('cancellable work returns its result, and a later cancel does nothing', async () => {
  const work = cancellable(async () => deadlineSignal()!);
  const signal = await work.result;
  await work.cancel();
  expect(signal.aborted).toBe(false);
});

it('cancellable work ends at the deadline of its invocation', async () => {
  const ended = withDeadline(20, () => cancellable(hanging).result);
  await expect(ended).rejects.toMatchObject({ name: 'DeadlineReached' });
});

it('cancelling work does not abort the other calls of its invocation', async () => {
  await withDeadline(60_000, async () => {
    await cancellable(hanging).cancel();
    expect(deadlineSignal()!.aborted).toBe(false);
  });
});

describe('deadlineSignal', () => {
  afterEach(() => void vi.restoreAllMocks());
  /** Sets the monotonic clock forward. No timer fires, as in a container that is thawed. */
  const thawAfter = (milliseconds: number) => {
    const moment = performance.now() + milliseconds;
    vi.spyOn(performance, 'now').mockImplementation(() => moment);
  };

  it('deadlineSignal is aborted once the clock shows the deadline, even if the timer has not fired', async () => {
    await withDeadline(60_000, async () => {
      expect(deadlineSignal()!.aborted).toBe(false);
      thawAfter(60_000);
      expect(deadlineSignal()!.aborted).toBe(true);
      expect(deadlineSignal()!.reason).toMatchObject({ name: 'DeadlineReached' });
    });
  });

  it('deadlineSignal is aborted after an outer deadline, whatever time an inner one allows', async () => {
    await withDeadline(30_000, () =>
      withDeadline(60_000, async () => {
        thawAfter(29_000);
        expect(deadlineSignal()!.aborted).toBe(false);
        expect(remainingTime(0)).toBeLessThanOrEqual(1_000);
        thawAfter(2_000);
        expect(deadlineSignal()!.aborted).toBe(true);
      }),
    );
  });

  it('deadlineSignal is aborted for what an invocation left behind when it ended', async () => {
    const leftBehind = Promise.withResolvers<void>();
    let signal: AbortSignal | undefined;
    let late: Promise<void> | undefined;
    const ended = withDeadline(60_000, async () => {
      late = leftBehind.promise.then(() => {
        signal = deadlineSignal();
      });
      throw new Error('the work failed');
    });
    await expect(ended).rejects.toThrow('the work failed');
    leftBehind.resolve();
    await late;
    expect(signal!.aborted).toBe(true);
  });

  it('deadlineSignal is aborted for what cancellable work left behind, and not for its invocation', async () => {
    await withDeadline(60_000, async () => {
      const gate = Promise.withResolvers<void>();
      let signal: AbortSignal | undefined;
      const left: Promise<void>[] = [];
      await cancellable(async () => {
        left.push(
          gate.promise.then(() => {
            signal = deadlineSignal();
          }),
        );
      }).result;
      gate.resolve();
      await Promise.all(left);
      expect(signal!.aborted).toBe(true);
      expect(deadlineSignal()!.aborted).toBe(false);
    });
  });
});

describe('primeAll', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('primeAll waits for all primings, also if one fails', async () => {
    const done: string[] = [];
    const note = (port: string) => Promise.resolve().then(() => done.push(port));
    await primeAll(() => [Promise.reject(new Error('a peer that refuses')), note('keys'), note('connection')]);
    expect(done).toEqual(['keys', 'connection']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('primeAll does not fail if the ports cannot be created', async () => {
    await primeAll(() => {
      throw new Error('an environment variable is missing');
    });
    expect(vi.getTimerCount()).toBe(0);
  });
});
