import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { startSchedules } from '../../../infra/local/aws/event-sources.ts';

const plan = { id: 'Minute', every: 60_000, function: 'poller', input: '{"shard":0}' };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('runs by the template’s rate, with the template’s input', async () => {
  const invoke = vi.fn(async () => undefined);
  const schedules = startSchedules([plan], { invoke });
  await vi.advanceTimersByTimeAsync(59_999);
  expect(invoke).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(60_001);
  expect(invoke.mock.calls).toEqual(Array(2).fill(['poller', { shard: 0 }]));
  schedules.close();
  await vi.advanceTimersByTimeAsync(120_000);
  expect(invoke).toHaveBeenCalledTimes(2);
});

it('runs faster where asked, leaves a tick out while the one before runs, and goes on after a failure', async () => {
  const run = Promise.withResolvers<unknown>();
  const invoke = vi.fn(() => run.promise);
  const schedules = startSchedules([plan], { invoke }, () => 2000);
  await vi.advanceTimersByTimeAsync(6000);
  expect(invoke).toHaveBeenCalledTimes(1);
  run.reject(new Error('broken'));
  await vi.advanceTimersByTimeAsync(2000);
  expect(invoke).toHaveBeenCalledTimes(2);
  schedules.close();
});
