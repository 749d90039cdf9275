import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject, Vitest } from 'vitest/node';
import { type LocalDynamoDb, startDynamoDb } from '../infra/local/aws/dynamodb.ts';
import { synthesise } from '../infra/local/template.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder of the dev stage's assembly, synthesised once for all test files. */
    assembly: string;
    /**
     * Folder for what the workers of a run make once and share (`makers/made-once.ts`). Undefined if the code may change
     * while the process lives, as in watch mode and while guards are removed.
     */
    shared: string | undefined;
    /** Addresses of the table engines, one engine for each worker. */
    tables: readonly string[];
  }
}

/**
 * What all projects share. Each project loads this file again, so it is kept on the process. A process may hold several
 * runs of Vitest (test/mutants/run.ts). They share the assembly, and each run has engines of its own.
 */
const shared = globalThis as {
  assembly?: Promise<string>;
  folder?: string;
  tables?: Map<Vitest, Promise<LocalDynamoDb[]>>;
};

/** Values of TESTS in runs whose code stays as it is. `test/mutants/mutation-run.ts` changes it, with another value. */
const WHOLE_RUNS = ['daily', 'nightly'];

/** Makes a folder that is deleted when the process ends. */
function runFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'partner-credit-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function synthesiseStage(): Promise<string> {
  const folder = runFolder();
  await synthesise(join(import.meta.dirname, '..'), folder);
  return folder;
}

/**
 * Starts the table engines. They belong to the run, because a worker may be killed before it can end an engine of its
 * own.
 */
function startTables(workers: number): Promise<LocalDynamoDb[]> {
  const startOne = () => startDynamoDb(runFolder(), undefined, (message) => console.error(message));
  return Promise.all(Array.from({ length: workers }, startOne));
}

function tablesOf({ vitest }: TestProject): Promise<LocalDynamoDb[]> {
  shared.tables ??= new Map();
  const tables = shared.tables.get(vitest) ?? startTables(Number(vitest.config.maxWorkers));
  shared.tables.set(vitest, tables);
  return tables;
}

async function closeTables({ vitest }: TestProject): Promise<void> {
  const tables = await shared.tables?.get(vitest);
  shared.tables?.delete(vitest);
  await Promise.all(tables?.map(({ close }) => close()) ?? []);
}

/** Returns the teardown. The first project that is torn down ends the engines of its run. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  shared.assembly ??= synthesiseStage();
  const tables = await tablesOf(project);
  project.provide('assembly', await shared.assembly);
  shared.folder ??= runFolder();
  project.provide('shared', WHOLE_RUNS.includes(process.env['TESTS'] ?? '') ? shared.folder : undefined);
  project.provide(
    'tables',
    tables.map(({ endpoint }) => endpoint),
  );
  return () => closeTables(project);
}
