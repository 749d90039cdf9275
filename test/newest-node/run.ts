/**
 * Runs the unit tests on the newest Node, because an engineer's own Node may be newer than the one that npm installs.
 * The newer Node is a package of this folder, with its own lock file: `npm ci --prefix test/newest-node` installs it.
 * Ends with Vitest's exit code.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const PROGRAMS = join(import.meta.dirname, 'node_modules/.bin');
const NODE = join(PROGRAMS, 'node');

function unitTests(): number {
  // TESTS and SOAK are not passed on: TESTS declares a complete run, in which the test of every guard must run. Here
  // only the unit tests run, in their daily size.
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
