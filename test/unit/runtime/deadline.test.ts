import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { cancellable, deadlineSignal, primeAll, withDeadline } from '#shared/runtime/deadline.ts';

/** Work that waits for a peer that never answers, until its signal aborts. */
const hanging = () =>
  new Promise<never>((_, reject) => {
    const signal = deadlineSignal()!;
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
