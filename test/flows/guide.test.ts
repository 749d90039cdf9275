import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SAMPLES } from '../../shared/partner/docs/contents.ts';
import { type LocalService, startLocalService } from '../makers/local-service.ts';
import { present } from '../makers/present.ts';

const here = present('the guide’s samples in order', 'bash', 'curl');
let service: LocalService | undefined;
beforeAll(async () => {
  if (here) service = await startLocalService();
});
afterAll(() => service?.end());

it.runIf(here)('leads who copies its samples in order, with no edit but the key, to all that it promises', async () => {
  const file = join(service!.folder, 'service.json');
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['bin/guide.ts', '--service-file', file], {
    cwd: join(import.meta.dirname, '../..'),
    timeout: 170_000,
  });
  expect(stderr).toBe('');
  expect(stdout).toContain('the guide holds');
  // Every shell sample was copied, in the order of the pages.
  const copied = [...stdout.matchAll(/^== (.*)$/gm)].map(([, name]) => name);
  expect(copied.toSorted()).toEqual(
    Object.keys(SAMPLES)
      .filter((name) => name.endsWith('.sh'))
      .toSorted(),
  );
});
