// A loan under the scenario of its indexer (shared/domain/simulations/pricing/README.md, rule 12). The last instalment
// has no premium. With the balance B, its corrected value B*, the monthly rate i, the months left m, the interest J and
// the amortization A:
//   both   B* = round(B x (1 + idx)), J = round(B* x i), MIP = round(rate x B*); the last A is B*
//   SAC    A = round(B* / m)
//   PRICE  A = round(B* x i / (1 - (1 + i)^-m)) - J
// idx = (1 + a)^(1/12) - 1 is not rounded; a is the yearly rate of the scenario's table.
import { type Centavos, centavos } from '#shared/domain/values/money.ts';
import type { AmortizationSystem } from '../simulation.ts';
import { monthlyRate } from './rate.ts';
import { portion, type Ratio, ratio, ratioOf, remembered } from './ratio.ts';
import type { Loan } from './schedule.ts';
import type { Figure } from './tables/table.ts';

const SCALE = 10n ** 40n;

/** Returns the monthly correction of a figure in percent a year: a 12th root with 30 decimals; 0 stays 0. */
export const indexOf = /* @__PURE__ */ remembered(({ value }: Figure): Ratio => {
  return ratioOf(value).numerator === 0n ? ratio(0n, 1n) : monthlyRate(value, 'effective');
}, new WeakMap());

/**
 * With m months left, the share is 1/m under SAC and i / (1 - (1 + i)^-m) under PRICE. (1 + i)^-m takes one
 * multiplication a month, in integers of 40 decimals. After 420 months the error is below 1e-37, far from any centavo.
 */
function levelShares(system: AmortizationSystem, { numerator, denominator }: Ratio, term: number): readonly Ratio[] {
  const shares: Ratio[] = [];
  const discount = (SCALE * denominator) / (numerator + denominator);
  let value = SCALE;
  for (let months = 1; months <= term; months++) {
    value = (value * discount) / SCALE;
    shares.push(system === 'SAC' ? ratio(1n, BigInt(months)) : ratio(numerator * SCALE, denominator * (SCALE - value)));
  }
  return shares.reverse();
}

export function projectedTotals(loan: Loan, index: Ratio): readonly Centavos[] {
  const correction = ratio(index.numerator + index.denominator, index.denominator);
  const totals: Centavos[] = [];
  let owed = loan.principal;
  for (const [position, share] of levelShares(loan.system, loan.monthlyRate, loan.term).entries()) {
    const number = position + 1;
    const corrected = portion(owed, correction);
    const interest = portion(corrected, loan.monthlyRate);
    const level = portion(corrected, share);
    const regular = Math.min(loan.system === 'SAC' ? level : level - interest, corrected);
    const last = number === loan.term;
    const amortization = last ? corrected : regular;
    const premiums = last ? 0 : portion(corrected, loan.mipRate(loan.dueDate(number))) + loan.dfi;
    totals.push(centavos(amortization + interest + premiums + loan.fee));
    owed = centavos(corrected - amortization);
  }
  return totals;
}
