import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { GUARDS, testsOf } from '../mutants/guards.ts';

const ROOT = join(import.meta.dirname, '../..');

describe('the list of guards', () => {
  it('has each guard once', () => {
    expect(new Set(GUARDS.map(({ name }) => name)).size).toBe(GUARDS.length);
    expect(GUARDS.length).toBeGreaterThanOrEqual(80);
  });

  it.each(GUARDS)('names the text of a guard that is there: $name', ({ file, text, becomes = '' }) => {
    expect(readFileSync(join(ROOT, file), 'utf8').split(text)).toHaveLength(2);
    expect(becomes).not.toBe(text);
  });

  it.each(GUARDS)('names tests that are there: $name', (guard) => {
    const missing = testsOf(guard).filter(([file]) => !existsSync(join(ROOT, file)));
    expect(missing).toEqual([]);
    expect(testsOf(guard)).not.toHaveLength(0);
  });
});
