import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { commandOf } from '#infra/local/command-of.ts';
import { HAS_PS } from '#test/makers/mac.ts';

const NOWHERE = '/nowhere';
/** Longer than a terminal is wide. */
const WORD = `bin/${'x'.repeat(300)}/dev.ts`;

let child: ReturnType<typeof spawn>;
beforeEach(async () => {
  child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', WORD], { stdio: 'ignore' });
  await once(child, 'spawn');
});
afterEach(() => child.kill('SIGKILL'));

it.runIf(HAS_PS)('commandOf works without /proc, as on macOS', () => {
  expect(commandOf(child.pid!, { ps: 'ps', proc: NOWHERE })).toContain(`setInterval(() => {}, 1000) ${WORD}`);
  vi.stubEnv('COLUMNS', '80');
  expect(commandOf(child.pid!, { ps: 'ps', proc: NOWHERE })).toContain(WORD);
  vi.unstubAllEnvs();
});

it.runIf(existsSync('/proc'))('commandOf works without ps, as in a small container', () => {
  expect(commandOf(child.pid!, { ps: NOWHERE, proc: '/proc' })).toContain(`setInterval(() => {}, 1000) ${WORD}`);
});

it('commandOf is empty for a process that has ended, and on a machine with neither ps nor /proc', async () => {
  expect(commandOf(child.pid!, { ps: NOWHERE, proc: NOWHERE })).toBe('');
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(commandOf(child.pid!)).toBe('');
});
