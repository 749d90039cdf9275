/**
 * The effective annual cost (CET, Resolução CMN 4.881/2020) of a loan: (1 + m)^12 - 1 for the monthly rate m at which
 * the present value of all payments equals the amount that the customer received. An indexer (TR, IPCA) counts as 0.
 *
 * The result has 2 decimals, rounded half to even (NBR 5891). Doubles could choose the wrong side of a half, so within
 * NEAR_HALF of it, decimals of 40 digits decide.
 */
import { type Centavos, centavos } from '#shared/domain/values/money.ts';
import { Exact } from './rate.ts';

/**
 * The principal includes financed expenses. Fees that are not financed (appraisal, registration of the guarantee) and
 * the tax on the credit (IOF, none on housing loans) are subtracted.
 */
export const netProceeds = (principal: Centavos, { fees, tax }: Readonly<Record<'fees' | 'tax', Centavos>>): Centavos =>
  centavos(principal - fees - tax);

function surplus(received: number, lastFirst: readonly number[], discount: number): number {
  let value = 0;
  for (const payment of lastFirst) value = (value + payment) * discount;
  return value - received;
}

/** Throws a RangeError if nothing is paid back. */
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

/** Below 0 if the cost is lower than `hundredths` of a percent, above 0 if it is higher. */
function costAgainst(received: number, lastFirst: readonly number[], hundredths: number): number {
  const discount = new Exact(1).plus(new Exact(hundredths).div(10_000)).pow(new Exact(-1).div(12));
  let value = new Exact(0);
  for (const payment of lastFirst) value = value.plus(payment).times(discount);
  const difference = value.minus(received);
  return difference.abs().lt(new Exact(received).times('1e-30')) ? 0 : difference.comparedTo(0);
}

/** In hundredths of a percent: a thousand times the error of the bisection. */
const NEAR_HALF = 1e-6;

/** `received`: less all that is paid at the start. Throws a RangeError if nothing is received or paid back. */
export function effectiveAnnualCost(received: Centavos, payments: readonly Centavos[]): number {
  if (received <= 0) throw new RangeError('nothing is received: fees withheld take up the principal');
  const lastFirst = payments.toReversed();
  const hundredths = (discountFactor(received, lastFirst) ** -12 - 1) * 10_000;
  const below = Math.floor(hundredths);
  if (Math.abs(hundredths - below - 0.5) > NEAR_HALF) return Math.round(hundredths) / 100;
  const side = costAgainst(received, lastFirst, below + 0.5);
  const even = below % 2 === 0 ? below : below + 1;
  return (side < 0 ? below : side > 0 ? below + 1 : even) / 100;
}
