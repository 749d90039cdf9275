import { expect, it } from 'vitest';
import { bitsFromScopes, fieldsToKeep, isInUse, SCOPES, scopesFromBits } from '#shared/domain/partners/partner.ts';
import { dayOf } from '#shared/domain/values/clock.ts';

it('scopes are stored as the bits of a small number', () => {
  expect(SCOPES.map((scope) => bitsFromScopes([scope]))).toEqual([1, 2, 4, 8]);
  expect(bitsFromScopes(['acompanhamento', 'leads'])).toBe(9);
  for (let bits = 1; bits < 16; bits++) expect(bitsFromScopes(scopesFromBits(bits))).toBe(bits);
});

it('a key that names no scope has all of them', () => {
  expect(bitsFromScopes([])).toBe(0);
  expect(scopesFromBits(0)).toEqual(['leads', 'simulacoes', 'analises', 'acompanhamento']);
});

it('isInUse is true for seven days of São Paulo from the last use of a key on, and false for a key never used', () => {
  const used = dayOf('2026-11-21');
  const lastMinuteOf = (day: string) => Date.parse(`${day}T23:59:59-03:00`);
  expect(isInUse(used, lastMinuteOf('2026-11-27'))).toBe(true);
  expect(isInUse(used, lastMinuteOf('2026-11-27') + 1_000)).toBe(false);
  expect(isInUse(undefined, lastMinuteOf('2026-11-21'))).toBe(false);
});

it('fieldsToKeep returns the first twenty field names, and none that the caller chose', () => {
  const many = Array.from({ length: 30 }, (_, index) => ({ field: `campo_${index}`, reason: 'porque sim' }));
  const chosen = { field: '12345678909', reason: 'porque sim', chosen: true };
  expect(fieldsToKeep({ fields: [chosen, ...many] })).toEqual(many.slice(0, 20).map(({ field }) => field));
});
