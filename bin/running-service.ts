import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import * as z from 'zod/mini';
import type { LocalService } from '../infra/local/run.ts';

export interface RunningService extends Pick<LocalService, 'url' | 'keys' | 'inbox'> {
  readonly file: string;
}

const serviceFormat = z.object({
  url: z.string(),
  keys: z.object({ sandbox: z.string(), producao: z.string() }),
  inbox: z.object({ url: z.string(), secrets: z.object({ sandbox: z.string(), producao: z.string() }) }),
});

const CURE = 'start the service (npm start), wait until it says that it is ready, and try again';

/** Throws an Error that says what to do if there is no local run of this file, or if the run does not answer yet. */
export async function runningService(file = serviceFileOption()): Promise<RunningService> {
  const { data } = serviceFormat.safeParse(contentOf(file));
  if (!data) throw new Error(`${file} is no service file of a local run: ${CURE}, or name another --service-file`);
  const { url, keys, inbox } = data;
  try {
    await fetch(`${url}/health`);
  } catch (error) {
    throw new Error(`nothing answers at ${url}: ${CURE}`, { cause: error });
  }
  return { url, keys, inbox, file };
}

function serviceFileOption(): string {
  const { values } = parseArgs({ options: { 'service-file': { type: 'string', default: '.local/service.json' } } });
  return values['service-file'];
}

/** Undefined if the file is missing or is no JSON. */
function contentOf(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

export function expect(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(`surprise: ${what}`);
}

export async function runOrReport(walk: () => Promise<void>): Promise<void> {
  try {
    await walk();
  } catch (error) {
    report(error);
  }
}

function report(error: unknown): void {
  console.error(`\n${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}

/** Returns the local run of `--service-file`. If there is none, says what to do and ends the program. */
export async function runningServiceOrExit(): Promise<RunningService> {
  try {
    return await runningService();
  } catch (error) {
    report(error);
    process.exit();
  }
}
