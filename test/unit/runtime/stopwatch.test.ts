import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { stopwatch } from '#shared/runtime/stopwatch.ts';

const MINUTE = 60_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'Date'] }));
afterEach(() => void vi.useRealTimers());

it('a stopwatch measures the time that passes', () => {
  const passed = stopwatch();
  expect(passed()).toBe(0);
  vi.advanceTimersByTime(MINUTE);
  expect(passed()).toBe(MINUTE);
});

it.each([10, -10])('a stopwatch measures on if the clock is corrected by %i minutes', (minutes) => {
  const passed = stopwatch();
  vi.setSystemTime(Date.now() + minutes * MINUTE);
  expect(passed()).toBe(0);
  vi.advanceTimersByTime(MINUTE);
  expect(passed()).toBe(MINUTE);
});

it('a stopwatch measures at least the time of a frozen container that no correction can explain', () => {
  const passed = stopwatch();
  // The container is frozen: the wall clock goes on, and the monotonic clock stands still.
  vi.setSystemTime(Date.now() + 60 * MINUTE);
  expect(passed()).toBe(50 * MINUTE);
});
