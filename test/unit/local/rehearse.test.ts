import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { RECOVERY_STEPS } from '#infra/local/rehearsal/rehearse-restore.ts';

const PROJECT = join(import.meta.dirname, '../../..');

it('bin/rehearse.ts begins no rehearsal for a word that it does not know', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['bin/rehearse.ts', 'upgrad', 'v1'], {
    cwd: PROJECT,
    encoding: 'utf8',
    timeout: 30_000,
  });
  expect(stderr.trim()).toBe('say what to rehearse, restore or upgrade, not upgrad');
  expect(stdout).toBe('');
  expect(status).toBe(1);
});

it('the table of times to recover names each step that rehearse-restore plays', () => {
  const controls = readFileSync(join(PROJECT, 'infra/security/CONTROLS.md'), 'utf8');
  const [, steps = ''] = /\n## Time to recover\n(.*?)\n## /s.exec(controls) ?? [];
  const named = steps.split('\n').map((row) => row.split(' | ')[1]);
  expect(named).toEqual(expect.arrayContaining([...RECOVERY_STEPS]));
});
