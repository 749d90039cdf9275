import { isSameTenancy, type Tenancy } from '../domain/values/tenancy.ts';
import { type Cancellable, cancellable } from '../runtime/deadline.ts';

/**
 * One read by tenancy that may begin before its call is admitted (performance.md, budget 19): while the question about
 * the key is under way, with the tenancy that the key last stood for. What it finds is kept only where the caller that
 * is admitted has that very tenancy; else the read is made anew. Nothing is opened here.
 */
export class ReadAhead<T> {
  readonly #read: (tenancy: Tenancy) => Promise<T>;
  #begun: { readonly tenancy: Tenancy; readonly reading: Cancellable<T> } | undefined;

  constructor(read: (tenancy: Tenancy) => Promise<T>) {
    this.#read = read;
  }

  readonly begin = (tenancy: Tenancy): void => {
    this.#begun = { tenancy, reading: cancellable(() => this.#read(tenancy)) };
  };

  /** What the admitted caller's read gives. */
  result(caller: Tenancy): Promise<T> {
    const begun = this.#begun;
    return begun && isSameTenancy(begun.tenancy, caller) ? begun.reading.result : this.#read(caller);
  }

  /** Ends a read that is still under way: a container that answers while one runs would be frozen with it. */
  async end(): Promise<void> {
    await this.#begun?.reading.cancel();
  }
}
