import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { type LocalDynamoDb, startDynamoDb } from '../infra/local/aws/dynamodb.ts';
import { synthesise } from '../infra/local/template.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder of the dev stage's assembly, synthesised once for all test files. */
    assembly: string;
    /** Addresses of the table engines, one engine for each worker. */
    tables: readonly string[];
  }
}

/** Each project loads this file again, so what all projects of a run share is kept on the process. */
const run = globalThis as { assembly?: Promise<string>; tables?: Promise<LocalDynamoDb[]> };

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

export async function setup(project: TestProject): Promise<void> {
  run.assembly ??= synthesiseStage();
  run.tables ??= startTables(Number(project.vitest.config.maxWorkers));
  project.provide('assembly', await run.assembly);
  const tables = await run.tables;
  project.provide(
    'tables',
    tables.map(({ endpoint }) => endpoint),
  );
}

export async function teardown(): Promise<void> {
  const { tables } = run;
  delete run.tables;
  await Promise.all((await tables)?.map(({ close }) => close()) ?? []);
}
