import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { GUARDS } from '../mutants/guards.ts';

const ROOT = join(import.meta.dirname, '../..');

it.each(GUARDS)('guards.ts quotes a text that is once in $file', ({ file, text, becomes }) => {
  expect(readFileSync(join(ROOT, file), 'utf8').split(text)).toHaveLength(2);
  expect(becomes).not.toBe(text);
});

it.each([...new Set(GUARDS.map(({ test }) => test))])('guards.ts names a test file that exists: %s', (test) => {
  expect(existsSync(join(ROOT, test))).toBe(true);
});
