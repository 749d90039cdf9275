import * as fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { maxAffordableLoan, requiredIncome } from '#shared/domain/simulations/pricing/loan-values.ts';
import { ratio } from '#shared/domain/simulations/pricing/ratio.ts';
import { type Centavos, centavos } from '#shared/domain/values/money.ts';
import { PRICING_CASES, reais } from '#test/makers/quote-request.ts';

describe('maxAffordableLoan', () => {
  /** Returns a third of the loan as the required income. */
  const third = (financed: Centavos) => centavos(Math.ceil(financed / 3));

  test.each<[income: number, from: number, to: number, most: number | undefined, why: string]>([
    [1_000_000, 101, 100, undefined, 'the smallest loan is above the largest'],
    [1_000_000, 100, 100, 100, 'the smallest loan is also the largest'],
    [33, 100, 300, undefined, 'the smallest loan needs more income'],
    [34, 100, 300, 102, 'a larger loan needs more income'],
    [34, 102, 300, 102, 'the smallest loan needs exactly this income'],
    [99, 3, 300, 297, 'the largest loan needs a centavo more'],
  ])('maxAffordableLoan with an income of %d, from %d to %d, is %d: %s', (income, from, to, most, _) => {
    expect(maxAffordableLoan(centavos(income), centavos(from), centavos(to), third)).toBe(most);
  });

  test('maxAffordableLoan finds the loan to the centavo in at most 33 steps', () => {
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

test('requiredIncome is the instalment divided by the bank’s share of the income, rounded half up', () => {
  // 2,524.41 needs 8,414.70 at a share of 30 %, and 7,573.23 at a third.
  expect(requiredIncome(reais('2524.41'), ratio(10n, 3n))).toBe(reais('8414.70'));
  expect(requiredIncome(reais('2524.41'), ratio(3n, 1n))).toBe(reais('7573.23'));
  // 0.05 needs 12.5 centavos at a share of 2/5.
  expect(requiredIncome(reais('0.05'), ratio(5n, 2n))).toBe(13);
});
