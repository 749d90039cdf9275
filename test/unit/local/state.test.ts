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

/** Process id that no process has: Linux counts up to 2^22, macOS up to 99,998. */
const ENDED_PID = 2 ** 31 - 1;

it('claimState gives a fresh run a folder of its own, and release removes it', () => {
  const state = claimState(root, true);
  expect(state.folder).toBe(join(root, `fresh-${process.pid}`));
  writeFileSync(join(state.folder, 'x'), '');
  state.release();
  expect(existsSync(state.folder)).toBe(false);
});

it('claimState removes folders of killed runs, and keeps those of running ones', () => {
  const [left, running] = [ENDED_PID, process.ppid].map((pid) => join(root, `fresh-${pid}`)) as [string, string];
  for (const folder of [left, running]) mkdirSync(folder);
  claimState(root, false).release();
  expect(existsSync(left)).toBe(false);
  expect(existsSync(running)).toBe(true);
});

it('claimState refuses rows with an unknown layout, and keeps rows with its own', () => {
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

it('claimState refuses a second run on the same data, and names the process of the first', async () => {
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

it('claimState takes over from an ended run whose process id another program has got', () => {
  writeFileSync(join(root, 'run.pid'), String(process.ppid));
  const state = claimState(root, false);
  expect(readFileSync(join(root, 'run.pid'), 'utf8').trim()).toBe(String(process.pid));
  state.release();
});

it('claimState records the process of a run, and takes over from a run that has ended', () => {
  writeFileSync(join(root, 'run.pid'), String(ENDED_PID));
  const state = claimState(root, false);
  expect(state.folder).toBe(root);
  expect(readFileSync(join(root, 'run.pid'), 'utf8').trim()).toBe(String(process.pid));
  state.release();
  expect(existsSync(join(root, 'run.pid'))).toBe(false);
});
