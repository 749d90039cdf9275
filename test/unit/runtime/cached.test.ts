import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { cached, RecentMap } from '#shared/runtime/cached.ts';

const OPTIONS = { timeoutMs: 1_000, refreshAfterMs: 60_000, usableForMs: 100_000 };
const ABORTED = { name: 'TimeoutError' };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/**
 * Returns a cached value whose fetches the test settles. AbortSignal.timeout is replaced, since it would run on real
 * time.
 */
function peer() {
  const asked: { resolve: (value: string) => void; reject: (error: unknown) => void; signal: AbortSignal }[] = [];
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((milliseconds) => {
    const abort = new AbortController();
    setTimeout(() => abort.abort(Object.assign(new Error('late'), ABORTED)), milliseconds);
    return abort.signal;
  });
  const fetch = (signal: AbortSignal) =>
    new Promise<string>((resolve, reject) => void asked.push({ resolve, reject, signal }));
  const value = cached({ ...OPTIONS, fetch });
  /** Returns the value after the fetch of this number has answered. The fetch is under way, or `get` begins it. */
  const after = (fetchNumber: number, answer: string) => {
    const got = value.get();
    asked[fetchNumber]!.resolve(answer);
    return got;
  };
  return { asked, value, after };
}

it('cached fetches a value once for all callers that ask meanwhile, and keeps it', async () => {
  const { asked, value, after } = peer();
  expect(await Promise.all([value.get(), after(0, 'a')])).toEqual(['a', 'a']);
  expect(await value.get()).toBe('a');
  expect(asked).toHaveLength(1);
});

it('cached asks again after a fetch that hung, which its time limit drops', async () => {
  const { asked, value, after } = peer();
  const hung = expect(value.get()).rejects.toMatchObject(ABORTED);
  await vi.advanceTimersByTimeAsync(1_000);
  await hung;
  expect(asked[0]!.signal.aborted).toBe(true);
  expect(await after(1, 'b')).toBe('b');
});

it('cached serves a value while it is refreshed, but not longer than it is usable', async () => {
  const { asked, value, after } = peer();
  await after(0, 'a');
  vi.advanceTimersByTime(60_000);
  expect(await value.get()).toBe('a');
  expect(await value.get()).toBe('a');
  expect(asked).toHaveLength(2);
  asked[1]!.reject(new Error('gone'));
  await vi.advanceTimersByTimeAsync(40_000);
  expect(await after(2, 'b')).toBe('b');
});

it('cached does not keep an answer whose fetch was under way when the value was forgotten', async () => {
  const { asked, value, after } = peer();
  const before = value.get();
  value.forget();
  expect(await after(1, 'b')).toBe('b');
  asked[0]!.resolve('a');
  expect(await before).toBe('a');
  expect(await value.get()).toBe('b');
  expect(asked).toHaveLength(2);
});

it('RecentMap keeps the entries that were set most recently', () => {
  const map = new RecentMap<string, number>(2);
  map.set('a', 1);
  map.set('b', 2);
  map.set('a', 3);
  map.set('c', 4);
  expect(['a', 'b', 'c', 'c'].map((key) => map.take(key))).toEqual([3, undefined, 4, undefined]);
});
