import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A bundle to start, and the two calls that it gets. */
export interface Start {
  readonly name: string;
  readonly bundle: string;
  readonly environment: Readonly<Record<string, string>>;
  /**
   * Returns the event of a call. It is called for each call of each round, so that no two calls share an
   * Idempotency-Key.
   */
  readonly event: () => unknown;
  readonly expected: number;
}

/**
 * Milliseconds that one start took: the whole process without the second call, loading with priming, and the first two
 * calls.
 */
export interface StartTimes {
  readonly wall: number;
  readonly load: number;
  readonly first: number;
  readonly second: number;
}

// The program writes its times to a pipe of their own, because the function logs to standard output. It gets `node:fs`
// without Node's facade for ES modules. Making the facade takes a seventh of a bare start, and the measured code would
// then find it ready.
const PROGRAM = `
const { writeSync } = process.getBuiltinModule('node:fs');
const events = JSON.parse(process.env.EVENTS);
const begun = performance.now();
const { handler } = await import(process.env.BUNDLE);
const times = [performance.now() - begun];
for (const event of events) {
  const from = performance.now();
  const { statusCode } = await handler(event, { getRemainingTimeInMillis: () => 28000 });
  if (statusCode !== Number(process.env.EXPECTED)) {
    console.error('answered ' + statusCode);
    process.exit(1);
  }
  times.push(performance.now() - from);
}
writeSync(3, JSON.stringify(times));
process.exit(0);`;

/**
 * Runs Node to its end. Returns the milliseconds that it took and what it wrote to file descriptor 3. Throws an Error
 * if Node fails.
 */
async function run(args: readonly string[], env: NodeJS.ProcessEnv): Promise<{ wall: number; written: string }> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'inherit', 'pipe'] });
  let written = '';
  child.stdio[3]!.on('data', (chunk: Buffer) => {
    written += chunk;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`node ${args[0]} ended with ${code}`);
  return { wall: performance.now() - startedAt, written };
}

/**
 * Starts each bundle with two calls, and bare Node, in turns. So whatever else the machine does in a round slows all of
 * them. The second call comes after the first has ended and does not change the time of the first.
 */
export async function measureStarts(
  folder: string,
  rounds: number,
  starts: readonly Start[],
  environment: Readonly<Record<string, string>>,
): Promise<{ bare: number[]; timesByName: Map<string, StartTimes[]> }> {
  const program = join(folder, 'calls.mjs');
  writeFileSync(program, PROGRAM);
  const bare: number[] = [];
  const timesByName = new Map(starts.map(({ name }) => [name, [] as StartTimes[]]));
  for (let round = 0; round < rounds; round++) {
    bare.push((await run(['-e', '0'], { ...process.env, ...environment })).wall);
    for (const { name, bundle, environment: ownEnvironment, event, expected } of starts) {
      const { wall, written } = await run([program], {
        ...process.env,
        ...ownEnvironment,
        ...environment,
        BUNDLE: bundle,
        EVENTS: JSON.stringify([event(), event()]),
        EXPECTED: String(expected),
      });
      const [load, first, second] = JSON.parse(written) as [number, number, number];
      // The second call is measured too, but is no part of the start.
      timesByName.get(name)!.push({ wall: wall - second, load, first, second });
    }
  }
  return { bare, timesByName };
}
