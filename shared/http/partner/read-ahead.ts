import type { PathId } from '#shared/contract/routes.ts';
import type { Caller } from '#shared/domain/partners/partner.ts';
import { Failure } from '#shared/domain/values/failure.ts';
import type { Unopened } from '#shared/domain/values/idempotency.ts';
import { isSameTenancy, type Tenancy } from '#shared/domain/values/tenancy.ts';
import { type Cancellable, cancellable } from '#shared/runtime/deadline.ts';
import type { Check } from '../checks.ts';
import type { Call } from '../request.ts';
import type { PartnerCall } from './call.ts';
import { type PathIds, pathIdOf } from './path-and-query.ts';

/**
 * A read that may start while the API key is still being checked, with the tenancy that the key had last time. The
 * result is used only if the check confirms that tenancy (test/bench/README.md, budget 19).
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

  result(caller: Tenancy): Promise<T> {
    const begun = this.#begun;
    return begun && isSameTenancy(begun.tenancy, caller) ? begun.reading.result : this.#read(caller);
  }

  /** Cancels a read that is still running. Otherwise the container would be frozen in the middle of it. */
  async end(): Promise<void> {
    await this.#begun?.reading.cancel();
  }
}

/** Reads the resource that the path names. Undefined if it does not exist. */
export type Find<Ports, Kind extends PathId, T> = (
  ports: Ports,
  tenancy: Tenancy,
  id: PathIds[Kind],
) => Promise<Unopened<T> | undefined>;

interface Reading<T> extends Pick<PartnerCall, 'meanwhile'> {
  readonly reading: ReadAhead<Unopened<T> | undefined>;
}

/**
 * Reads ahead only for a key that this container has admitted before. A malformed id reads nothing: `pathAndQuery`
 * refuses it.
 */
export function readAhead<Ports, Kind extends PathId, T>(
  kind: Kind,
  find: Find<Ports, Kind, T>,
): Check<Call, Reading<T>, Ports> {
  return {
    before(call, ports) {
      const id = pathIdOf(call, kind);
      if (id instanceof Failure) return { reading: new ReadAhead<undefined>(readNothing), meanwhile: undefined };
      const reading = new ReadAhead((tenancy) => find(ports, tenancy, id));
      return { reading, meanwhile: reading.begin };
    },
    end: async ({ reading }) => reading?.end(),
  };
}

const readNothing = async () => undefined;

/** Adds the resource that was read, decrypted. Throws 404 `nao_encontrado` if it does not exist. */
export function found<T>(): Check<Reading<T> & { readonly caller: Caller }, { readonly found: T }> {
  return {
    async before({ reading, caller }) {
      const unopened = await reading.result(caller);
      if (!unopened) throw new Failure('nao_encontrado');
      return { found: await unopened.open() };
    },
  };
}
