import { Decimal } from 'decimal.js';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { monthlyRate } from '#shared/domain/simulations/pricing/rate.ts';
import { percent, type Ratio } from '#shared/domain/simulations/pricing/ratio.ts';
import { firstInstalment, schedule } from '#shared/domain/simulations/pricing/schedule.ts';
import { ageOn, type Day } from '#shared/domain/values/clock.ts';
import { anyLoan, makeLoan } from '#test/makers/loan.ts';
import { PRICING_CASES, reais } from '#test/makers/quote-request.ts';

const Wide = Decimal.clone({ precision: 60, rounding: Decimal.ROUND_HALF_UP });
const wide = (of: Ratio) => new Wide(of.numerator.toString()).div(of.denominator.toString());
const halfUp = (value: Decimal) => value.toDecimalPlaces(30).toDecimalPlaces(0, Decimal.ROUND_HALF_UP).toNumber();

describe('schedule', () => {
  test('schedule of any loan has rows whose parts, balances and amortizations add up', () => {
    fc.assert(
      fc.property(anyLoan, (loan) => {
        const rows = schedule(loan);
        expect(rows).toHaveLength(loan.term);
        let owed: number = loan.principal;
        for (const [index, row] of rows.entries()) {
          const last = index === rows.length - 1;
          const parts = [row.amortization, row.interest, row.mip, row.dfi, row.fee];
          if (!parts.every((part) => Number.isSafeInteger(part) && part >= 0)) expect(row).toBe('whole, not negative');
          if (parts.reduce((sum, part) => sum + part, 0) !== row.total) expect(row).toBe('the sum of its parts');
          if (row.number !== index + 1 || row.balance !== owed - row.amortization || row.balance < 0)
            expect(row).toBe('one step down');
          if (row.fee !== loan.fee || row.dfi !== (last ? 0 : loan.dfi)) expect(row).toBe('with constant charges');
          if (last && row.mip !== 0) expect(row).toBe('without a premium at the end');
          owed = row.balance;
        }
        expect(owed).toBe(0);
        expect(rows.reduce((sum, row) => sum + row.amortization, 0)).toBe(loan.principal);
        expect(firstInstalment(loan)).toEqual(rows[0]);
      }),
      { numRuns: PRICING_CASES },
    );
  });

  test('schedule rounds interest and MIP half up, as decimal arithmetic does', () => {
    fc.assert(
      fc.property(anyLoan, fc.nat(), (loan, pick) => {
        const rows = schedule(loan);
        const row = rows[pick % rows.length]!;
        const owed = new Wide(row.balance + row.amortization);
        const last = row.number === loan.term;
        expect(row.interest).toBe(halfUp(owed.times(wide(loan.monthlyRate))));
        const mip = owed.times(wide(loan.mipRates(ageOn(loan.birthDate, row.dueDate))));
        expect(row.mip).toBe(last ? 0 : halfUp(mip));
      }),
      { numRuns: PRICING_CASES },
    );
  });

  test('schedule has equal amortizations under SAC, and equal amortization plus interest under PRICE', () => {
    const loans = anyLoan.filter((loan) => loan.principal >= 1_000_000 && loan.term > 1);
    fc.assert(
      fc.property(loans, (loan) => {
        const i = wide(loan.monthlyRate);
        const level =
          loan.system === 'SAC' ? new Wide(1).div(loan.term) : i.div(new Wide(1).minus(i.plus(1).pow(-loan.term)));
        const expected = halfUp(level.times(loan.principal));
        const regular = schedule(loan)
          .slice(0, -1)
          .filter((row) => row.balance > 0);
        const parts = regular.map((row) => row.amortization + (loan.system === 'SAC' ? 0 : row.interest));
        expect(new Set(parts)).toEqual(new Set(parts.length > 0 ? [expected] : []));
      }),
      { numRuns: PRICING_CASES },
    );
  });

  test('firstInstalment rounds a payment of exactly half a centavo up', () => {
    // 100.50 over 2 months at 1 % a month: 10050 x 1.0201 / 2.01 = 5100.5 centavos.
    const half = makeLoan({ system: 'PRICE', principal: reais('100.50'), term: 2, monthlyRate: percent('1') });
    expect(firstInstalment(half)).toMatchObject({ interest: 101, amortization: 5_000 });
    // 300.00 at 766/120000 a month: 191.5 centavos.
    const interest = makeLoan({ principal: reais('300.00'), term: 2, monthlyRate: monthlyRate('7.66', 'nominal') });
    expect(firstInstalment(interest).interest).toBe(192);
  });

  test('schedule of a loan over one month repays everything and has no insurance', () => {
    const once = makeLoan({ term: 1, mipRates: () => percent('1'), dfi: reais('10.00'), fee: reais('25.00') });
    const whole = { amortization: reais('100000.00'), interest: reais('948.88'), mip: 0, dfi: 0, fee: reais('25.00') };
    const paid = { number: 1, dueDate: '2026-02-15', ...whole, total: reais('100973.88'), balance: 0 };
    expect(schedule(once)).toEqual([paid]);
    expect(schedule({ ...once, system: 'PRICE' })).toEqual(schedule(once));
  });

  test('schedule repays a principal that is too small for its term early, and never more than it', () => {
    const tiny = schedule(makeLoan({ principal: reais('3.00'), term: 420 }));
    expect(tiny.slice(0, 300).every((row) => row.amortization === 1)).toBe(true);
    expect(tiny.slice(300).every((row) => row.amortization === 0 && row.balance === 0)).toBe(true);
  });
});

test('schedule counts every due date from the contract’s day, not from the due date before', () => {
  const dueDates = schedule(makeLoan({ contractDay: '2027-12-31' as Day, term: 14 })).map((row) => row.dueDate);
  expect(dueDates.slice(0, 4)).toEqual(['2028-01-31', '2028-02-29', '2028-03-31', '2028-04-30']);
  expect(dueDates.slice(12)).toEqual(['2029-01-31', '2029-02-28']);
});
