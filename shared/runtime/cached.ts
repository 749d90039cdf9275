/** A value of a peer that a container keeps: keys, a token. */
export interface Cached<T> {
  /** The value; throws what the fetch threw where none is held. */
  get(): Promise<T>;
  /** The next `get` fetches anew. */
  forget(): void;
}

interface CachedOptions<T> {
  /** Asks the peer; `signal` aborts at the time-out. */
  readonly fetch: (signal: AbortSignal) => Promise<T>;
  /** Time limit of a fetch, all its attempts included: no caller's deadline, since many share it. */
  readonly timeoutMs: number;
  /** Age from which a held value is refreshed. */
  readonly refreshAfterMs: number;
  /** Age up to which a held value serves while refreshes run or fail. */
  readonly usableForMs: number;
}

/**
 * Fetches a value once for all who ask at the same time. A held value that is due is served while one refresh runs beside
 * it; a fetch that fails or hangs is dropped, so that the next call asks again.
 */
export function cached<T>({ fetch, timeoutMs, refreshAfterMs, usableForMs }: CachedOptions<T>): Cached<T> {
  let held: { readonly value: T; readonly since: number } | undefined;
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
    // An answer that arrives after `forget` serves those who wait for it but is not kept: it may be the forgotten value.
    const current: Promise<T> = fetchInTime()
      .then((value) => {
        if (fetching === current) held = { value, since };
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
      const age = held ? Date.now() - held.since : Number.POSITIVE_INFINITY;
      if (!held || age >= usableForMs) return shared();
      // Callers see a failed refresh only once the held value is too old.
      if (age >= refreshAfterMs) shared().catch(() => {});
      return held.value;
    },
    forget() {
      held = undefined;
      fetching = undefined;
    },
  };
}

/** A map that keeps the entries that were set most recently, `most` of them, and forgets the others. */
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

  /** The value of a key, which the map forgets. */
  take(key: K): V | undefined {
    const value = this.#entries.get(key);
    this.#entries.delete(key);
    return value;
  }
}
