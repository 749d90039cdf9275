import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readStatus } from '#shared/domain/analyses/statuses.ts';

const ROOM = new URL('../../../shared/operator/', import.meta.url);
const README = readFileSync(new URL('README.md', ROOM), 'utf8');
const CODE = readFileSync(new URL('../domain/analyses/statuses.ts', ROOM), 'utf8');

/** Texts of the code that are in no row: the two negations, which are whole words, and Unicode's normal form. */
const NOT_IN_TABLE = ['NAO', 'NOT', 'NFD'];

const SECTION = README.split(/^## /m).find((part) => part.startsWith('Status texts\n')) ?? '';
const wordsIn = (text: string) => [...text.matchAll(/`([A-Z ]+)`/g)].flatMap(([, word]) => word ?? []);

/** The rules of the table: number, words, situation. */
const RULES = [...SECTION.matchAll(/^ +\| (\d) \| (.+) \| `(\w+)` \|$/gm)].map(([, rule, text = '', situation]) => {
  return { rule, words: wordsIn(text), situation };
});
const QUALIFIERS = wordsIn(/Qualifiers of rule 5:[^.]+\./.exec(SECTION)?.[0] ?? '');
const TRAPS = [...SECTION.matchAll(/^ +\| `([^`]+)` \| `(\w+)` \|$/gm)].map(([, text = '', situation]) => {
  return { text, situation };
});

it("the operator's page has every word that the code looks for in a status text, and no other", () => {
  const inCode = [...CODE.matchAll(/'([A-Z][A-Z ]{2,30})'/g)].flatMap(([, word]) => word ?? []);
  const inTable = [...RULES.flatMap(({ words }) => words), ...QUALIFIERS];
  expect(new Set(inTable)).toEqual(new Set(inCode.filter((word) => !NOT_IN_TABLE.includes(word))));
});

const rows = RULES.flatMap(({ rule, words, situation }) => words.map((word) => ({ rule, word, situation })));
it.each(rows)(
  "the code reads $word as $situation, as rule $rule of the operator's page says",
  ({ word, situation }) => {
    expect(readStatus(word)).toEqual({ situation, known: true });
  },
);

it.each(QUALIFIERS)('readStatus reads an approval with %s as condicionado', (qualifier) => {
  expect(readStatus(`APROVADO ${qualifier}`).situation).toBe('condicionado');
});

it.each(QUALIFIERS)('readStatus reads an approval with SEM before %s as aprovado', (qualifier) => {
  expect(readStatus(`APROVADO SEM ${qualifier}`).situation).toBe('aprovado');
});

it.each(TRAPS)("the code reads $text as $situation, as the operator's page says", ({ text, situation }) => {
  expect(readStatus(text)).toEqual({ situation, known: true });
});

it("the operator's page lists thirteen texts that are easily read wrongly", () => {
  expect(TRAPS.length).toBe(13);
});
