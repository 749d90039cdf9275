// The effective annual cost (CET, Res. CMN 4.881/2020) is (1 + m)^12 - 1, where m is the monthly rate at which the
// present value of all payments equals what the customer received on the contract's day. An indexer counts as 0.
//
// With v = 1/(1 + m) the present value is a polynomial in v with coefficients >= 0, so it rises with v and meets what was
// received exactly once: bisection cannot miss it. It halves [low, high] until the two are neighbouring doubles, at
// most 64 times, one Horner pass of the payments each. That is a small part of a quote (npm run bench:pricing prints both),
// so a method that is harder to read would win nothing.
//
// The result is a percentage with 2 decimals, rounded by NBR 5891: an exact half goes to the even digit. Doubles leave an
// error of about 1e-9 hundredths; where the figure lies within NEAR_HALF of a half, decimals of 40 digits decide.
import { type Centavos, centavos } from '#shared/domain/values/money.ts';
import { Exact } from './rate.ts';

/**
 * What the customer receives of a principal (financed expenses included): the first flow of the CET. Off it go fees that are
 * not financed (appraisal, registration of the guarantee) and the tax on the credit (IOF): none on housing loans.
 */
export const netProceeds = (principal: Centavos, { fees, tax }: Readonly<Record<'fees' | 'tax', Centavos>>): Centavos =>
  centavos(principal - fees - tax);

/** Present value of the payments, the last one first, less what was received, for a discount factor of one month. */
function surplus(received: number, lastFirst: readonly number[], discount: number): number {
  let value = 0;
  for (const payment of lastFirst) value = (value + payment) * discount;
  return value - received;
}

/** The discount factor of a month at which the surplus is zero, to the last bit of a double. */
function discountFactor(received: number, lastFirst: readonly number[]): number {
  let [low, high] = [0, 1];
  while (surplus(received, lastFirst, high) < 0) {
    if (high > 2 ** 60) throw new RangeError('nothing is paid back');
    [low, high] = [high, high * 2];
  }
  for (;;) {
    const middle = (low + high) / 2;
    if (middle <= low || middle >= high) return high;
    if (surplus(received, lastFirst, middle) < 0) low = middle;
    else high = middle;
  }
}

/** Below zero, zero or above zero as the annual cost lies below, at or above so many hundredths of a percent: to 30 digits. */
function costAgainst(received: number, lastFirst: readonly number[], hundredths: number): number {
  const discount = new Exact(1).plus(new Exact(hundredths).div(10_000)).pow(new Exact(-1).div(12));
  let value = new Exact(0);
  for (const payment of lastFirst) value = value.plus(payment).times(discount);
  const difference = value.minus(received);
  return difference.abs().lt(new Exact(received).times('1e-30')) ? 0 : difference.comparedTo(0);
}

/** Hundredths of a percent around a half within which the rounding is decided by decimal arithmetic: a thousand times the solver's error. */
const NEAR_HALF = 1e-6;

/**
 * Effective annual cost (CET), percent a year with 2 decimals, of payments one month apart. `received` is the
 * principal less all that is withheld or paid at the start; amounts in centavos.
 * Throws a RangeError where nothing is received or nothing is paid back.
 */
export function effectiveAnnualCost(received: Centavos, payments: readonly Centavos[]): number {
  if (received <= 0) throw new RangeError('nothing is received: fees withheld take up the principal');
  // As the Horner scheme takes them.
  const lastFirst = payments.toReversed();
  const hundredths = (discountFactor(received, lastFirst) ** -12 - 1) * 10_000;
  const below = Math.floor(hundredths);
  if (Math.abs(hundredths - below - 0.5) > NEAR_HALF) return Math.round(hundredths) / 100;
  const side = costAgainst(received, lastFirst, below + 0.5);
  const even = below % 2 === 0 ? below : below + 1;
  return (side < 0 ? below : side > 0 ? below + 1 : even) / 100;
}
