import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { claimState } from '#infra/local/state.ts';
import { ROW_VERSION } from '#shared/table/rows/row-format.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'state-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** No process has it: Linux counts to 2^22 at most, macOS to 99,998. */
const ENDED_PID = 2 ** 31 - 1;

it('gives a fresh run a folder of its own and removes it', () => {
  const state = claimState(root, true);
  expect(state.folder).toBe(join(root, `fresh-${process.pid}`));
  writeFileSync(join(state.folder, 'x'), '');
  state.release();
  expect(existsSync(state.folder)).toBe(false);
});

it('removes what killed runs have left, never what a running one has', () => {
  const [left, running] = [ENDED_PID, process.ppid].map((pid) => join(root, `fresh-${pid}`)) as [string, string];
  for (const folder of [left, running]) mkdirSync(folder);
  claimState(root, false).release();
  expect(existsSync(left)).toBe(false);
  expect(existsSync(running)).toBe(true);
});

it('refuses data whose rows have no known layout, and keeps its own', () => {
  claimState(root, false).release();
  writeFileSync(join(root, 'secrets.json'), '{}');
  claimState(root, false).release();
  writeFileSync(join(root, 'layout'), '0');
  expect(() => claimState(root, false)).toThrow(/layout 0, .*: start with --fresh, or delete \.local$/);
  writeFileSync(join(root, 'layout'), String(ROW_VERSION + 1));
  expect(() => claimState(root, false)).toThrow(`reads layouts up to ${ROW_VERSION}`);
  rmSync(join(root, 'layout'));
  expect(() => claimState(root, false)).toThrow(/layout none/);
  claimState(root, true).release();
});

it('refuses a second run of the same data while the first lives, and names its process', async () => {
  const running = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', 'bin/dev.ts'], { stdio: 'ignore' });
  try {
    await once(running, 'spawn');
    writeFileSync(join(root, 'run.pid'), String(running.pid));
    expect(() => claimState(root, false)).toThrow(
      `another run (process ${running.pid}) uses .local: end it, or start with --fresh`,
    );
    claimState(root, true).release();
  } finally {
    running.kill('SIGKILL');
  }
});

it('takes over from an ended run if another program has got the number of its process', () => {
  writeFileSync(join(root, 'run.pid'), String(process.ppid));
  const state = claimState(root, false);
  expect(readFileSync(join(root, 'run.pid'), 'utf8').trim()).toBe(String(process.pid));
  state.release();
});

it('notes who keeps data, and takes over from a run that has ended', () => {
  writeFileSync(join(root, 'run.pid'), String(ENDED_PID));
  const state = claimState(root, false);
  expect(state.folder).toBe(root);
  expect(readFileSync(join(root, 'run.pid'), 'utf8').trim()).toBe(String(process.pid));
  state.release();
  expect(existsSync(join(root, 'run.pid'))).toBe(false);
});
