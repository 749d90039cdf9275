/** A value that a container fetches from another system and keeps, such as keys or a token. */
export interface Cached<T> {
  /** Returns the value. Throws the error of the fetch if there is no value to serve. */
  get(): Promise<T>;
  /** Drops the value: the next `get` fetches it again. */
  forget(): void;
}

interface CachedOptions<T> {
  /** Asks the other system. `signal` aborts at the time limit. */
  readonly fetch: (signal: AbortSignal) => Promise<T>;
  /**
   * Time limit of a fetch, including all its attempts. It does not follow the deadline of one caller, since many
   * callers share the fetch.
   */
  readonly timeoutMs: number;
  /** Age from which a kept value is refreshed. */
  readonly refreshAfterMs: number;
  /** Age up to which a kept value is served while refreshes run or fail. */
  readonly usableForMs: number;
}

/**
 * Fetches a value once for all callers that ask at the same time. A value that is due for a refresh is still served
 * while one refresh runs in the background. A fetch that fails or hangs is dropped, so that the next call asks again.
 */
export function cached<T>({ fetch, timeoutMs, refreshAfterMs, usableForMs }: CachedOptions<T>): Cached<T> {
  let kept: { readonly value: T; readonly since: number } | undefined;
  let fetching: Promise<T> | undefined;

  async function fetchInTime(): Promise<T> {
    const signal = AbortSignal.timeout(timeoutMs);
    const stopped = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    return Promise.race([fetch(signal), stopped]);
  }

  function shared(): Promise<T> {
    if (fetching) return fetching;
    const since = Date.now();
    // An answer that arrives after `forget` serves the callers that wait for it but is not kept: it may be the
    // forgotten value.
    const current: Promise<T> = fetchInTime()
      .then((value) => {
        if (fetching === current) kept = { value, since };
        return value;
      })
      .finally(() => {
        if (fetching === current) fetching = undefined;
      });
    fetching = current;
    return current;
  }

  return {
    async get() {
      const age = kept ? Date.now() - kept.since : Number.POSITIVE_INFINITY;
      if (!kept || age >= usableForMs) return shared();
      // Callers see the error of a refresh only when the kept value is too old to be served.
      if (age >= refreshAfterMs) shared().catch(() => {});
      return kept.value;
    },
    forget() {
      kept = undefined;
      fetching = undefined;
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

  /** Removes the entry of a key and returns its value. Undefined if there is none. */
  take(key: K): V | undefined {
    const value = this.#entries.get(key);
    this.#entries.delete(key);
    return value;
  }
}
