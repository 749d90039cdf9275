import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import document from '#shared/partner/openapi/openapi.json' with { type: 'json' };

const GLOSSARY = readFileSync(new URL('../../../shared/contract/GLOSSARY.md', import.meta.url), 'utf8');

/** The rows of the glossary's tables: the term as on the wire, and its English. */
const ROWS = [...GLOSSARY.matchAll(/^\| `([^`]+)` \| (.*) \|$/gm)].map(([, term, english]) => ({
  term: term!,
  english: english!.trim(),
}));

/** Returns every field name, query parameter and listed value that a part of the document names. */
function termsIn(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, value]: [string, unknown]) => {
    if (key === 'example' || key === 'examples') return [];
    const inside = termsIn(value);
    if (key === 'properties') return [...Object.keys(value as object), ...inside];
    if (key === 'enum' || key === 'x-extensible-enum')
      return (value as unknown[]).filter((one): one is string => typeof one === 'string');
    if (key === 'const' && typeof value === 'string') return [value];
    if (key === 'in' && value === 'query') return [(node as { name: string }).name];
    return inside;
  });
}

// The constant `true` is the value of a header and no term.
const TERMS = new Set(termsIn(document).filter((term) => term !== 'true'));

it('the glossary has a line for each term of the wire, and no other line', () => {
  const glossed = ROWS.map(({ term }) => term);
  const missing = [...TERMS].filter((term) => !glossed.includes(term));
  const orphan = glossed.filter((term) => !TERMS.has(term));
  expect(missing).toEqual([]);
  expect(orphan).toEqual([]);
});

it('the glossary has each term once, with its English', () => {
  const repeated = ROWS.filter(({ term }, index) => ROWS.findIndex((row) => row.term === term) !== index);
  expect(repeated).toEqual([]);
  expect(ROWS.filter(({ english }) => english.length < 2)).toEqual([]);
});

it('the glossary test reads every line that looks like a term', () => {
  const lines = GLOSSARY.split('\n').filter((line) => line.startsWith('| `'));
  expect(ROWS.length).toBe(lines.length);
  expect(TERMS.size).toBeGreaterThan(150);
});
