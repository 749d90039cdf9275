/** The process died at this point. */
export class Crash extends Error {}

export type CrashMoment = 'before' | 'after';

/** Counts the calls of the ports put into it, and breaks off the n-th before or after it takes effect. */
export class CrashPlan {
  /** `port.method` of every call so far. */
  readonly calls: string[] = [];
  private readonly number: number;
  private readonly moment: CrashMoment;

  /** `number` from 1; 0 never breaks off. */
  constructor(number: number, moment: CrashMoment) {
    this.number = number;
    this.moment = moment;
  }

  readonly wrap = <T extends object>(name: string, port: T): T =>
    new Proxy(port, {
      get: (target, property) => {
        const method: unknown = Reflect.get(target, property, target);
        if (typeof method !== 'function') return method;
        return async (...args: unknown[]) => {
          const own = this.calls.push(`${name}.${String(property)}`);
          if (own === this.number && this.moment === 'before') throw new Crash();
          const result: unknown = await Reflect.apply(method, target, args);
          if (own === this.number && this.moment === 'after') throw new Crash();
          return result;
        };
      },
    });
}
