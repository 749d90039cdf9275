import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { queue } from '#shared/queue/deliveries.ts';
import { QueueNotifier } from '#shared/queue/notifier.ts';
import { tableClient } from '#shared/table/rows/client.ts';
import type * as wiring from '#shared/wiring.ts';
import { outsideOfRole } from './under-role.ts';

/** Changes one invocation's calls to the table, the queue and the operator. */
export interface Interception {
  /**
   * Runs instead of each call. `name` is `table <command>`, `secret <command>`, `sqs <command>`, or a port and its
   * method, such as `queue send` or `operator query`. `input` is what the call sends to the table.
   */
  around<T>(name: string, call: () => Promise<T>, input?: object): Promise<T>;
}

const current = new AsyncLocalStorage<Interception>();

/** Runs one invocation with its outside calls intercepted. Other invocations at the same time are not intercepted. */
export function intercepted<T>(interception: Interception, run: () => Promise<T>): Promise<T> {
  return current.run(interception, run);
}

const NOT_INTERCEPTED: Interception = { around: (_, call) => call() };

/** A call that an invocation has begun. */
export interface BegunCall {
  readonly name: string;
  readonly input: object | undefined;
  /** Whether the call was answered, and not by an error. */
  isAnswered: boolean;
}

/** Adds a list of the calls to an interception, in the order in which they begin. */
export function recorded(interception = NOT_INTERCEPTED): Interception & { readonly calls: readonly BegunCall[] } {
  const calls: BegunCall[] = [];
  return {
    calls,
    async around(name, call, input) {
      const begun = { name, input, isAnswered: false };
      calls.push(begun);
      const answer = await interception.around(name, call, input);
      begun.isAnswered = true;
      return answer;
    },
  };
}

function around<T>(name: string, call: () => Promise<T>, input?: object): Promise<T> {
  const interception = current.getStore();
  if (!interception) return call();
  // The steps that a test adds in the middle of an invocation do not belong to it. Only the call itself does.
  return outsideOfRole((inside) => interception.around(name, () => inside(call), input));
}

/**
 * Opens the calls of a port to interception, as `<name> <method>`. All methods are open unless `methods` names some.
 */
export function openPort<T extends object>(name: string, port: T, methods?: readonly (keyof T)[]): T {
  return new Proxy(port, {
    get: (target, property) => {
      const method: unknown = Reflect.get(target, property, target);
      if (typeof method !== 'function') return method;
      if (methods && !methods.some((open) => open === property)) return method.bind(target);
      return (...args: unknown[]) =>
        around(`${name} ${String(property)}`, async () => Reflect.apply(method, target, args));
    },
  });
}

/**
 * Returns the wiring with operator and queue open to interception. Tests put it in place of shared/wiring.ts with
 * `vi.mock`.
 */
export function openWiring(original: typeof wiring): typeof wiring {
  const deliveryQueue = () => openPort('queue', original.deliveryQueue(), ['send']);
  return {
    ...original,
    operators: () => {
      const operatorOf = original.operators();
      return (environment) => openPort('operator', operatorOf(environment), ['submit', 'query', 'queryBatch']);
    },
    deliveryQueue,
    deliveryNotifier: () => new QueueNotifier(deliveryQueue(), original.clock()),
  };
}

/** Opens the table's client to interception. A command counts as one call, however often the SDK retries it. */
export function interceptTable(): void {
  tableClient().middlewareStack.add(
    (next, context) => (args) => around(`table ${context.commandName}`, () => next(args), args.input),
    { step: 'initialize', name: 'intercepted', override: true },
  );
}

/** Opens the calls to Secrets Manager to interception, as `secret <command>`. */
export function interceptSecrets(): void {
  const { prototype } = SecretsManagerClient;
  const { send } = prototype;
  Object.defineProperty(prototype, 'send', {
    configurable: true,
    value(this: SecretsManagerClient, ...args: readonly unknown[]) {
      const [command] = args;
      const name = command instanceof Object ? command.constructor.name : 'unknown';
      return around(`secret ${name}`, () => Reflect.apply(send, this, args));
    },
  });
}

/** Opens the calls to the queues to interception, as `sqs <command>`. */
export function interceptQueues(): void {
  queue().middlewareStack.add((next, context) => (args) => around(`sqs ${context.commandName}`, () => next(args)), {
    step: 'initialize',
    name: 'intercepted',
    override: true,
  });
}

/**
 * Where an invocation is stopped: before or after its n-th call takes effect, counted from 1. `of` counts only the
 * calls of that name.
 */
export interface StopPoint {
  readonly at: number;
  readonly when: 'before' | 'after';
  readonly of?: string;
}

/** Result of an invocation that a test tried to stop. `where` describes the place. */
export interface Stopped<T> {
  readonly where: string;
  readonly finished: boolean;
  readonly result: T | undefined;
}

/** A call that is under way, and the call that makes it, such as a query that reads the person's form. */
interface CallUnderWay {
  readonly end: () => void;
  readonly madeBy: CallUnderWay | undefined;
}

/**
 * Runs an invocation as if its process died at a point. From then on none of its calls is made, and it learns nothing
 * of the calls that are under way. Resolves when these calls have ended. A call whose own next call is not made counts
 * as ended. `counts` says which calls are counted.
 */
export async function stoppedAt<T>(
  point: StopPoint,
  run: () => Promise<T>,
  counts = (name: string) => (point.of ?? name) === name,
): Promise<Stopped<T>> {
  const callUnderWay = new AsyncLocalStorage<CallUnderWay>();
  const onTheWire = new Set<Promise<void>>();
  const { promise: stopped, resolve: stop } = Promise.withResolvers<Stopped<T>>();
  let isDead = false;
  let calls = 0;
  const die = (name: string) => {
    isDead = true;
    stop({ where: `${point.when} call ${point.at}, ${name}`, finished: false, result: undefined });
  };
  const neverAnswered = (madeBy: CallUnderWay | undefined) => {
    for (let outer = madeBy; outer; outer = outer.madeBy) outer.end();
    return new Promise<never>(() => {});
  };
  const interception: Interception = {
    async around(name, call) {
      const madeBy = callUnderWay.getStore();
      if (isDead) return neverAnswered(madeBy);
      const isCounted = counts(name);
      if (isCounted) calls += 1;
      const isPoint = isCounted && calls === point.at;
      if (isPoint && point.when === 'before') {
        die(name);
        return neverAnswered(madeBy);
      }
      const { promise: ended, resolve } = Promise.withResolvers<void>();
      const end = () => {
        onTheWire.delete(ended);
        resolve();
      };
      onTheWire.add(ended);
      const answer = callUnderWay.run({ end, madeBy }, call);
      await answer.catch(() => {});
      end();
      if (isPoint && !isDead) die(name);
      return isDead ? neverAnswered(madeBy) : answer;
    },
  };
  const finished = intercepted(interception, run).then((result) => ({ where: 'not stopped', finished: true, result }));
  const outcome = await Promise.race([finished, stopped]);
  while (onTheWire.size > 0) await Promise.all(onTheWire);
  return outcome;
}

/**
 * Plays a story for each point at which its run can be stopped. `play` returns true if the run was not stopped, because
 * it has fewer calls. Returns the number of calls.
 */
export async function atEachCall(
  play: (point: StopPoint) => Promise<boolean>,
  sides: readonly StopPoint['when'][] = ['before', 'after'],
): Promise<number> {
  for (let at = 1; ; at++) {
    for (const when of sides) if (await play({ at, when })) return at - 1;
  }
}

/**
 * Lets something else happen once, before or after the n-th call of a name, or of any name if it is undefined. `calls`
 * is the number of these calls so far.
 */
export function meanwhile(
  name: string | undefined,
  step: () => Promise<unknown>,
  { at = 1, when = 'before' }: Partial<StopPoint> = {},
): Interception & { readonly calls: number } {
  const interception = {
    calls: 0,
    async around<T>(called: string, call: () => Promise<T>): Promise<T> {
      const isPoint = (name ?? called) === called && ++interception.calls === at;
      if (isPoint && when === 'before') await intercepted(NOT_INTERCEPTED, step);
      try {
        return await call();
      } finally {
        if (isPoint && when === 'after') await intercepted(NOT_INTERCEPTED, step);
      }
    },
  };
  return interception;
}

/**
 * Holds the first `count` calls of a name until all of them have come, so that every run has read before one of them
 * writes. With several names the runs meet once at each name, in this order.
 */
export function meetingAt(names: string | readonly string[], count: number): Interception {
  const namesLeft = [names].flat();
  let waiting: (() => void)[] = [];
  return {
    async around(called, call) {
      if (called === namesLeft[0]) {
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
          if (waiting.length < count) return;
          namesLeft.shift();
          const resolvers = waiting;
          waiting = [];
          for (const go of resolvers) go();
        });
      }
      return call();
    },
  };
}

/**
 * Lets one call of an invocation fail. `before`: its request is lost. `after`: it takes effect, and its answer is lost.
 * A submission or a query at the operator gets no usable answer. Any other call fails with a TimeoutError.
 */
export function failingAt(point: StopPoint): Interception {
  let calls = 0;
  return {
    async around<T>(name: string, call: () => Promise<T>): Promise<T> {
      calls += 1;
      if (calls !== point.at) return call();
      if (point.when === 'after') await call().catch(() => {});
      if (name === 'operator submit') return { kind: 'unknown' } as T;
      if (name === 'operator query') return { kind: 'failed' } as T;
      throw Object.assign(new Error('a failure made by the test'), { name: 'TimeoutError' });
    },
  };
}

/** A write whose first answer was lost. */
export interface LostAnswer {
  /** Command, kind of row, attributes and expressions of a single write. Undefined for a transaction. */
  readonly write: string | undefined;
  /** Bodies of all tries. */
  readonly bodies: readonly string[];
}

/**
 * Runs `run` while the first answer to each write is lost: the table has made the write, the SDK sees a cut connection
 * and repeats the write. Returns the result, and the writes in their order. A write that the table refused at its first
 * try is not repeated. `meanwhile` runs once, between the first write and its repetition, and loses no answer.
 */
export async function losingFirstAnswers<T>(
  run: () => Promise<T>,
  meanwhile?: () => Promise<unknown>,
): Promise<{ result: T; lost: LostAnswer[] }> {
  const { middlewareStack } = tableClient();
  const lost: LostAnswer[] = [];
  let pending = meanwhile;
  let isMeanwhile = false;
  middlewareStack.add(
    (next, { commandName }) => {
      const command = String(commandName);
      const bodies: string[] = [];
      return async (args) => {
        const { body } = args.request as { body: Uint8Array | string };
        const text = Buffer.from(body).toString();
        bodies.push(text);
        const answer = await next(args);
        if (isMeanwhile || bodies.length > 1 || !/^(Put|Update|TransactWrite)/.test(command)) return answer;
        lost.push({ write: singleWrite(command, JSON.parse(text)), bodies });
        const other = pending;
        pending = undefined;
        isMeanwhile = true;
        await other?.();
        isMeanwhile = false;
        throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
      };
    },
    { step: 'finalizeRequest', priority: 'low', name: 'lostFirstAnswer' },
  );
  try {
    return { result: await run(), lost };
  } finally {
    middlewareStack.remove('lostFirstAnswer');
  }
}

interface WriteBody {
  readonly Key?: { readonly pk: { readonly S: string } };
  readonly Item?: { readonly pk: { readonly S: string } };
  readonly UpdateExpression?: string;
  readonly ConditionExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
}

function singleWrite(command: string, { Key, Item, ...written }: WriteBody): string | undefined {
  const key = Key ?? Item;
  if (!key) return undefined;
  const { UpdateExpression, ConditionExpression, ExpressionAttributeNames } = written;
  const parts = [Object.keys(Item ?? {}).sort(), UpdateExpression, ConditionExpression, ExpressionAttributeNames];
  return `${command} ${key.pk.S.split('#')[0]} ${JSON.stringify(parts)}`;
}

/** Lets a random number of event loop turns pass before each outside call. */
export const shuffled = (random: () => number): Interception => ({
  async around(_, call) {
    for (let turns = Math.floor(random() * 20); turns > 0; turns--) await turn();
    return call();
  },
});
