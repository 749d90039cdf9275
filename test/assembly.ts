import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { synthesise } from '../infra/local/assembly.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder of the dev stage's assembly, synthesised once for all test files. */
    assembly: string;
  }
}

/** Each project loads this file anew; what they share in a run hangs on the process. */
const run = globalThis as { assembly?: Promise<string> };

async function synthesised(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'partner-credit-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  await synthesise(join(import.meta.dirname, '..'), folder);
  return folder;
}

export async function setup(project: TestProject): Promise<void> {
  run.assembly ??= synthesised();
  project.provide('assembly', await run.assembly);
}
