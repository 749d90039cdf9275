import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { GUARDS } from '../mutants/guards.ts';

/** What this run of the tests has set for itself. */
const isOfThisRun = (name: string) => name.startsWith('VITEST') || name === 'TEST' || name === 'SOAK';

it('the guards that every run takes out fail their tests', { timeout: 300_000 }, async () => {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !isOfThisRun(name)));
  const program = join(import.meta.dirname, '../mutants/run.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [program, '--few'], { env });
  const few = GUARDS.filter(({ always }) => always).length;
  expect(few).toBeGreaterThanOrEqual(8);
  expect(stdout.trim().split('\n').at(-1)).toBe(`${few} of ${few} guards fail their tests when they are taken out`);
});
