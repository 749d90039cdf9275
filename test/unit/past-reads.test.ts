import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const TABLE = 'shared/table';
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** A query of an index: of one that it names, or of the due index by `dueQuery`. */
const OF_INDEX = /\bIndexName\b|\bdueQuery\(/;
/** A query of the table that does not say whether it reads consistently. */
const OF_TABLE = /\bKeyConditionExpression\b(?![\s\S]*\bConsistentRead\b)/;
/** Beginning of a function, a method or a constant, at the indentation at which our formatter writes it. */
const DECLARATION =
  /^(?:export )?(?:async )?function\*? (\w+)|^(?:export )?const (\w+)|^ {2}(?:async )?\*?(#?\w+)(?:<[^(]*>)?\(/;

/** Functions that make a query for others: `dueQuery` itself, and queries whose reader adds ConsistentRead. */
const MAKERS_OF_QUERIES = ['rows/keys.ts dueQuery', 'audit/audit.ts newest', 'audit/audit.ts between'];

/** Returns the functions, methods and constants of a source text, each with its own text. */
function declarations(text: string): { name: string; body: string }[] {
  const found: { name: string; body: string }[] = [];
  for (const line of text.split('\n')) {
    const match = DECLARATION.exec(line);
    const name = match?.slice(1).find((group) => group !== undefined);
    if (name !== undefined) found.push({ name, body: '' });
    const last = found.at(-1);
    if (last && !/^\s*(\/\/|\/?\*)/.test(line)) last.body += `${line}\n`;
  }
  return found;
}

/** Returns `file function` for each function of shared/table whose query may show the past. */
function readsOfThePast(): string[] {
  return globSync('**/*.ts', { cwd: join(ROOT, TABLE) }).flatMap((file) =>
    declarations(read(`${TABLE}/${file}`))
      .filter(({ body }) => OF_INDEX.test(body) || OF_TABLE.test(body))
      .map(({ name }) => `${file} ${name}`),
  );
}

/** The rows of the table in the README: the reads of the first column, and the tests of the last. */
const [, section = ''] = read(`${TABLE}/README.md`).split('\n## Reads that may show the past\n');
const rows = section
  .split('\n## ')[0]!
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, reads = '', , , tests = '']) => ({
    reads: [...reads.matchAll(/`([^`]+)`/g)].map(([, name]) => name!),
    tests: tests.split('; '),
  }));

it('the README has a row for each query that may show the past, and for no other', () => {
  const expected = readsOfThePast().filter((name) => !MAKERS_OF_QUERIES.includes(name));
  expect(expected.length).toBeGreaterThanOrEqual(16);
  expect(rows.flatMap(({ reads }) => reads).sort()).toEqual(expected.sort());
});

it('no file outside of shared/table reads an index', () => {
  const outside = globSync(['shared/**/*.ts', 'functions/**/*.ts', 'bin/**/*.ts'], { cwd: ROOT })
    .filter((file) => !file.startsWith(TABLE))
    .filter((file) => /\bIndexName\b|\bdueQuery\b/.test(read(file)));
  expect(outside).toEqual([]);
});

const texts = globSync('test/**/*.{test,suite}.ts', { cwd: ROOT }).map(read);

it.each(rows.flatMap(({ tests }) => tests))('the tests have a title of the README exactly once: %s', (title) => {
  const quoted = ["'", '"', '`'].flatMap((quote) => texts.filter((text) => text.includes(`${quote}${title}${quote}`)));
  expect(quoted).toHaveLength(1);
});
