import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

it('bin/rehearse.ts begins no rehearsal for a word that it does not know', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['bin/rehearse.ts', 'upgrad', 'v1'], {
    cwd: join(import.meta.dirname, '../../..'),
    encoding: 'utf8',
    timeout: 30_000,
  });
  expect(stderr.trim()).toBe('say what to rehearse, restore or upgrade, not upgrad');
  expect(stdout).toBe('');
  expect(status).toBe(1);
});
