import { Decimal } from 'decimal.js';
import * as fc from 'fast-check';
import { irr } from 'node-irr';
import { describe, expect, test } from 'vitest';
import { effectiveAnnualCost, netProceeds } from '../../../../../shared/domain/simulations/pricing/effective-cost.ts';
import { monthlyRate } from '../../../../../shared/domain/simulations/pricing/rate.ts';
import { ratio } from '../../../../../shared/domain/simulations/pricing/ratio.ts';
import { type Loan, schedule } from '../../../../../shared/domain/simulations/pricing/schedule.ts';
import { type Centavos, centavos } from '../../../../../shared/domain/values/money.ts';
import { anyAnnualRate, anyLoan, loanFrom, makeLoan } from '../../../../makers/loan.ts';
import { COSTLY_CASES, PRICING_CASES, reais } from '../../../../makers/quote-request.ts';

const Wide = Decimal.clone({ precision: 40 });
const totalsOf = (loan: Loan) => schedule(loan).map((row) => row.total);
/** Loans whose rounding to centavos is far below a hundredth of a percent. */
const realLoan = anyLoan.filter((loan) => loan.principal >= 5_000_000);

/** Present value at an annual cost in percent, less what was received: the definition, in decimals of 40 digits. */
function surplusAt(cost: Decimal.Value, received: number, amounts: readonly number[]) {
  const discount = new Wide(cost).div(100).plus(1).pow(new Wide(-1).div(12));
  let value = new Wide(0);
  for (let k = amounts.length - 1; k >= 0; k--) value = value.plus(amounts[k]!).times(discount);
  return value.minus(received);
}

describe('CET on equal months', () => {
  test('is the rate where there is neither fee nor insurance', () => {
    const bare = fc.record({ loan: realLoan, rate: anyAnnualRate });
    fc.assert(
      fc.property(bare, ({ loan, rate }) => {
        const free = makeLoan({
          system: loan.system,
          principal: loan.principal,
          term: loan.term,
          monthlyRate: monthlyRate(rate, 'effective'),
        });
        expect(Math.abs(effectiveAnnualCost(free.principal, totalsOf(free)) - Number(rate))).toBeLessThanOrEqual(0.005);
      }),
      { numRuns: PRICING_CASES },
    );
  });

  test('rises with every fee', () => {
    const cost = (loan: Loan, withheld: Partial<Record<'fees' | 'tax', Centavos>> = {}) =>
      effectiveAnnualCost(
        netProceeds(loan.principal, { fees: centavos(0), tax: centavos(0), ...withheld }),
        totalsOf(loan),
      );
    const thousandths = fc.integer({ min: 1, max: 500 });
    fc.assert(
      fc.property(realLoan, thousandths, (loan, part) => {
        const without = cost(loan);
        const amount = centavos(Math.ceil((loan.principal * part) / 1000));
        const monthly = centavos(Math.ceil(amount / loan.term));
        const dearer = (age: number) => {
          const rate = loan.mipRates(age);
          return ratio(rate.numerator * 1000n + rate.denominator * BigInt(part), rate.denominator * 1000n);
        };
        const dearerBy = {
          fees: cost(loan, { fees: amount }) - without,
          tax: cost(loan, { tax: amount }) - without,
          monthlyFee: cost({ ...loan, fee: centavos(loan.fee + monthly) }) - without,
          dfi: cost({ ...loan, dfi: centavos(loan.dfi + monthly) }) - without,
          mip: cost(loanFrom({ ...loan, mipRates: dearer })) - without,
        };
        for (const [fee, difference] of Object.entries(dearerBy)) {
          // A single instalment carries no insurance; a thousandth over 35 years is lost in the second decimal.
          if (loan.term === 1 && (fee === 'dfi' || fee === 'mip')) expect(difference, fee).toBe(0);
          else if (part < 50) expect(difference, fee).toBeGreaterThanOrEqual(0);
          else expect(difference, fee).toBeGreaterThan(0);
        }
      }),
      { numRuns: COSTLY_CASES },
    );
  });

  test('is the right two decimals: the definition changes its sign around them', () => {
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

  test('agrees with a public library', () => {
    const ordinary = realLoan.filter((loan) => loan.term >= 12);
    fc.assert(
      fc.property(ordinary, (loan) => {
        const amounts = totalsOf(loan);
        const monthly = irr([-loan.principal, ...amounts], { epsilon: 1e-13 });
        // What is paid is at least what was received, so no rate is negative: there its search has lost its way.
        fc.pre(monthly >= 0);
        const theirs = ((1 + monthly) ** 12 - 1) * 100;
        expect(Math.abs(effectiveAnnualCost(loan.principal, amounts) - theirs)).toBeLessThan(0.00501);
      }),
      { numRuns: COSTLY_CASES },
    );
  });

  const inAYear = (amount: string) => [...Array(11).fill(centavos(0)), reais(amount)];
  test.each([
    ['1000.00', '1120.05', 12],
    ['1000.00', '1120.15', 12.02],
    ['10000.00', '11200.51', 12.01],
    ['1000.00', '1000.05', 0],
    ['1000.00', '1000.15', 0.02],
    // Just beside a half, decimals decide.
    ['1000000000.00', '1120050000.00', 12],
    ['1000000000.00', '1120050000.01', 12.01],
    ['1000000000.00', '1120049999.99', 12],
    ['1000000000.00', '1120149999.99', 12.01],
    ['1000.00', '1000.00', 0],
    ['1000.00', '900.00', -10],
  ])('%s for %s after a year is %d percent: a half goes to the even digit', (received, owed, cost) => {
    expect(effectiveAnnualCost(reais(received), inAYear(owed))).toBe(cost);
  });

  test('of a month in which the debt doubles is enormous', () => {
    expect(effectiveAnnualCost(reais('1.00'), [reais('2.00')])).toBe(409_500);
  });

  test('needs something received and something paid', () => {
    for (const received of [0, -1])
      expect(() => effectiveAnnualCost(centavos(received), inAYear('1.00'))).toThrow(
        new RangeError('nothing is received: fees withheld take up the principal'),
      );
    expect(() => effectiveAnnualCost(reais('1.00'), inAYear('0.00'))).toThrow(new RangeError('nothing is paid back'));
  });

  test('all that is withheld at the start is taken off', () => {
    const costs = { fees: reais('3500.00'), tax: reais('100.00') };
    expect(netProceeds(reais('100000.00'), costs)).toBe(reais('96400.00'));
  });
});
