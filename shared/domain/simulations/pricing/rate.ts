import { Decimal } from 'decimal.js';
import { percent, portion, type Ratio, ratio } from './ratio.ts';

/**
 * Number of decimals of an irrational rate. The rate then has at least 26 significant digits. An amount of a billion
 * reais needs 11 to be exact to the centavo.
 */
const RATE_DECIMALS = 30;

/** Decimal arithmetic with 40 significant digits, HALF_UP: ten digits more than any rate keeps. */
export const Exact = /* @__PURE__ */ Decimal.clone({ precision: 40, rounding: 4 });

export const ratioFromDecimal = (value: Decimal): Ratio =>
  ratio(BigInt(value.times(`1e${RATE_DECIMALS}`).toFixed(0)), 10n ** BigInt(RATE_DECIMALS));

export const decimalFromRatio = (value: Ratio): Decimal =>
  new Exact(value.numerator.toString()).div(value.denominator.toString());

/**
 * Newton's method starts with a double, which has 15 exact digits, and doubles their number in each of three steps. It
 * is several times faster than a power with a fraction.
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

/**
 * `effective`: (1 + a)^(1/12) - 1 a month. `nominal`: exactly a/12 a month. `monthly`: the published figure is itself a
 * month's rate.
 */
export type RateBasis = 'effective' | 'nominal' | 'monthly';

/**
 * The text is in percent a year, or in percent a month if the basis is `monthly`. The result for an effective rate has
 * 30 decimals, and is never rounded to a displayed figure. The result for the other bases is exact. Throws a RangeError
 * as ratioOf does, and if the rate is zero.
 */
export function monthlyRate(published: string, basis: RateBasis): Ratio {
  const rate = percent(published);
  if (rate.numerator === 0n) throw new RangeError('a rate must be above zero');
  if (basis === 'monthly') return rate;
  if (basis === 'nominal') return ratio(rate.numerator, rate.denominator * 12n);
  return ratioFromDecimal(root(decimalFromRatio(rate).plus(1), 12).minus(1));
}

/** In percent with 2 decimals, HALF_UP. */
export const effectiveAnnualPercent = (monthly: Ratio): number =>
  decimalFromRatio(monthly).plus(1).pow(12).minus(1).times(100).toDecimalPlaces(2).toNumber();

/** In percent with 4 decimals, HALF_UP. */
export const monthlyPercent = (monthly: Ratio): number => portion(1_000_000, monthly) / 10_000;
