import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import * as z from 'zod/mini';
import type { LocalService } from '../infra/local/run.ts';

/** A local run as its service file describes it. */
export interface RunningService extends Pick<LocalService, 'url' | 'keys' | 'inbox'> {
  /** Path of the service file. */
  readonly file: string;
}

/** Returns the local run of the service file that `--service-file` names, by default `.local/service.json`. */
export function runningService(): RunningService {
  const { values } = parseArgs({ options: { 'service-file': { type: 'string', default: '.local/service.json' } } });
  return serviceIn(values['service-file']);
}

/** The part of a service file that these programs read. */
const serviceFormat = z.object({
  url: z.string(),
  keys: z.object({ sandbox: z.string(), producao: z.string() }),
  inbox: z.object({ url: z.string(), secrets: z.object({ sandbox: z.string(), producao: z.string() }) }),
});

/** Returns the local run that a service file describes. Throws an Error if the file is missing or lacks a field. */
export function serviceIn(file: string): RunningService {
  const { url, keys, inbox } = serviceFormat.parse(JSON.parse(readFileSync(file, 'utf8')));
  return { url, keys, inbox, file };
}

/** Throws an Error that says `what` if a condition does not hold. */
export function expect(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(`surprise: ${what}`);
}

/** Runs a function. If it fails, prints the error's message and sets the exit code to 1. */
export async function runOrReport(walk: () => Promise<void>): Promise<void> {
  try {
    await walk();
  } catch (error) {
    console.error(`\n${error instanceof Error ? error.message : error}`);
    process.exitCode = 1;
  }
}
