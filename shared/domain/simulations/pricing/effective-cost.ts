/**
 * The effective annual cost (CET, Resolução CMN 4.881/2020) of a loan.
 *
 * The monthly cost m is the rate at which the present value of all payments equals the amount that the customer received
 * on the contract's day. The annual cost is (1 + m)^12 - 1. An indexer (TR, IPCA) counts as 0.
 *
 * The code looks for the discount factor v = 1 / (1 + m) instead of m. A payment after k months is worth payment * v^k
 * on the contract's day. No payment is negative, so the present value rises with v, and only one v gives the received
 * amount. Bisection finds it: it halves an interval that contains v until the two ends are neighbouring doubles. This
 * takes at most 64 steps, each with one pass over the payments, which is a small part of the time of a quote
 * (`npm run bench:pricing` prints both). A faster method would save almost nothing and would be harder to read.
 *
 * The result is a percentage with 2 decimals. If it lies exactly between two such numbers, it is rounded to the one whose
 * last digit is even (NBR 5891). Doubles have an error of about 1e-9 hundredths of a percent, which could be enough to
 * choose the wrong one. So within NEAR_HALF of the middle, decimals of 40 digits decide.
 */
import { type Centavos, centavos } from '#shared/domain/values/money.ts';
import { Exact } from './rate.ts';

/**
 * Returns what the customer receives of a principal, which is the first flow of the CET. The principal includes
 * financed expenses. Fees that are not financed (appraisal, registration of the guarantee) and the tax on the credit
 * (IOF, none on housing loans) are subtracted.
 */
export const netProceeds = (principal: Centavos, { fees, tax }: Readonly<Record<'fees' | 'tax', Centavos>>): Centavos =>
  centavos(principal - fees - tax);

/**
 * Returns the present value of the payments less what was received, at a discount factor of one month. The payments are
 * in reverse order.
 */
function surplus(received: number, lastFirst: readonly number[], discount: number): number {
  let value = 0;
  for (const payment of lastFirst) value = (value + payment) * discount;
  return value - received;
}

/**
 * Returns the discount factor of one month at which the surplus is zero, exact to the last bit of a double. Throws a
 * RangeError if nothing is paid back.
 */
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

/**
 * Compares the annual cost with a number of hundredths of a percent, exact to 30 digits. Returns a number below 0 if
 * the cost is lower, 0 if it is equal, above 0 if it is higher.
 */
function costAgainst(received: number, lastFirst: readonly number[], hundredths: number): number {
  const discount = new Exact(1).plus(new Exact(hundredths).div(10_000)).pow(new Exact(-1).div(12));
  let value = new Exact(0);
  for (const payment of lastFirst) value = value.plus(payment).times(discount);
  const difference = value.minus(received);
  return difference.abs().lt(new Exact(received).times('1e-30')) ? 0 : difference.comparedTo(0);
}

/**
 * Distance from a half, in hundredths of a percent, within which decimal arithmetic decides the rounding. It is a
 * thousand times the error of the bisection.
 */
const NEAR_HALF = 1e-6;

/**
 * Returns the effective annual cost (CET) of payments one month apart, in percent a year with 2 decimals. `received` is
 * the principal less everything that is withheld or paid at the start. Throws a RangeError if nothing is received, or
 * nothing is paid back.
 */
export function effectiveAnnualCost(received: Centavos, payments: readonly Centavos[]): number {
  if (received <= 0) throw new RangeError('nothing is received: fees withheld take up the principal');
  // `surplus` needs the last payment first.
  const lastFirst = payments.toReversed();
  const hundredths = (discountFactor(received, lastFirst) ** -12 - 1) * 10_000;
  const below = Math.floor(hundredths);
  if (Math.abs(hundredths - below - 0.5) > NEAR_HALF) return Math.round(hundredths) / 100;
  const side = costAgainst(received, lastFirst, below + 0.5);
  const even = below % 2 === 0 ? below : below + 1;
  return (side < 0 ? below : side > 0 ? below + 1 : even) / 100;
}
