import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { editDistance, fold, nearestName, plainName } from '#shared/domain/values/nearest-name.ts';

const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 8 });

it('the edit distance is at most 1 after any one edit', () => {
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

it('a plain name has the letters and digits alone, small and without accents', () => {
  expect(plainName(' Valor-Imóvel_2 ²½ ')).toBe('valorimovel2²½');
});

describe('the nearest name', () => {
  const names = ['prazo', 'renda', 'valor_imovel', 'valor_financiado', 'uf'];

  test.each([
    ['praso', 'prazo'],
    ['Valor-Imóvel', 'valor_imovel'],
    ['vlr_financiado', 'valor_financiado'],
    ['ud', 'uf'],
    ['x', undefined],
    ['cor_favorita', undefined],
  ])('to %j is %j', (name, nearest) => expect(nearestName(name, names)).toBe(nearest));

  test.each([
    ['is the first of equally near ones', 'abcde', ['abcdx', 'abcdy'], 'abcdx'],
    ['is the nearest, wherever it stands', 'abcdefgh', ['abcdefxy', 'abcdefgx', 'abcdefyx'], 'abcdefgx'],
    ['lies within a quarter of the longer name', 'abcdefghi', ['abcdefghijkl'], 'abcdefghijkl'],
    ['lies no further than that', 'abcdefgh', ['abcdefghijk'], undefined],
    ['keeps one character of the shorter name', 'a', ['b', 'ab'], undefined],
    ['may leave one of two characters', 'ab', ['ac'], 'ac'],
  ])('%s', (_, name, candidates, nearest) => expect(nearestName(name, candidates)).toBe(nearest));
});

test('names are folded: accents, case and spaces', () => {
  expect(fold('  José\tDA  Conceição\u00a0Müller ')).toBe('jose da conceicao muller');
});
