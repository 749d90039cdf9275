import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import * as z from 'zod/mini';
import type { LocalService } from '../infra/local/run.ts';

/** A local run as its service file tells of it. */
export interface RunningService extends Pick<LocalService, 'url' | 'keys' | 'inbox'> {
  /** The service file itself. */
  readonly file: string;
}

/** The local run that `--service-file` names, else the one of `.local`. */
export function runningService(): RunningService {
  const { values } = parseArgs({ options: { 'service-file': { type: 'string', default: '.local/service.json' } } });
  return serviceIn(values['service-file']);
}

/** What these programs read of a service file. */
const serviceFormat = z.object({
  url: z.string(),
  keys: z.object({ sandbox: z.string(), producao: z.string() }),
  inbox: z.object({ url: z.string(), secret: z.string() }),
});

/** Returns the local run that a service file describes. Throws an Error if the file is missing or lacks a field. */
export function serviceIn(file: string): RunningService {
  const { url, keys, inbox } = serviceFormat.parse(JSON.parse(readFileSync(file, 'utf8')));
  return { url, keys, inbox, file };
}

/** Throws where something does not hold. */
export function expect(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(`surprise: ${what}`);
}

/** Runs to the end, or says what went wrong and makes the process fail. */
export async function runOrTell(walk: () => Promise<void>): Promise<void> {
  try {
    await walk();
  } catch (error) {
    console.error(`\n${error instanceof Error ? error.message : error}`);
    process.exitCode = 1;
  }
}
