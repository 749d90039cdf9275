/** Why the local run cannot start, in one line that names the cure. */
export class StartError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StartError';
  }
}

/** What has to be ended, the last begun first. Once the end has begun, whatever is added is ended at once. */
export class Closers {
  private readonly closers: (() => unknown)[] = [];
  private readonly ending = new AbortController();

  /** Aborts as soon as the end begins. */
  get signal(): AbortSignal {
    return this.ending.signal;
  }

  /** Throws a StartError where the end has begun. */
  add(closer: () => unknown): void {
    this.closers.push(closer);
    if (!this.signal.aborted) return;
    void this.close();
    throw new StartError('ended while it started');
  }

  async close(): Promise<void> {
    this.ending.abort();
    for (let closer = this.closers.pop(); closer; closer = this.closers.pop()) await closer();
  }
}
