import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A bundle to start, and the calls that it gets: the events of its first and second call, and what both are answered. */
export interface Start {
  readonly name: string;
  readonly bundle: string;
  readonly environment: Readonly<Record<string, string>>;
  /** An event for each call of each round, so that no call repeats another's Idempotency-Key. */
  readonly event: () => unknown;
  readonly expected: number;
}

/** What one start took, in milliseconds: the process as a whole, loading with priming, and the first two calls. */
export interface Taken {
  readonly wall: number;
  readonly load: number;
  readonly first: number;
  readonly second: number;
}

// Writes what it measures to a pipe of its own: the function's log has standard output. It takes Node's module without the
// ES facade, which alone would be a seventh of a bare start, and ready for whatever is measured after it.
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

/** Runs Node to its end; gives its milliseconds and what it wrote to its fourth stream. Throws where it fails. */
async function run(args: readonly string[], env: NodeJS.ProcessEnv): Promise<{ wall: number; written: string }> {
  const begun = performance.now();
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'inherit', 'pipe'] });
  let written = '';
  child.stdio[3]!.on('data', (chunk: Buffer) => {
    written += chunk;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`node ${args[0]} ended with ${code}`);
  return { wall: performance.now() - begun, written };
}

/**
 * Starts each bundle so many times with two calls, and bare Node as often, all in turn: what the machine does meanwhile
 * falls on all of them. Two calls with their pause between them do not change what the first takes.
 */
export async function measureStarts(
  folder: string,
  rounds: number,
  starts: readonly Start[],
  environment: Readonly<Record<string, string>>,
): Promise<{ bare: number[]; taken: Map<string, Taken[]> }> {
  const program = join(folder, 'calls.mjs');
  writeFileSync(program, PROGRAM);
  const bare: number[] = [];
  const taken = new Map(starts.map(({ name }) => [name, [] as Taken[]]));
  for (let round = 0; round < rounds; round++) {
    bare.push((await run(['-e', '0'], { ...process.env, ...environment })).wall);
    for (const { name, bundle, environment: own, event, expected } of starts) {
      const { wall, written } = await run([program], {
        ...process.env,
        ...own,
        ...environment,
        BUNDLE: bundle,
        EVENTS: JSON.stringify([event(), event()]),
        EXPECTED: String(expected),
      });
      const [load, first, second] = JSON.parse(written) as [number, number, number];
      // The second call is measured beside the start, and is no part of it.
      taken.get(name)!.push({ wall: wall - second, load, first, second });
    }
  }
  return { bare, taken };
}
