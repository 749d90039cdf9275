import type { APIGatewayProxyResult, Context } from 'aws-lambda';
import type { Route } from '#shared/contract/routes.ts';
import { tableClient } from '#shared/table/rows/client.ts';
import { type CallOptions, gatewayEvent, lambdaContext } from '../makers/call.ts';
import { median, taking } from './bench.ts';

const CALLS = 2_000;
const ROUNDS = 7;
const MANY = 100_000;

export type Handler = (event: unknown, context: Context) => Promise<APIGatewayProxyResult>;

/**
 * A call that is made again and again, from the second on with the same event; a wrong answer ends the program. `options`
 * gives those of a call that repeats no other's Idempotency-Key.
 */
export function repeated(handler: Handler, route: Route, options: () => CallOptions, expected: number) {
  let event = gatewayEvent(route, options());
  let following: typeof event | undefined = gatewayEvent(route, options());
  return async () => {
    const { statusCode, body } = await handler({ ...event }, lambdaContext());
    event = following ?? event;
    following = undefined;
    if (statusCode !== expected) throw new Error(`${route.operation} answered ${statusCode}: ${body}`);
  };
}

/**
 * Lets the table's client answer from memory what it has answered to one call, in the order in which it was asked, until
 * the function that it gives is called: what is left is the function's own work.
 */
async function fromMemory(call: () => Promise<unknown>): Promise<{ next(): void; end(): void }> {
  const client = tableClient();
  const send = client.send;
  const answers: Promise<unknown>[] = [];
  // The call before may ask in another order than those that follow it: a container reads ahead for a key that it knows.
  await call();
  client.send = ((...command: unknown[]) => {
    const answer = Reflect.apply(send, client, command) as Promise<unknown>;
    answers.push(answer);
    return answer;
  }) as typeof send;
  await call();
  let at = 0;
  client.send = (() => answers[at++]) as typeof send;
  return {
    next: () => {
      at = 0;
    },
    end: () => {
      client.send = send;
    },
  };
}

/** So many calls, one after the other. What a call leaves to the event loop gets its turn, as between real calls. */
async function calling(calls: number, call: () => Promise<void>): Promise<void> {
  for (let at = 0; at < calls; at++) {
    await call();
    if (at % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Microseconds of processor time of one round of calls, each. */
async function processorTime(calls: number, call: () => Promise<void>): Promise<number> {
  return (1000 * (await taking(() => calling(calls, call))).cpu) / calls;
}

/** Drops the functions' own lines from standard output from now on: they would bury the report, and wait in memory for the pipe. */
export function silenceLog(): void {
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = ((chunk: string | Uint8Array, ...rest: []) =>
    String(chunk).startsWith('{"level"') || write(chunk, ...rest)) as typeof write;
}

/** Work of a known size, so that a figure says something on another machine: JSON, hashes and promises, as calls have. */
export async function reference(): Promise<void> {
  for (let at = 0; at < 20; at++) {
    const text = JSON.stringify({ at, list: Array.from({ length: 20 }, (_, index) => `value ${index}`) });
    await Promise.resolve(JSON.parse(text));
  }
}

/** Microseconds of processor time a call, without the SDK's, and of the reference loop measured in turn with it. */
export async function ownTime(call: () => Promise<void>): Promise<{ own: number; reference: number }> {
  const memory = await fromMemory(call);
  const taken: { own: number; reference: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const own = await processorTime(CALLS, () => {
      memory.next();
      return call();
    });
    taken.push({ own, reference: await processorTime(CALLS, reference) });
  }
  memory.end();
  // The first rounds are compiled while they run.
  const settled = taken.slice(2);
  return { own: median(settled.map(({ own }) => own)), reference: median(settled.map((one) => one.reference)) };
}

/** Megabytes of heap before and after many calls. Throws unless Node was started with --expose-gc. */
export async function heapOver(call: () => Promise<void>): Promise<{ before: number; after: number; calls: number }> {
  if (!globalThis.gc) throw new Error('node must be started with --expose-gc');
  const memory = await fromMemory(call);
  const used = () => {
    globalThis.gc!();
    return process.memoryUsage().heapUsed / 1024 ** 2;
  };
  const fromStart = () => {
    memory.next();
    return call();
  };
  await calling(MANY / 20, fromStart);
  const before = used();
  await calling(MANY, fromStart);
  const after = used();
  memory.end();
  return { before, after, calls: MANY };
}
