import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { editDistance, fold, nearestName, plainName } from '#shared/domain/values/nearest-name.ts';
import { anyName, spellingsOf } from '#test/makers/spellings.ts';

const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 8 });

it('editDistance is at most 2 after two edits and at most 1 after a swap of neighbours', () => {
  fc.assert(
    fc.property(word, fc.nat(8), fc.constantFrom('', 'x', 'xy'), (text, at, put) => {
      const cut = Math.min(at, text.length);
      const edited = text.slice(0, cut) + put + text.slice(cut + 1);
      expect(editDistance(text, edited)).toBeLessThanOrEqual(2);
      const [a, b] = [text[cut], text[cut + 1]];
      if (a && b) expect(editDistance(text, text.slice(0, cut) + b + a + text.slice(cut + 2))).toBeLessThanOrEqual(1);
    }),
  );
});

it('plainName keeps only letters and digits, in lower case and without accents', () => {
  expect(plainName(' Valor-Imóvel_2 ²½ ')).toBe('valorimovel2²½');
});

describe('nearestName', () => {
  const names = ['prazo', 'renda', 'valor_imovel', 'valor_financiado', 'uf'];

  test.each([
    ['praso', 'prazo'],
    ['Valor-Imóvel', 'valor_imovel'],
    ['vlr_financiado', 'valor_financiado'],
    ['ud', 'uf'],
    ['x', undefined],
    ['cor_favorita', undefined],
  ])('nearestName of %j returns %j', (name, nearest) => expect(nearestName(name, names)).toBe(nearest));

  test.each([
    ['the first of two candidates that are equally near', 'abcde', ['abcdx', 'abcdy'], 'abcdx'],
    [
      'the nearest candidate, whatever its place in the list',
      'abcdefgh',
      ['abcdefxy', 'abcdefgx', 'abcdefyx'],
      'abcdefgx',
    ],
    ['a candidate whose distance is a quarter of the longer name', 'abcdefghi', ['abcdefghijkl'], 'abcdefghijkl'],
    ['undefined if the distance is more than a quarter of the longer name', 'abcdefgh', ['abcdefghijk'], undefined],
    ['undefined if no character of the shorter name would stay', 'a', ['b', 'ab'], undefined],
    ['a candidate that has one of two characters in common', 'ab', ['ac'], 'ac'],
  ])('nearestName returns %s', (_, name, candidates, nearest) => expect(nearestName(name, candidates)).toBe(nearest));
});

test('fold removes accents, lowers the case and leaves single spaces', () => {
  expect(fold('  José\tDA  Conceição\u00a0Müller ')).toBe('jose da conceicao muller');
});

test('fold returns the same text for every spelling of a name that looks equal', () => {
  const spelled = anyName.chain((name) => fc.tuple(fc.constant(name), spellingsOf(name)));
  fc.assert(fc.property(spelled, ([name, spelling]) => void expect(fold(spelling)).toBe(fold(name))));
});

test.each([
  ["D'Ávila", 'DÁvila'],
  ["D'Ávila", 'D Ávila'],
  ['Ana-Clara', 'Ana Clara'],
  ['Ana-Clara', 'AnaClara'],
  ['Ana Lima', 'Ana Limo'],
])('fold keeps %j and %j apart, which look different', (one, other) => {
  expect(fold(one)).not.toBe(fold(other));
});
