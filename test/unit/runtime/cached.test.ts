import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { cached, RecentMap } from '#shared/runtime/cached.ts';

const OPTIONS = { timeoutMs: 1_000, refreshAfterMs: 60_000, usableForMs: 100_000 };
const ABORTED = { name: 'TimeoutError' };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A value whose fetches the test settles. AbortSignal.timeout runs on real time: its place is taken here. */
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
  /** The value once the fetch of this number, which is under way or begins now, has brought an answer. */
  const after = (fetchNumber: number, answer: string) => {
    const got = value.get();
    asked[fetchNumber]!.resolve(answer);
    return got;
  };
  return { asked, value, after };
}

it('a value that is fetched from a peer: is fetched once for all who ask meanwhile, and held', async () => {
  const { asked, value, after } = peer();
  expect(await Promise.all([value.get(), after(0, 'a')])).toEqual(['a', 'a']);
  expect(await value.get()).toBe('a');
  expect(asked).toHaveLength(1);
});

it('a value that is fetched from a peer: is asked for again after a fetch that hung: its time-out drops it', async () => {
  const { asked, value, after } = peer();
  const hung = expect(value.get()).rejects.toMatchObject(ABORTED);
  await vi.advanceTimersByTimeAsync(1_000);
  await hung;
  expect(asked[0]!.signal.aborted).toBe(true);
  expect(await after(1, 'b')).toBe('b');
});

it('a value that is fetched from a peer: goes on serving while it is refreshed, and no longer than it may', async () => {
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

it('a value that is fetched from a peer: is not what a fetch brings that was under way when it was forgotten', async () => {
  const { asked, value, after } = peer();
  const before = value.get();
  value.forget();
  expect(await after(1, 'b')).toBe('b');
  asked[0]!.resolve('a');
  expect(await before).toBe('a');
  expect(await value.get()).toBe('b');
  expect(asked).toHaveLength(2);
});

it('a map of the most recent keeps the entries that were set most recently', () => {
  const map = new RecentMap<string, number>(2);
  map.set('a', 1);
  map.set('b', 2);
  map.set('a', 3);
  map.set('c', 4);
  expect(['a', 'b', 'c', 'c'].map((key) => map.take(key))).toEqual([3, undefined, 4, undefined]);
});
