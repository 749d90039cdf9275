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

export async function setup(project: TestProject): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), 'partner-credit-'));
  await synthesise(join(import.meta.dirname, '..'), folder);
  project.provide('assembly', folder);
  return () => rmSync(folder, { recursive: true, force: true });
}
