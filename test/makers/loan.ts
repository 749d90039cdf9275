import * as fc from 'fast-check';
import type { MipRates } from '#shared/domain/simulations/pricing/insurance.ts';
import { monthlyRate } from '#shared/domain/simulations/pricing/rate.ts';
import { ratio } from '#shared/domain/simulations/pricing/ratio.ts';
import { dueDatesFrom, type Loan } from '#shared/domain/simulations/pricing/schedule.ts';
import { ageOn, type Day } from '#shared/domain/values/clock.ts';
import { centavos } from '#shared/domain/values/money.ts';
import { anyAmount, anyDay, anyTerm, reais } from './quote-request.ts';

/** The values from which a test makes a loan with one borrower. */
export interface LoanCase extends Omit<Loan, 'dueDate' | 'mipRate'> {
  readonly contractDay: Day;
  readonly birthDate: Day;
  readonly mipRates: MipRates;
}

/** Returns the loan of a case, together with the values of the case. */
export function loanFrom(values: LoanCase): Loan & LoanCase {
  return {
    ...values,
    dueDate: dueDatesFrom(values.contractDay),
    mipRate: (dueDate) => values.mipRates(ageOn(values.birthDate, dueDate)),
  };
}

/** Returns a loan of R$ 100,000.00 over 12 months at 12 % a year, without insurance and fee. */
export function makeLoan(overrides: Partial<LoanCase> = {}): Loan & LoanCase {
  return loanFrom({
    system: 'SAC',
    principal: reais('100000.00'),
    term: 12,
    monthlyRate: monthlyRate('12', 'effective'),
    contractDay: '2026-01-15' as Day,
    birthDate: '1990-01-01' as Day,
    mipRates: () => ratio(0n, 1n),
    dfi: centavos(0),
    fee: centavos(0),
    ...overrides,
  });
}

/** Annual rates from 0.01 % to 50 %, as text with two decimals. */
export const anyAnnualRate = fc.integer({ min: 1, max: 5_000 }).map((hundredths) => (hundredths / 100).toFixed(2));

/** Any loan that the engine may have to price: from one centavo to R$ 50 million. */
export const anyLoan: fc.Arbitrary<Loan & LoanCase> = fc
  .record({
    system: fc.constantFrom('SAC' as const, 'PRICE' as const),
    principal: anyAmount(1, 5_000_000_000),
    term: anyTerm,
    rate: anyAnnualRate,
    basis: fc.constantFrom('effective' as const, 'nominal' as const),
    contractDay: anyDay(2026, 2060),
    birthDate: anyDay(1945, 2008),
    /** Millionths of the balance at age 0. `mipGrowth` is added for each year of age. */
    mip: fc.integer({ min: 0, max: 500 }),
    mipGrowth: fc.integer({ min: 0, max: 60 }),
    dfi: anyAmount(0, 100_000),
    fee: anyAmount(0, 10_000),
  })
  .map(({ rate, basis, mip, mipGrowth, ...loan }) =>
    loanFrom({
      ...loan,
      monthlyRate: monthlyRate(rate, basis),
      mipRates: (age) => ratio(BigInt(mip + mipGrowth * age), 1_000_000n),
    }),
  );
