import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { cancellable, deadlineSignal, primeAll, withDeadline } from '#shared/runtime/deadline.ts';

/** Work that waits for a peer which never answers, until it is told to end. */
const hanging = () =>
  new Promise<never>((_, reject) => {
    const signal = deadlineSignal()!;
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

it('cancellable work: ends when it is cancelled, and no one has to hear of it', async () => {
  const work = cancellable(hanging);
  await work.cancel();
  await expect(work.result).rejects.toMatchObject({ name: 'AbortError' });
});

it('cancellable work: gives its result, and tells nothing to work that has ended', async () => {
  const work = cancellable(async () => deadlineSignal()!);
  const signal = await work.result;
  await work.cancel();
  expect(signal.aborted).toBe(false);
});

it('cancellable work: ends at the deadline of its invocation', async () => {
  const ended = withDeadline(20, () => cancellable(hanging).result);
  await expect(ended).rejects.toMatchObject({ name: 'DeadlineReached' });
});

it('cancellable work: leaves the invocation and its other calls alone', async () => {
  await withDeadline(60_000, async () => {
    await cancellable(hanging).cancel();
    expect(deadlineSignal()!.aborted).toBe(false);
  });
});

describe('priming', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('waits for all, whatever becomes of each', async () => {
    const done: string[] = [];
    const note = (port: string) => Promise.resolve().then(() => done.push(port));
    await primeAll(() => [Promise.reject(new Error('a peer that refuses')), note('keys'), note('connection')]);
    expect(done).toEqual(['keys', 'connection']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('does not fail where the ports cannot even be made', async () => {
    await primeAll(() => {
      throw new Error('an environment variable is missing');
    });
    expect(vi.getTimerCount()).toBe(0);
  });
});
