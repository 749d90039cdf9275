import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import * as money from '#shared/domain/values/money.ts';

// Values that are not amounts are tested in test/unit/contract, at the fields that take an amount.
test('an amount keeps its value through reais in JSON, which have at most two decimals', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: money.LARGEST_AMOUNT }), (amount) => {
      const reais = money.reaisFromCentavos(amount as money.Centavos);
      expect(money.centavosFromReais(reais)).toBe(amount);
      expect(JSON.stringify(reais)).toMatch(/^\d+(\.\d{1,2})?$/);
      const written = `${Math.floor(amount / 100)}.${String(amount % 100).padStart(2, '0')}`;
      expect(money.centavosFromReais(JSON.parse(written))).toBe(amount);
    }),
    { numRuns: process.env['SOAK'] ? 100_000 : 300 },
  );
});

test('centavos returns a safe integer and throws for any other number', () => {
  expect(money.centavos(-5)).toBe(-5);
  for (const amount of [0.5, Number.NaN, 2 ** 53])
    expect(() => money.centavos(amount)).toThrow(new RangeError('an amount of centavos must be a safe integer'));
});

test.each([
  [0, 'R$ 0,00'],
  [7, 'R$ 0,07'],
  [100, 'R$ 1,00'],
  [99_999, 'R$ 999,99'],
  [100_000, 'R$ 1.000,00'],
  [123_456_789, 'R$ 1.234.567,89'],
  [1_000_000_000, 'R$ 10.000.000,00'],
  [-123_456, '-R$ 1.234,56'],
])('formatReais writes %d centavos as %s', (amount, text) =>
  expect(money.formatReais(money.centavos(amount))).toBe(text),
);
