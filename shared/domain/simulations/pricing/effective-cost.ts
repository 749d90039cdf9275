import { type Day, daysBetween } from '../../values/clock.ts';
import { type Centavos, centavos } from '../../values/money.ts';
import { Exact } from './rate.ts';

/** What the customer pays, or the lender withholds, on the contract's day. */
export interface UpfrontCosts {
  /** Appraisal, registration of the guarantee and other fees that are not financed. */
  readonly fees: Centavos;
  /** A first insurance premium paid in advance. */
  readonly premium?: Centavos;
  /** Tax on the credit (IOF): none on housing loans. */
  readonly tax?: Centavos;
}

/** What the customer receives of a principal (financed expenses included): the first flow of the CET. */
export function netProceeds(principal: Centavos, costs: UpfrontCosts): Centavos {
  return centavos(principal - costs.fees - (costs.premium ?? 0) - (costs.tax ?? 0));
}

/** Payments with the whole time units (months or days) since the flow before; the first counts from the contract. */
interface Flows {
  readonly received: number;
  readonly amounts: readonly number[];
  readonly gaps: readonly number[];
  /** 12 months or 365 days. */
  readonly unitsPerYear: number;
}

/** Present value of the payments less what was received, for a discount factor of one time unit. */
function surplus(flows: Flows, discount: number): number {
  const { amounts, gaps } = flows;
  let value = 0;
  for (let k = amounts.length - 1; k >= 0; k--) {
    const gap = gaps[k]!;
    value = (value + amounts[k]!) * (gap === 1 ? discount : discount ** gap);
  }
  return value - flows.received;
}

/**
 * The discount factor at which the surplus is zero, between two factors on either side of it. Chandrupatla's method
 * (Advances in Engineering Software 28, 1997): inverse quadratic interpolation where it is safe, else bisection, so
 * that the root stays in the bracket and is always found. Ends when the bracket is 1e-15 of the factor or the surplus nil.
 */
function discountBetween(flows: Flows, low: number, high: number): number {
  let [b, fb, a, fa] = [low, surplus(flows, low), high, surplus(flows, high)];
  let [c, fc] = [a, fa];
  let step = 0.5;
  for (;;) {
    const x = a + step * (b - a);
    const fx = surplus(flows, x);
    if (Math.sign(fx) === Math.sign(fa)) [c, fc] = [a, fa];
    else [c, fc, b, fb] = [b, fb, a, fa];
    [a, fa] = [x, fx];
    const best = Math.abs(fa) < Math.abs(fb) ? a : b;
    const smallest = (1e-15 * Math.abs(a)) / Math.abs(b - a);
    if (fx === 0 || smallest > 0.5) return best;
    const along = (a - b) / (c - b);
    const height = (fa - fb) / (fc - fb);
    const safe = height * height < along && (1 - height) * (1 - height) < 1 - along;
    const interpolated = safe
      ? (fa / (fb - fa)) * (fc / (fb - fc)) + ((c - a) / (b - a)) * (fa / (fc - fa)) * (fb / (fc - fb))
      : 0.5;
    step = Math.min(Math.max(interpolated, smallest), 1 - smallest);
  }
}

/** Below zero, zero or above zero as the annual cost lies below, at or above so many hundredths of a percent: to 30 digits. */
function costAgainst(flows: Flows, hundredths: number): number {
  const discount = new Exact(1).plus(new Exact(hundredths).div(10_000)).pow(new Exact(-1).div(flows.unitsPerYear));
  let value = new Exact(0);
  for (let k = flows.amounts.length - 1; k >= 0; k--)
    value = value.plus(flows.amounts[k]!).times(discount.pow(flows.gaps[k]!));
  const difference = value.minus(flows.received);
  return difference.abs().lt(new Exact(flows.received).times('1e-30')) ? 0 : difference.comparedTo(0);
}

/** Hundredths of a percent around a half within which the rounding is decided by decimal arithmetic: a thousand times the solver's error. */
const NEAR_HALF = 1e-6;

function annualPercent(flows: Flows): number {
  if (flows.received <= 0) throw new RangeError('nothing is received: fees withheld take up the principal');
  let [low, high] = [0, 1];
  while (surplus(flows, high) < 0) {
    if (high > 2 ** 60) throw new RangeError('nothing is paid back');
    [low, high] = [high, high * 2];
  }
  const discount = discountBetween(flows, low, high);
  const hundredths = (discount ** -flows.unitsPerYear - 1) * 10_000;
  const below = Math.floor(hundredths);
  if (Math.abs(hundredths - below - 0.5) > NEAR_HALF) return Math.round(hundredths) / 100;
  const side = costAgainst(flows, below + 0.5);
  const even = below % 2 === 0 ? below : below + 1;
  return (side < 0 ? below : side > 0 ? below + 1 : even) / 100;
}

/**
 * Effective annual cost (CET), percent a year with 2 decimals, of payments one month apart: (1 + m)^12 - 1, where m
 * is the monthly rate at which their present value equals what the customer received (principal less all that is
 * withheld or paid at the start), in centavos. Res. CMN 4.881/2020; an indexer counts as 0. Found by a bracketing
 * method to 1e-12 on the exact flows; rounded by NBR 5891, an exact half going to the even digit, which decimal
 * arithmetic decides wherever the figure comes near a half.
 * Throws a RangeError where nothing is received or nothing is paid back.
 */
export function effectiveAnnualCost(received: Centavos, payments: readonly Centavos[]): number {
  return annualPercent({ received, amounts: payments, gaps: payments.map(() => 1), unitsPerYear: 12 });
}

/** A payment and the day on which it falls due. */
export interface DatedPayment {
  readonly day: Day;
  readonly amount: Centavos;
}

/**
 * CET on real dates: the exponents are days since the contract over 365 (Res. CMN 4.881/2020, art. 4). Payments in
 * the order of their days, none before the contract. Otherwise as effectiveAnnualCost.
 */
export function effectiveAnnualCostOnDates(
  received: Centavos,
  contractDay: Day,
  payments: readonly DatedPayment[],
): number {
  return annualPercent({
    received,
    amounts: payments.map((payment) => payment.amount),
    gaps: payments.map((payment, index) => daysBetween(payments[index - 1]?.day ?? contractDay, payment.day)),
    unitsPerYear: 365,
  });
}
