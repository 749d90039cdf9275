/** A value that a container fetches from another system and keeps, such as keys or a token. */
export interface Cached<T> {
  /** Returns the value. Throws the error of the fetch if there is no value to serve. */
  get(): Promise<T>;
  /**
   * Fetches again, for a caller that knows that the kept value is out of date. If the fetch fails, other callers still
   * get the kept value. Throws the error of the fetch, or that of the last fetch if it failed less than `retryAfterMs`
   * ago.
   */
  refresh(): Promise<T>;
  forget(): void;
}

interface CachedOptions<T> {
  readonly fetch: (signal: AbortSignal) => Promise<T>;
  /** Time limit of a fetch with all its attempts. No caller's deadline counts, since many callers share the fetch. */
  readonly timeoutMs: number;
  /** Age from which a kept value is refreshed in the background. */
  readonly refreshAfterMs: number;
  /**
   * Age from which a caller waits for the refresh. If a refresh has failed within the same time, no caller waits: the
   * other system is probably away.
   */
  readonly waitAfterMs: number;
  /** Age up to which a kept value is served while refreshes fail. */
  readonly usableForMs: number;
  /** Least time between a refresh that failed and the next one. */
  readonly retryAfterMs: number;
  readonly onRefreshFailed?: (error: unknown) => void;
}

interface Moment {
  readonly wallMs: number;
  readonly monotonicMs: number;
}

const readClocks = (): Moment => ({ wallMs: Date.now(), monotonicMs: performance.now() });

/**
 * Uses the clock that says more: the wall clock may be put back, and the monotonic clock stands still in a frozen
 * container.
 */
const msSince = ({ wallMs, monotonicMs }: Moment): number =>
  Math.max(Date.now() - wallMs, performance.now() - monotonicMs);

interface Fetch<T> {
  readonly result: Promise<T>;
  readonly since: Moment;
  /** Whether `refresh` began the fetch, after a caller noticed that the kept value is out of date. */
  readonly isForced: boolean;
}

/**
 * Fetches a value once for all callers that ask at the same time. A value that is due for a refresh is still served
 * while one refresh runs or fails. A fetch that fails or hangs is dropped, so that a later call asks again.
 */
export function cached<T>(options: CachedOptions<T>): Cached<T> {
  const { fetch, timeoutMs, refreshAfterMs, waitAfterMs, usableForMs, retryAfterMs, onRefreshFailed } = options;
  let kept: { readonly value: T; readonly since: Moment } | undefined;
  let fetching: Fetch<T> | undefined;
  let failure: { readonly error: unknown; readonly at: Moment } | undefined;

  const sinceFailure = () => (failure ? msSince(failure.at) : Number.POSITIVE_INFINITY);

  async function fetchInTime(): Promise<T> {
    const signal = AbortSignal.timeout(timeoutMs);
    const stopped = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    return Promise.race([fetch(signal), stopped]);
  }

  function joinOrStartFetch(isForced = false): Promise<T> {
    const since = readClocks();
    // A container that was frozen during a fetch may find the fetch still under way, long after its time limit.
    if (fetching && msSince(fetching.since) < timeoutMs) return fetching.result;
    // The result of a fetch that is no longer the current one serves the callers that wait for it, but is not kept: it
    // may be the forgotten value.
    const result: Promise<T> = fetchInTime().then(
      (value) => {
        if (fetching?.result !== result) return value;
        fetching = undefined;
        failure = undefined;
        kept = { value, since };
        return value;
      },
      (error: unknown) => {
        if (fetching?.result === result) {
          fetching = undefined;
          failure = { error, at: readClocks() };
          if (kept) onRefreshFailed?.(error);
        }
        throw error;
      },
    );
    fetching = { result, since, isForced };
    return result;
  }

  return {
    async get() {
      if (!kept) return joinOrStartFetch();
      const { value, since } = kept;
      const age = msSince(since);
      if (age >= usableForMs) return joinOrStartFetch();
      if (age < refreshAfterMs || sinceFailure() < retryAfterMs) return value;
      const isAway = sinceFailure() < waitAfterMs;
      const refreshed = joinOrStartFetch().catch(() => value);
      return age < waitAfterMs || isAway ? value : refreshed;
    },
    async refresh() {
      if (failure && sinceFailure() < retryAfterMs) throw failure.error;
      // A fetch that began before the caller noticed may still bring the value that is out of date.
      if (!fetching?.isForced) fetching = undefined;
      return joinOrStartFetch(true);
    },
    forget() {
      kept = undefined;
      fetching = undefined;
      failure = undefined;
    },
  };
}

/** A map that keeps only the `most` entries that were set most recently. */
export class RecentMap<K, V> {
  readonly #most: number;
  // A Map lists its entries in the order in which they were set.
  readonly #entries = new Map<K, V>();

  constructor(most: number) {
    this.#most = most;
  }

  set(key: K, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > this.#most && oldest !== undefined) this.#entries.delete(oldest);
  }

  take(key: K): V | undefined {
    const value = this.#entries.get(key);
    this.#entries.delete(key);
    return value;
  }
}
