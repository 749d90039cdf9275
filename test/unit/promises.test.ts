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

it('a promise has a test of its own', () => {
  expect(titles.length).toBeGreaterThanOrEqual(60);
  expect(new Set(titles).size).toBe(titles.length);
});

it.each(titles)('the tests have this title once: %s', (title) => {
  const found = QUOTES.reduce((sum, quote) => sum + text.split(`${quote}${title}${quote}`).length - 1, 0);
  expect(found).toBe(1);
});
