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
