import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { primeAll } from '../../../shared/runtime/deadline.ts';

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
