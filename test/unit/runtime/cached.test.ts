import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { cached } from '../../../shared/runtime/cached.ts';

const OPTIONS = { timeout: 1_000, refreshAfter: 60_000, usableFor: 100_000 };
const ABORTED = { name: 'TimeoutError' };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Each fetch is settled by the test. AbortSignal.timeout runs on real time: its place is taken here. */
function peer() {
  const asked: { resolve: (value: string) => void; reject: (error: unknown) => void; signal: AbortSignal }[] = [];
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((milliseconds) => {
    const abort = new AbortController();
    setTimeout(() => abort.abort(Object.assign(new Error('late'), ABORTED)), milliseconds);
    return abort.signal;
  });
  const fetch = (signal: AbortSignal) =>
    new Promise<string>((resolve, reject) => void asked.push({ resolve, reject, signal }));
  return { asked, fetch };
}

describe('a value that is fetched from a peer', () => {
  it('is fetched once for all who ask meanwhile, and held', async () => {
    const { asked, fetch } = peer();
    const value = cached({ ...OPTIONS, fetch });
    const both = [value.get(), value.get()];
    asked[0]!.resolve('a');
    expect(await Promise.all(both)).toEqual(['a', 'a']);
    expect(await value.get()).toBe('a');
    expect(asked).toHaveLength(1);
  });

  it('is asked for again after a fetch that hung: its time-out drops it', async () => {
    const { asked, fetch } = peer();
    const value = cached({ ...OPTIONS, fetch });
    const hung = expect(value.get()).rejects.toMatchObject(ABORTED);
    await vi.advanceTimersByTimeAsync(1_000);
    await hung;
    expect(asked[0]!.signal.aborted).toBe(true);
    const next = value.get();
    asked[1]!.resolve('b');
    expect(await next).toBe('b');
  });

  it('is asked for again after a fetch that failed', async () => {
    const { asked, fetch } = peer();
    const value = cached({ ...OPTIONS, fetch });
    const failed = expect(value.get()).rejects.toThrow('gone');
    asked[0]!.reject(new Error('gone'));
    await failed;
    const next = value.get();
    asked[1]!.resolve('b');
    expect(await next).toBe('b');
  });

  it('goes on serving while it is refreshed, and no longer than it may', async () => {
    const { asked, fetch } = peer();
    const value = cached({ ...OPTIONS, fetch });
    const first = value.get();
    asked[0]!.resolve('a');
    await first;
    vi.advanceTimersByTime(60_000);
    expect(await value.get()).toBe('a');
    expect(await value.get()).toBe('a');
    expect(asked).toHaveLength(2);
    asked[1]!.reject(new Error('gone'));
    await vi.advanceTimersByTimeAsync(40_000);
    const next = value.get();
    asked[2]!.resolve('b');
    expect(await next).toBe('b');
  });

  it('is replaced by a refresh that succeeds', async () => {
    const { asked, fetch } = peer();
    const value = cached({ ...OPTIONS, fetch });
    const first = value.get();
    asked[0]!.resolve('a');
    await first;
    vi.advanceTimersByTime(60_000);
    await value.get();
    asked[1]!.resolve('b');
    await vi.advanceTimersByTimeAsync(0);
    expect(await value.get()).toBe('b');
    expect(asked).toHaveLength(2);
  });

  it('is fetched anew once it was forgotten', async () => {
    const { asked, fetch } = peer();
    const value = cached({ ...OPTIONS, fetch });
    const first = value.get();
    asked[0]!.resolve('a');
    await first;
    value.forget();
    const next = value.get();
    asked[1]!.resolve('b');
    expect(await next).toBe('b');
  });

  it('is not what a fetch brings that was under way when it was forgotten', async () => {
    const { asked, fetch } = peer();
    const value = cached({ ...OPTIONS, fetch });
    const before = value.get();
    value.forget();
    const after = value.get();
    asked[1]!.resolve('b');
    expect(await after).toBe('b');
    asked[0]!.resolve('a');
    expect(await before).toBe('a');
    expect(await value.get()).toBe('b');
    expect(asked).toHaveLength(2);
  });

  it('is still fetched once for all where an older fetch ends meanwhile', async () => {
    const { asked, fetch } = peer();
    const value = cached({ ...OPTIONS, fetch });
    const before = value.get();
    value.forget();
    const after = value.get();
    asked[0]!.resolve('a');
    await before;
    const late = value.get();
    asked[1]!.resolve('b');
    expect(await Promise.all([after, late])).toEqual(['b', 'b']);
    expect(asked).toHaveLength(2);
  });
});
