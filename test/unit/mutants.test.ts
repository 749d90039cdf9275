import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { GUARDS } from '../mutants/guards.ts';

const ROOT = join(import.meta.dirname, '../..');

it('the list of guards: has each guard once', () => {
  expect(new Set(GUARDS.map((guard) => JSON.stringify(guard))).size).toBe(GUARDS.length);
  expect(GUARDS.length).toBeGreaterThanOrEqual(120);
});

it.each(GUARDS)(
  'the list of guards: names a text and a test file that are there: $file, $title',
  ({ file, text, becomes, test }) => {
    expect(readFileSync(join(ROOT, file), 'utf8').split(text)).toHaveLength(2);
    expect(becomes).not.toBe(text);
    expect(existsSync(join(ROOT, test))).toBe(true);
  },
);
