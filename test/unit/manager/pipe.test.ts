import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';

it('the manager’s command line ends without an error when the reader of its output has gone', async () => {
  const child = spawn(process.execPath, ['bin/manager.ts', '--help'], { stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.destroy();
  const [errors, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  expect(errors).toBe('');
  expect(code).toBe(0);
});
