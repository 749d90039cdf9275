/**
 * Runs the unit tests on the newest Node: an engineer's own may be newer than the one that npm brings. Its package is in
 * this folder, with a lock of its own; `npm ci --prefix test/newest-node` brings it. Ends as Vitest does.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const PROGRAMS = join(import.meta.dirname, 'node_modules/.bin');
const NODE = join(PROGRAMS, 'node');

function unitTests(): number {
  // TESTS names a complete run, which must play the test of every guard. Only the unit tests run here, in their daily size.
  const { TESTS: _, SOAK: __, ...others } = process.env;
  const env = { ...others, PATH: [PROGRAMS, process.env['PATH']].join(delimiter) };
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const { status } = spawnSync(NODE, [vitest, 'run', '--project', 'unit'], { cwd: ROOT, env, stdio: 'inherit' });
  return status ?? 1;
}

if (existsSync(NODE)) {
  process.exitCode = unitTests();
} else {
  console.log(
    `npm has no newer Node for ${process.platform}-${process.arch}: npm test has run the unit tests on ${process.version}, which is installed here`,
  );
}
