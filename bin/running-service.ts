import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
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

/** The local run that a service file tells of. */
export function serviceIn(file: string): RunningService {
  return { ...(JSON.parse(readFileSync(file, 'utf8')) as Omit<RunningService, 'file'>), file };
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
    console.error(`\n${(error as Error).message}`);
    process.exitCode = 1;
  }
}
