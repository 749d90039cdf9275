import type { APIGatewayProxyResult, Context } from 'aws-lambda';
import type { Route } from '#shared/contract/routes.ts';
import { tableClient } from '#shared/table/rows/client.ts';
import { type CallOptions, gatewayEvent, lambdaContext } from '../makers/call.ts';
import { median, timed } from './bench.ts';

const CALLS = 2_000;
const ROUNDS = 7;
const MANY = 100_000;

export type Handler = (event: unknown, context: Context) => Promise<APIGatewayProxyResult>;

/**
 * Returns a function that makes a call. The first run uses its own event, all later runs share a second event.
 * `options` returns the options of a call with a new Idempotency-Key. Throws an Error if the answer has another status
 * than expected.
 */
export function repeated(handler: Handler, route: Route, options: () => CallOptions, expected: number) {
  let event = gatewayEvent(route, options());
  let laterEvent: typeof event | undefined = gatewayEvent(route, options());
  return async () => {
    const { statusCode, body } = await handler({ ...event }, lambdaContext());
    event = laterEvent ?? event;
    laterEvent = undefined;
    if (statusCode !== expected) throw new Error(`${route.operation} answered ${statusCode}: ${body}`);
  };
}

/**
 * Records what the table's client answers to one call. From then on the client repeats these answers from memory, in
 * the same order, so only the function's own work is measured. `next` starts the answers again for the next call, `end`
 * puts the client back.
 */
async function fromMemory(call: () => Promise<unknown>): Promise<{ next(): void; end(): void }> {
  const client = tableClient();
  const send = client.send;
  const answers: Promise<unknown>[] = [];
  // The first call is not recorded. Its requests may have another order, because a container reads ahead only for a key
  // that it knows.
  await call();
  client.send = ((...command: unknown[]) => {
    const answer = Reflect.apply(send, client, command) as Promise<unknown>;
    answers.push(answer);
    return answer;
  }) as typeof send;
  await call();
  let position = 0;
  client.send = (() => answers[position++]) as typeof send;
  return {
    next: () => {
      position = 0;
    },
    end: () => {
      client.send = send;
    },
  };
}

/**
 * Makes calls one after the other. Every 50 calls the event loop gets a turn for work that the calls left, as it does
 * between real calls.
 */
async function callRepeatedly(calls: number, call: () => Promise<void>): Promise<void> {
  for (let count = 0; count < calls; count++) {
    await call();
    if (count % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Returns the processor time of one call in microseconds, as the mean of a round of calls. */
async function processorTime(calls: number, call: () => Promise<void>): Promise<number> {
  return (1000 * (await timed(() => callRepeatedly(calls, call))).cpu) / calls;
}

/**
 * Drops the functions' own log lines from standard output from now on. They would hide the report, and wait in memory
 * for the pipe.
 */
export function silenceLog(): void {
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = ((chunk: string | Uint8Array, ...rest: []) =>
    String(chunk).startsWith('{"level"') || write(chunk, ...rest)) as typeof write;
}

/**
 * Does work of a known size, with JSON and promises as in a call, so that figures of different machines can be
 * compared.
 */
export async function reference(): Promise<void> {
  for (let at = 0; at < 20; at++) {
    const text = JSON.stringify({ at, list: Array.from({ length: 20 }, (_, index) => `value ${index}`) });
    await Promise.resolve(JSON.parse(text));
  }
}

/**
 * Returns the processor time of a call without the SDK's, and that of the reference loop, both in microseconds. The two
 * are measured in turns.
 */
export async function ownTime(call: () => Promise<void>): Promise<{ own: number; reference: number }> {
  const memory = await fromMemory(call);
  const times: { own: number; reference: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const own = await processorTime(CALLS, () => {
      memory.next();
      return call();
    });
    times.push({ own, reference: await processorTime(CALLS, reference) });
  }
  memory.end();
  // V8 compiles the code during the first rounds.
  const settled = times.slice(2);
  return { own: median(settled.map(({ own }) => own)), reference: median(settled.map((round) => round.reference)) };
}

/**
 * Returns the megabytes of heap before and after 100,000 calls. Throws an Error unless Node was started with
 * --expose-gc.
 */
export async function heapOver(call: () => Promise<void>): Promise<{ before: number; after: number; calls: number }> {
  if (!globalThis.gc) throw new Error('node must be started with --expose-gc');
  const memory = await fromMemory(call);
  const heapUsed = () => {
    globalThis.gc!();
    return process.memoryUsage().heapUsed / 1024 ** 2;
  };
  const callFromMemory = () => {
    memory.next();
    return call();
  };
  await callRepeatedly(MANY / 20, callFromMemory);
  const before = heapUsed();
  await callRepeatedly(MANY, callFromMemory);
  const after = heapUsed();
  memory.end();
  return { before, after, calls: MANY };
}
