import { Decimal } from 'decimal.js';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { effectiveAnnualCost } from '#shared/domain/simulations/pricing/effective-cost.ts';
import { type Loan, schedule } from '#shared/domain/simulations/pricing/schedule.ts';
import { centavos } from '#shared/domain/values/money.ts';
import { anyLoan } from '#test/makers/loan.ts';
import { COSTLY_CASES, reais } from '#test/makers/quote-request.ts';

const Wide = Decimal.clone({ precision: 40 });
const totalsOf = (loan: Loan) => schedule(loan).map((row) => row.total);
/** Loans so large that the rounding to centavos changes the CET by far less than a hundredth of a percent. */
const realLoan = anyLoan.filter((loan) => loan.principal >= 5_000_000);

/**
 * Returns the present value of payments at an annual cost in percent, less what was received, with 40 digits. By its
 * definition, the CET is the cost at which this is 0.
 */
function surplusAt(cost: Decimal.Value, received: number, amounts: readonly number[]) {
  const discount = new Wide(cost).div(100).plus(1).pow(new Wide(-1).div(12));
  let value = new Wide(0);
  for (let k = amounts.length - 1; k >= 0; k--) value = value.plus(amounts[k]!).times(discount);
  return value.minus(received);
}

test('effectiveAnnualCost is the CET by its definition, rounded to two decimals', () => {
  fc.assert(
    fc.property(realLoan, fc.integer({ min: 0, max: 300 }), (loan, withheld) => {
      const amounts = totalsOf(loan);
      const received = centavos(loan.principal - Math.floor((loan.principal * withheld) / 1000));
      const cost = effectiveAnnualCost(received, amounts);
      expect(cost).toBe(Math.round(cost * 100) / 100);
      expect(surplusAt(new Wide(cost).minus('0.005'), received, amounts).gte(0)).toBe(true);
      expect(surplusAt(new Wide(cost).plus('0.005'), received, amounts).lte(0)).toBe(true);
    }),
    { numRuns: COSTLY_CASES },
  );
});

const inAYear = (amount: string) => [...Array(11).fill(centavos(0)), reais(amount)];
test.each([
  ['1000.00', '1120.05', 12],
  ['1000.00', '1120.15', 12.02],
  ['10000.00', '11200.51', 12.01],
  // The next results are so near to a half that decimal arithmetic decides.
  ['1000000000.00', '1120050000.01', 12.01],
  ['1000000000.00', '1120049999.99', 12],
  ['1000000000.00', '1120149999.99', 12.01],
  ['1000.00', '1000.00', 0],
  ['1000.00', '900.00', -10],
])('effectiveAnnualCost of %s for %s after a year is %d, with a half to the even digit', (received, owed, cost) => {
  expect(effectiveAnnualCost(reais(received), inAYear(owed))).toBe(cost);
});

test('effectiveAnnualCost throws if nothing is received or nothing is paid back', () => {
  const nothing = new RangeError('nothing is received: fees withheld take up the principal');
  for (const received of [0, -1])
    expect(() => effectiveAnnualCost(centavos(received), inAYear('1.00'))).toThrow(nothing);
  expect(() => effectiveAnnualCost(reais('1.00'), inAYear('0.00'))).toThrow(new RangeError('nothing is paid back'));
});
