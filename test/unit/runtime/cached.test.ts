import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { cached, RecentMap } from '#shared/runtime/cached.ts';

const OPTIONS = {
  timeoutMs: 1_000,
  refreshAfterMs: 60_000,
  waitAfterMs: 100_000,
  usableForMs: 7_200_000,
  retryAfterMs: 10_000,
};
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
  const failed: unknown[] = [];
  const value = cached({ ...OPTIONS, fetch, onRefreshFailed: (error) => void failed.push(error) });
  /** Returns the value after the fetch of this number has answered. The fetch is under way, or `get` begins it. */
  const after = (fetchNumber: number, answer: string) => {
    const got = value.get();
    asked[fetchNumber]!.resolve(answer);
    return got;
  };
  /** Lets the fetch of this number fail. */
  const fail = async (fetchNumber: number) => {
    asked[fetchNumber]!.reject(new Error('away'));
    await vi.advanceTimersByTimeAsync(0);
  };
  return { asked, value, after, failed, fail };
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

it('cached serves a value while one refresh runs in the background', async () => {
  const { asked, value, after } = peer();
  await after(0, 'a');
  vi.advanceTimersByTime(60_000);
  expect(await value.get()).toBe('a');
  expect(await value.get()).toBe('a');
  expect(asked).toHaveLength(2);
  asked[1]!.resolve('b');
  await vi.advanceTimersByTimeAsync(0);
  expect(await value.get()).toBe('b');
});

it('cached lets a caller wait for the refresh of a value that nobody has refreshed in time', async () => {
  const { value, after } = peer();
  await after(0, 'a');
  vi.advanceTimersByTime(100_000);
  expect(await after(1, 'b')).toBe('b');
  expect(await value.get()).toBe('b');
});

it('cached serves the kept value if the refresh fails for which a caller waits', async () => {
  const { value, after, failed, fail } = peer();
  await after(0, 'a');
  vi.advanceTimersByTime(100_000);
  const waiting = value.get();
  await fail(1);
  expect(await waiting).toBe('a');
  expect(failed).toHaveLength(1);
});

it('cached serves the kept value while refreshes hang, and only the first caller waits for one', async () => {
  const { value, after, failed } = peer();
  await after(0, 'a');
  vi.advanceTimersByTime(100_000);
  const first = value.get();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await first).toBe('a');
  expect(failed).toHaveLength(1);
  vi.advanceTimersByTime(10_000);
  // This refresh hangs, too.
  expect(await value.get()).toBe('a');
});

it('cached tries one refresh in each interval while refreshes fail, and serves the kept value up to its bound', async () => {
  const { asked, value, after, failed, fail } = peer();
  await after(0, 'a');
  vi.advanceTimersByTime(60_000);
  for (let age = 60_000; age < 7_200_000; age += 10_000) {
    for (let call = 0; call < 3; call++) expect(await value.get()).toBe('a');
    expect(asked).toHaveLength(age / 10_000 - 4);
    await fail(asked.length - 1);
    expect(await value.get()).toBe('a');
    vi.advanceTimersByTime(10_000);
  }
  expect(failed).toHaveLength(asked.length - 1);
  const tooOld = expect(value.get()).rejects.toThrow('away');
  await fail(asked.length - 1);
  await tooOld;
  expect(await after(asked.length, 'b')).toBe('b');
});

it('cached takes up a new value at the first refresh that succeeds', async () => {
  const { asked, value, after, fail } = peer();
  await after(0, 'a');
  vi.advanceTimersByTime(1_000_000);
  const waiting = value.get();
  await fail(1);
  await waiting;
  vi.advanceTimersByTime(10_000);
  await value.get();
  asked[2]!.resolve('b');
  await vi.advanceTimersByTimeAsync(0);
  expect(await value.get()).toBe('b');
  expect(asked).toHaveLength(3);
});

it('cached asks again if a frozen container finds a fetch that began long ago', async () => {
  const { asked, value, after } = peer();
  await after(0, 'a');
  vi.advanceTimersByTime(60_000);
  await value.get();
  // The container is frozen: the clock goes on, and no timer runs.
  vi.setSystemTime(Date.now() + 200_000);
  expect(await after(2, 'b')).toBe('b');
  asked[1]!.resolve('an answer to the container before it was frozen');
  await vi.advanceTimersByTimeAsync(0);
  expect(await value.get()).toBe('b');
});

describe('refresh', () => {
  it('refresh fetches the value again for all callers that ask at the same time', async () => {
    const { asked, value, after } = peer();
    await after(0, 'a');
    const both = Promise.all([value.refresh(), value.refresh()]);
    expect(asked).toHaveLength(2);
    asked[1]!.resolve('b');
    expect(await both).toEqual(['b', 'b']);
    expect(await value.get()).toBe('b');
  });

  it('refresh does not trust a fetch that was under way before it was called', async () => {
    const { asked, value, after } = peer();
    await after(0, 'a');
    vi.advanceTimersByTime(60_000);
    await value.get();
    const refreshed = value.refresh();
    asked[1]!.resolve('a');
    asked[2]!.resolve('b');
    expect(await refreshed).toBe('b');
    expect(await value.get()).toBe('b');
  });

  it('a refresh that fails throws, leaves the kept value to other callers, and is not tried again at once', async () => {
    const { asked, value, after, fail } = peer();
    await after(0, 'a');
    const refused = expect(value.refresh()).rejects.toThrow('away');
    await fail(1);
    await refused;
    await expect(value.refresh()).rejects.toThrow('away');
    expect(asked).toHaveLength(2);
    expect(await value.get()).toBe('a');
  });
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

describe('a clock that is put back', () => {
  const TWO_DAYS = 172_800_000;

  it('cached refreshes a value at its age although the clock was put back by two days', async () => {
    const { asked, value, after } = peer();
    await after(0, 'a');
    vi.setSystemTime(Date.now() - TWO_DAYS);
    vi.advanceTimersByTime(100_000);
    const waiting = value.get();
    expect(asked).toHaveLength(2);
    asked[1]!.resolve('b');
    expect(await waiting).toBe('b');
  });

  it('cached serves no value beyond its bound although the clock was put back by two days', async () => {
    const { asked, value, after, fail } = peer();
    await after(0, 'a');
    vi.setSystemTime(Date.now() - TWO_DAYS);
    vi.advanceTimersByTime(7_200_000);
    const tooOld = expect(value.get()).rejects.toThrow('away');
    await fail(asked.length - 1);
    await tooOld;
  });

  it('cached tries a refresh again in its interval although the clock was put back after a failure', async () => {
    const { asked, value, after, fail } = peer();
    await after(0, 'a');
    vi.advanceTimersByTime(60_000);
    await value.get();
    await fail(1);
    vi.setSystemTime(Date.now() - TWO_DAYS);
    vi.advanceTimersByTime(10_000);
    expect(await value.get()).toBe('a');
    expect(asked).toHaveLength(3);
  });
});
