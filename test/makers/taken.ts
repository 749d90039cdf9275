import { SQSClient } from '@aws-sdk/client-sqs';
import { sendMetricsTo } from '../../shared/runtime/metrics.ts';
import { tableClient } from '../../shared/table/client.ts';
import { countUnits } from './counting.ts';

/** What a piece of work took. */
export interface Taken {
  readonly calls: number;
  readonly read: number;
  readonly write: number;
  readonly queueCalls: number;
  readonly milliseconds: number;
  readonly logBytes: number;
}

/** Runs a piece of work and says what it took; the log is kept from the terminal meanwhile. */
export type Measure = <T>(work: () => Promise<T>) => Promise<{ made: T; taken: Taken }>;

/** Begins to count in this process: calls of table and queue, and what is written to the log. */
export function measuring(): Measure {
  const counted = countUnits(tableClient());
  let queueCalls = 0;
  const send = SQSClient.prototype.send;
  SQSClient.prototype.send = function counting(this: SQSClient, ...call: unknown[]) {
    queueCalls += 1;
    return Reflect.apply(send, this, call);
  } as typeof send;
  let logBytes = 0;
  sendMetricsTo((line) => {
    logBytes += Buffer.byteLength(line) + 1;
  });
  return async (work) => {
    counted.reset();
    queueCalls = 0;
    logBytes = 0;
    const write = process.stdout.write;
    process.stdout.write = ((text: string | Uint8Array) => {
      logBytes += Buffer.byteLength(text);
      return true;
    }) as typeof write;
    const begun = performance.now();
    try {
      const made = await work();
      const milliseconds = performance.now() - begun;
      const { calls, read, write: written } = counted.units;
      const used = { calls: calls.length, read, write: written, queueCalls };
      return { made, taken: { ...used, milliseconds, logBytes } };
    } finally {
      process.stdout.write = write;
    }
  };
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
const mean = (values: readonly number[]) => values.reduce((sum, one) => sum + one, 0) / values.length;

/** The mean of what some runs took; of the milliseconds the median. */
export function average(all: readonly Taken[]): Taken {
  const of = (name: keyof Taken) => mean(all.map((taken) => taken[name]));
  return {
    calls: of('calls'),
    read: of('read'),
    write: of('write'),
    queueCalls: of('queueCalls'),
    logBytes: of('logBytes'),
    // A pause of the machine is no cost of the service.
    milliseconds: median(all.map(({ milliseconds }) => milliseconds)),
  };
}

/** So much of a, less b, for each of a number of pieces. */
export function each(a: Taken, b: Taken, pieces: number): Taken {
  const of = (name: keyof Taken) => Math.max(0, (a[name] - b[name]) / pieces);
  return {
    calls: of('calls'),
    read: of('read'),
    write: of('write'),
    queueCalls: of('queueCalls'),
    logBytes: of('logBytes'),
    milliseconds: of('milliseconds'),
  };
}
