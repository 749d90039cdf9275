import { isPrimable, primeAll } from '../runtime/deadline.ts';

export type Makers<Ports> = { readonly [Name in keyof Ports]: () => Ports[Name] };

export function makeAll<Ports extends object>(makers: Makers<Ports>): Ports {
  const made: Partial<Ports> = {};
  for (const name in makers) made[name] = makers[name]();
  // Every name of Ports is a name of its makers.
  return made as Ports;
}

/** The ports are made while the container is primed, else by the first call, and never by an import. */
export class LazyPorts<Ports extends object> {
  readonly #make: () => Ports;
  #made: Ports | undefined;

  constructor(make: () => Ports) {
    this.#make = make;
  }

  readonly all = (): Ports => {
    this.#made ??= this.#make();
    return this.#made;
  };

  /** Takes a second at most, and never fails. */
  readonly prime = (): Promise<void> =>
    primeAll(() =>
      Object.values(this.all())
        .filter(isPrimable)
        .map((port) => port.prime()),
    );
}
