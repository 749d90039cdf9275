import * as fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { maxAffordableLoan, requiredIncome } from '#shared/domain/simulations/pricing/loan-values.ts';
import { ratio } from '#shared/domain/simulations/pricing/ratio.ts';
import { type Centavos, centavos } from '#shared/domain/values/money.ts';
import { PRICING_CASES, reais } from '#test/makers/quote-request.ts';

describe('the largest loan that an income carries', () => {
  /** Needs a third of the loan as income. */
  const third = (financed: Centavos) => centavos(Math.ceil(financed / 3));

  test.each<[income: number, from: number, to: number, most: number | undefined, why: string]>([
    [1_000_000, 101, 100, undefined, 'none where the bank’s least is above its most, whatever the income'],
    [1_000_000, 100, 100, 100, 'the least where that is the most'],
    [33, 100, 300, undefined, 'none where the least loan needs more'],
    [34, 100, 300, 102, 'the highest that needs no more'],
    [34, 102, 300, 102, 'the least where it needs just as much'],
    [99, 3, 300, 297, 'below the bank’s most where that needs a centavo more'],
  ])('of an income of %d from %d to %d is %d: %s', (income, from, to, most, _) => {
    expect(maxAffordableLoan(centavos(income), centavos(from), centavos(to), third)).toBe(most);
  });

  test('is found to the centavo, by halving', () => {
    const most = fc.integer({ min: 2, max: 900_000_000 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000_000 }), most, (income, to) => {
        const counted = vi.fn(third);
        expect(maxAffordableLoan(centavos(income), centavos(1), centavos(to), counted)).toBe(Math.min(income * 3, to));
        expect(counted.mock.calls.length).toBeLessThanOrEqual(33);
      }),
      { numRuns: PRICING_CASES },
    );
  });
});

test('the income that an instalment needs is the instalment over the bank’s share, HALF_UP', () => {
  // 2,524.41 at 30 % and at a third: 8,414.70 and 7,573.23.
  expect(requiredIncome(reais('2524.41'), ratio(10n, 3n))).toBe(reais('8414.70'));
  expect(requiredIncome(reais('2524.41'), ratio(3n, 1n))).toBe(reais('7573.23'));
  // 0.05 at 2/5 is 12.5 centavos.
  expect(requiredIncome(reais('0.05'), ratio(5n, 2n))).toBe(13);
});
