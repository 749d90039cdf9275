import { expect, it } from 'vitest';
import { bitsFromScopes, fieldsToKeep, SCOPES, scopesFromBits } from '#shared/domain/partners/partner.ts';

it('scopes are stored as the bits of a small number', () => {
  expect(SCOPES.map((scope) => bitsFromScopes([scope]))).toEqual([1, 2, 4, 8]);
  expect(bitsFromScopes(['acompanhamento', 'leads'])).toBe(9);
  for (let bits = 1; bits < 16; bits++) expect(bitsFromScopes(scopesFromBits(bits))).toBe(bits);
});

it('a key that names no scope has all of them', () => {
  expect(bitsFromScopes([])).toBe(0);
  expect(scopesFromBits(0)).toEqual(['leads', 'simulacoes', 'analises', 'acompanhamento']);
});

it('fieldsToKeep returns the first twenty field names, and none that the caller chose', () => {
  const many = Array.from({ length: 30 }, (_, index) => ({ field: `campo_${index}`, reason: 'porque sim' }));
  const chosen = { field: '12345678909', reason: 'porque sim', chosen: true };
  expect(fieldsToKeep({ fields: [chosen, ...many] })).toEqual(many.slice(0, 20).map(({ field }) => field));
});
