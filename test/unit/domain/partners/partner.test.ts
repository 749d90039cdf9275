import { expect, it } from 'vitest';
import { bitsFromScopes, SCOPES, scopesFromBits } from '../../../../shared/domain/partners/partner.ts';

it('scopes are kept as the bits of a small number', () => {
  expect(SCOPES.map((scope) => bitsFromScopes([scope]))).toEqual([1, 2, 4, 8]);
  expect(bitsFromScopes(['acompanhamento', 'leads'])).toBe(9);
  for (let bits = 1; bits < 16; bits++) expect(bitsFromScopes(scopesFromBits(bits))).toBe(bits);
});

it('a key that names no scope has all of them', () => {
  expect(bitsFromScopes([])).toBe(0);
  expect(scopesFromBits(0)).toEqual(['leads', 'simulacoes', 'analises', 'acompanhamento']);
});
