import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { emulator, type Machine } from '#infra/local/aws/dynamodb.ts';
import { commandOf } from '#infra/local/command-of.ts';

/** Whether this machine has `ps`. A small container may have none. */
export const HAS_PS = spawnSync('ps').error === undefined;

/**
 * Describes this machine as a Mac: it has no /proc and no npm package of the emulator. The emulator is only found in a
 * folder of the PATH, as a script that has the emulator as its child.
 */
export function useMac(): Machine {
  const folder = mkdtempSync(join(tmpdir(), 'mac-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'dynoxide'), `#!/bin/sh\n'${emulator()}' "$@"\nexit $?\n`, { mode: 0o755 });
  return {
    platform: 'darwin-arm64',
    packageFolder: () => undefined,
    path: ['/nowhere', folder].join(':'),
    exists: existsSync,
    commandOf: (pid) => commandOf(pid, { ps: 'ps', proc: '/nowhere' }),
  };
}
