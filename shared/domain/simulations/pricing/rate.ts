import { Decimal } from 'decimal.js';
import { percent, portion, type Ratio, ratio } from './ratio.ts';

/** Decimals to which an irrational rate is held: 26 significant digits and more, where a centavo of a billion reais needs 11. */
const RATE_DECIMALS = 30;

/** Decimal arithmetic with 40 significant digits, HALF_UP: ten more than any rate keeps. */
export const Exact = /* @__PURE__ */ Decimal.clone({ precision: 40, rounding: 4 });

/** A decimal as a ratio, rounded HALF_UP to 30 decimals. */
export const ratioFromDecimal = (value: Decimal): Ratio =>
  ratio(BigInt(value.times(`1e${RATE_DECIMALS}`).toFixed(0)), 10n ** BigInt(RATE_DECIMALS));

/** A ratio as a decimal of 40 significant digits. */
export const decimalFromRatio = (value: Ratio): Decimal =>
  new Exact(value.numerator.toString()).div(value.denominator.toString());

/**
 * The positive root of a positive decimal, to 38 digits and more: Newton's method, which doubles the digits of its
 * binary starting guess (15 of them) at each of three steps. Several times quicker than raising to a fraction.
 */
export function root(value: Decimal, degree: number): Decimal {
  let guess = new Exact(value.toNumber() ** (1 / degree));
  for (let step = 0; step < 3; step++)
    guess = guess
      .times(degree - 1)
      .plus(new Exact(value).div(guess.pow(degree - 1)))
      .div(degree);
  return guess;
}

/** Effective: (1 + a)^(1/12) - 1 a month. Nominal: a/12 a month, exactly. Monthly: the published figure is a month's. */
export type RateBasis = 'effective' | 'nominal' | 'monthly';

/**
 * The monthly rate of a published one, written as a decimal in percent a year (a month where the basis is `monthly`).
 * An effective rate gives (1 + a)^(1/12) - 1, held to 30 decimals and never rounded to a displayed figure; a nominal
 * one gives a/12, exact; a monthly one is itself. Throws a RangeError where the text is no decimal or the rate is zero.
 */
export function monthlyRate(published: string, basis: RateBasis): Ratio {
  const rate = percent(published);
  if (rate.numerator === 0n) throw new RangeError('a rate must be above zero');
  if (basis === 'monthly') return rate;
  if (basis === 'nominal') return ratio(rate.numerator, rate.denominator * 12n);
  return ratioFromDecimal(root(decimalFromRatio(rate).plus(1), 12).minus(1));
}

/** The effective annual rate of a monthly one, percent a year with 2 decimals, HALF_UP. */
export const effectiveAnnualPercent = (monthly: Ratio): number =>
  decimalFromRatio(monthly).plus(1).pow(12).minus(1).times(100).toDecimalPlaces(2).toNumber();

/** The monthly rate as people read it: percent a month with 4 decimals, HALF_UP. */
export const monthlyPercent = (monthly: Ratio): number => portion(1_000_000, monthly) / 10_000;
