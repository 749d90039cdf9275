import { Decimal } from 'decimal.js';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as rates from '#shared/domain/simulations/pricing/rate.ts';
import {
  compareRatios,
  inverse,
  minus,
  percent,
  portion,
  portionDown,
  portionUp,
  ratio,
  ratioOf,
} from '#shared/domain/simulations/pricing/ratio.ts';
import { anyAnnualRate } from '#test/makers/loan.ts';
import { PRICING_CASES } from '#test/makers/quote-request.ts';

const Wide = Decimal.clone({ precision: 80, rounding: Decimal.ROUND_HALF_UP });

describe('Ratio', () => {
  test.each([
    ['0.0066', 66n, 10_000n],
    ['1/3', 1n, 3n],
    ['420', 420n, 1n],
  ])('ratioOf reads %s exactly', (text, numerator, denominator) => {
    expect(compareRatios(ratioOf(text), ratio(numerator, denominator))).toBe(0);
  });

  test.each(['', '-1', '1,5', '1/0', '1e3', '.5', 'a/b', '1/2/3'])('ratioOf throws for %j', (text) => {
    const overNothing = 'the denominator of a ratio must be above zero';
    const reason = text === '1/0' ? overNothing : `not a decimal or a fraction: ${text}`;
    expect(() => ratioOf(text)).toThrow(new RangeError(reason));
  });

  test('percent returns a hundredth of its figure', () => {
    expect(compareRatios(percent('11.70'), ratioOf('0.117'))).toBe(0);
  });

  test('minus, inverse and compareRatios are exact, and inverse of 0 throws', () => {
    expect(compareRatios(minus(ratioOf('0.80'), ratioOf('0.04')), ratioOf('0.76'))).toBe(0);
    expect(compareRatios(inverse(ratioOf('3/10')), ratio(10n, 3n))).toBe(0);
    expect(compareRatios(ratioOf('1/3'), ratioOf('0.3333'))).toBe(1);
    expect(compareRatios(ratioOf('0.3333'), ratioOf('1/3'))).toBe(-1);
    expect(() => inverse(ratioOf('0'))).toThrow(RangeError);
  });

  test('portion rounds a half up that doubles put below a half', () => {
    expect(1.005 * 100).toBeLessThan(100.5);
    expect(portion(100, ratioOf('1.005'))).toBe(101);
  });

  const long = 10n ** 40n;
  test.each([
    ['down if the result is just below a half', 1, ratio(long - 1n, 2n * long), 0],
    ['up if the result is a half', 1, ratio(long, 2n * long), 1],
    ['up if the result is just above a half', 1, ratio(long + 1n, 2n * long), 1],
    ['up if the denominator is too long for a double', 1000, ratio(10n ** 306n, 10n ** 309n), 1],
    ['up if both parts of the ratio are too long for a double', 10, ratio(7n ** 500n, 4n * 7n ** 500n), 3],
  ])('portion rounds %s', (_, amount, of, expected) => expect(portion(amount, of)).toBe(expected));

  test('portion throws if the result is above the safe integers', () => {
    expect(() => portion(Number.MAX_SAFE_INTEGER, ratioOf('2'))).toThrow(RangeError);
  });

  test('portion, portionDown and portionUp agree with decimal arithmetic', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 10_000_000_000_000 }),
        fc.integer({ min: 0, max: 10_000_000 }),
        (amount, millionths) => {
          const text = (millionths / 1_000_000).toFixed(6);
          const exact = new Wide(amount).times(text);
          expect(portion(amount, ratioOf(text))).toBe(exact.toDecimalPlaces(0, Decimal.ROUND_HALF_UP).toNumber());
          expect(portionDown(amount, ratioOf(text))).toBe(exact.floor().toNumber());
          expect(portionUp(amount, ratioOf(text))).toBe(exact.ceil().toNumber());
        },
      ),
      { numRuns: PRICING_CASES },
    );
  });
});

test('monthlyRate of an effective rate is a twelfth root that is exact to 28 decimals', () => {
  fc.assert(
    fc.property(anyAnnualRate, (rate) => {
      const monthly = rates.monthlyRate(rate, 'effective');
      const month = new Wide(monthly.numerator.toString()).div(monthly.denominator.toString());
      const year = month.plus(1).pow(12).minus(1);
      expect(year.minus(new Wide(rate).div(100)).abs().lt('1e-28')).toBe(true);
      expect(rates.effectiveAnnualPercent(monthly)).toBe(Number(rate));
    }),
    { numRuns: PRICING_CASES },
  );
});

test('monthlyRate of a nominal rate is exactly a twelfth', () => {
  expect(compareRatios(rates.monthlyRate('7.66', 'nominal'), ratio(766n, 120_000n))).toBe(0);
  expect(rates.effectiveAnnualPercent(rates.monthlyRate('8.1858', 'nominal'))).toBe(8.5);
});

test.each([
  ['11.70', 0.9263],
  ['9.50', 0.7592],
  ['13.89', 1.0898],
])('monthlyPercent of an effective rate of %s a year is %d', (annual, monthly) => {
  expect(rates.monthlyPercent(rates.monthlyRate(annual, 'effective'))).toBe(monthly);
});

test.each(['effective', 'nominal', 'monthly'] as const)(
  'monthlyRate throws for a %s rate of zero or below zero, and for a word',
  (basis) => {
    expect(() => rates.monthlyRate('0.00', basis)).toThrow(new RangeError('a rate must be above zero'));
    for (const rate of ['-1', 'twelve']) expect(() => rates.monthlyRate(rate, basis)).toThrow(RangeError);
  },
);

test('root is exact to 37 digits', () => {
  for (const value of ['1.117', '123456789', '1e-9', '0.00012'])
    for (const degree of [1, 2, 3, 4, 7, 12]) {
      const error = new Wide(rates.root(new Decimal(value), degree).toString()).pow(degree).div(value).minus(1).abs();
      expect(error.lt('1e-37'), `${value}, ${degree}: ${error}`).toBe(true);
    }
});
