import { describe, expect, test } from 'vitest';
import * as borrowers from '#shared/domain/simulations/pricing/borrowers.ts';
import { quote } from '#shared/domain/simulations/pricing/quote.ts';
import { compareRatios, ratio } from '#shared/domain/simulations/pricing/ratio.ts';
import type { QuoteRequest } from '#shared/domain/simulations/simulation.ts';
import type { Day } from '#shared/domain/values/clock.ts';
import { FROZEN_TABLES } from '#test/makers/frozen-tables.ts';
import { makeQuoteRequest, offerOf, reais } from '#test/makers/quote-request.ts';

const second = (income: string, share?: number) => ({
  income: reais(income),
  birthDate: '1980-01-01' as Day,
  ...(share !== undefined && { share }),
});
const asked = (income: string | undefined, other: ReturnType<typeof second> | undefined): QuoteRequest =>
  makeQuoteRequest({ income: income === undefined ? undefined : reais(income), secondBorrower: other });

test('jointIncome adds both incomes, counts an unknown first income as 0, and needs at least one income', () => {
  expect(borrowers.jointIncome(asked('6000.00', second('4000.00')))).toBe(reais('10000.00'));
  expect(borrowers.jointIncome(asked(undefined, second('4000.00')))).toBe(reais('4000.00'));
  expect(borrowers.jointIncome(asked('6000.00', undefined))).toBe(reais('6000.00'));
  expect(borrowers.jointIncome(asked(undefined, undefined))).toBeUndefined();
});

test('secondShare follows from the incomes, and is a half if the first is unknown or both are 0', () => {
  const shareOf = (income: string | undefined, other: string) => {
    const request = asked(income, second(other));
    return [borrowers.secondShare(request, request.secondBorrower!), borrowers.sharesUnknown(request)];
  };
  expect(shareOf('6000.00', '4000.00')).toEqual(['400000/1000000', false]);
  expect(shareOf('5000.00', '5000.00')).toEqual(['500000/1000000', false]);
  expect(shareOf('0.00', '5000.00')).toEqual(['500000/500000', false]);
  expect(shareOf('5000.00', '0.00')).toEqual(['0/500000', false]);
  expect(shareOf('0.00', '0.00')).toEqual(['1/2', true]);
  expect(shareOf(undefined, '5000.00')).toEqual(['1/2', true]);
});

test('secondShare is the percentage that was sent, whatever the incomes are, and no notice says it was assumed', () => {
  for (const income of [undefined, '0.00', '5000.00']) {
    const request = asked(income, second('0.00', 12.5));
    expect(borrowers.secondShare(request, request.secondBorrower!)).toBe('125/1000');
    expect(borrowers.sharesUnknown(request)).toBe(false);
    expect(offerOf(quote('itau', request, FROZEN_TABLES)).notices.map(({ kind }) => kind)).not.toContain(
      'equalSharesAssumed',
    );
  }
  expect(borrowers.sharesUnknown(asked(undefined, undefined))).toBe(false);
});

test('secondShare accepts percentages from 0.01 to 99.99 and throws for any other', () => {
  const shareOf = (share: number) => borrowers.secondShare(makeQuoteRequest(), second('1.00', share));
  expect([0.01, 99.99].map(shareOf)).toEqual(['1/10000', '9999/10000']);
  for (const share of [0, 100, -0.01, 100.01, Number.NaN])
    expect(() => shareOf(share)).toThrow(new RangeError('a share lies between 0 and 100 percent'));
});

describe('mipOn', () => {
  const contractDay = '2026-06-15' as Day;
  const birthDate = '1990-05-17' as Day;
  const other = { birthDate: '1966-12-20' as Day, share: '2/5' };
  /** Returns rates of one millionth for each year of age, and records the ages that were asked for. */
  const rates =
    (ages: number[] = []) =>
    (age: number) => {
      ages.push(age);
      return ratio(BigInt(age), 1_000_000n);
    };

  test('mipOn for one proponent returns the published rate of the age on the due date', () => {
    const known = Array.from({ length: 40 }, (_, age) => rates()(age));
    const rate = borrowers.mipOn(borrowers.insuredOf({ contractDay, birthDate }), (age) => known[age]!);
    expect(rate('2027-05-16' as Day)).toBe(known[36]);
    expect(rate('2027-05-17' as Day)).toBe(known[37]);
  });

  test('mipOn for two proponents adds the rates by their shares, once for each pair of ages', () => {
    const ages: number[] = [];
    const rate = borrowers.mipOn(borrowers.insuredOf({ contractDay, birthDate, secondBorrower: other }), rates(ages));
    // 36 x 3/5 + 59 x 2/5 = 45.2 until 19 December, then 36 x 3/5 + 60 x 2/5 = 45.6.
    const [before, again, after] = ['2026-07-15', '2026-12-19', '2026-12-20'].map((day) => rate(day as Day));
    expect(compareRatios(before!, ratio(452n, 10_000_000n))).toBe(0);
    expect(again).toBe(before);
    expect(compareRatios(after!, ratio(456n, 10_000_000n))).toBe(0);
    expect(ages).toEqual([36, 59, 36, 60]);
  });
});
