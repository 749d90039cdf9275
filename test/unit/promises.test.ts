import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const TESTS = join(import.meta.dirname, '..');
const text = globSync('**/*.{test,suite}.ts', { cwd: TESTS })
  .map((file) => readFileSync(join(TESTS, file), 'utf8'))
  .join('\n');
/** The titles in the second column of the tables. */
const titles = [...readFileSync(join(TESTS, 'promises.md'), 'utf8').matchAll(/^\| [^|]+ \| ([^|]+) \|$/gm)]
  .map(([, title]) => title!)
  .filter((title) => title !== 'test');
const QUOTES = ["'", '"', '`'];

it('each promise of promises.md names a title of its own', () => {
  expect(titles.length).toBeGreaterThanOrEqual(60);
  expect(new Set(titles).size).toBe(titles.length);
});

it.each(titles)('the tests have the title of a promise exactly once: %s', (title) => {
  const found = QUOTES.reduce((sum, quote) => sum + text.split(`${quote}${title}${quote}`).length - 1, 0);
  expect(found).toBe(1);
});
