/**
 * Middy does not know which check needs the results of another check. The types know it: `use` accepts only a check
 * whose needs are met.
 */
import type { MiddlewareObj, MiddyfiedHandler } from '@middy/core';
import type { Context } from 'aws-lambda';
import { refuseAfterDeadline } from './deadline.ts';

export interface Check<in Found, in out Adds, in Ports = unknown> {
  /** Returns what the check adds to the call. Throws if the call must be refused. */
  readonly before: (call: Found, ports: Ports) => Adds | Promise<Adds>;
  /** Called once the call has ended, whether it was answered or refused, and also if `before` has not run. */
  readonly end?: (call: Partial<Adds>) => Promise<void>;
}

type Finish<Start, Result, Handler> = (run: (call: Start, context: Context) => Promise<Result>) => Handler;

export class Checks<Start, Found extends object, Ports, Result, Handler> {
  readonly #first: MiddyfiedHandler<Start, Result>;
  readonly #list: MiddyfiedHandler<Found, Result>;
  readonly #ports: () => Ports;
  readonly #finish: Finish<Start, Result, Handler>;

  /** `first` and `list` are the same Middy list. `use` returns it with the type that the next check sees. */
  constructor(
    first: MiddyfiedHandler<Start, Result>,
    list: MiddyfiedHandler<Found, Result>,
    ports: () => Ports,
    finish: Finish<Start, Result, Handler>,
  ) {
    this.#first = first;
    this.#list = list;
    this.#ports = ports;
    this.#finish = finish;
  }

  use<Adds extends object>({
    before,
    end,
  }: Check<Found, Adds, Ports>): Checks<Start, Found & Adds, Ports, Result, Handler> {
    // Neither branch returns a value: Middy would take it for the answer to the call.
    const middleware: MiddlewareObj<Found & Adds, Result> = {
      before: ({ event: call }) => {
        refuseAfterDeadline();
        const added = before(call, this.#ports());
        if (added instanceof Promise) return added.then((found) => void Object.assign(call, found));
        Object.assign(call, added);
      },
    };
    if (end) {
      middleware.after = ({ event: call }) => end(call);
      middleware.onError = ({ event: call }) => end(call);
    }
    return new Checks(this.#first, this.#list.use(middleware), this.#ports, this.#finish);
  }

  handler(work: (call: Found, ports: Ports) => Result | Promise<Result>): Handler {
    this.#list.handler(async (call: Found) => {
      refuseAfterDeadline();
      return work(call, this.#ports());
    });
    return this.#finish(this.#first);
  }
}
