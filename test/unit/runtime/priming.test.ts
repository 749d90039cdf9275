import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { deadlineSignal } from '../../../shared/runtime/deadline.ts';
import { isPrimable, primeAll } from '../../../shared/runtime/priming.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('waits for all, whatever becomes of each', async () => {
  const done: string[] = [];
  await primeAll(() => [
    Promise.reject(new Error('a peer that refuses')),
    Promise.resolve().then(() => done.push('keys')),
    Promise.resolve().then(() => done.push('connection')),
  ]);
  expect(done).toEqual(['keys', 'connection']);
  expect(vi.getTimerCount()).toBe(0);
});

it('does not fail where the ports cannot even be made', async () => {
  await primeAll(() => {
    throw new Error('an environment variable is missing');
  });
  expect(vi.getTimerCount()).toBe(0);
});

it('gives a peer that hangs up after a second, and tells its client to end', async () => {
  let signal: AbortSignal | undefined;
  const over = vi.fn();
  const priming = primeAll(() => {
    signal = deadlineSignal();
    return [new Promise(() => {})];
  }).then(over);
  await vi.advanceTimersByTimeAsync(999);
  expect([over.mock.calls.length, signal?.aborted]).toEqual([0, false]);
  await vi.advanceTimersByTimeAsync(1);
  await priming;
  expect([over.mock.calls.length, signal?.aborted]).toEqual([1, true]);
});

it('knows what can be primed', () => {
  const prime = async () => {};
  expect([{ prime }, Object.assign(() => 1, { prime })].every(isPrimable)).toBe(true);
  expect([{}, Date.now, undefined].some(isPrimable)).toBe(false);
});
