// A loan under a scenario of its indexer (shared/domain/simulations/pricing/README.md, rule 12). Before each
// instalment the balance is corrected,
//   B* = round(B x (1 + idx)),  idx = (1 + a)^(1/12) - 1, unrounded, a percent a year of the scenario's table,
// and the instalment is taken from what is then owed and the months left, m = n - k + 1:
//   SAC    A = round(B* / m)
//   PRICE  A = round(B* x i / (1 - (1 + i)^-m)) - J
//   both   J = round(B* x i), MIP = round(rate x B*); the last A is B*
// DFI, the fee and what is received at the start are not corrected. The last instalment carries no premium.
// (1 + i)^-m comes from one multiplication a month in integers of 40 decimals: after 420 of them the error is below 1e-37,
// far from any centavo.
import { type Centavos, centavos } from '#shared/domain/values/money.ts';
import type { AmortizationSystem } from '../simulation.ts';
import { monthlyRate } from './rate.ts';
import { portion, type Ratio, ratio, ratioOf, remembered } from './ratio.ts';
import type { Loan } from './schedule.ts';
import type { Figure } from './tables/table.ts';

const SCALE = 10n ** 40n;

/** A month's correction of a percent a year, computed on first use: a 12th root of 30 decimals; 0 stays 0. */
export const indexOf = /* @__PURE__ */ remembered(({ value }: Figure): Ratio => {
  return ratioOf(value).numerator === 0n ? ratio(0n, 1n) : monthlyRate(value, 'effective');
}, new WeakMap());

/**
 * PRICE's instalment per real owed, i / (1 - (1 + i)^-m), of each instalment from the first to the last: m, the months
 * left, goes from the term down to 1. SAC's is 1/m.
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

/** The totals of a loan's instalments in centavos, its balance corrected each month by `index`. */
export function projectedTotals(loan: Loan, index: Ratio): readonly Centavos[] {
  const correction = ratio(index.numerator + index.denominator, index.denominator);
  const totals: Centavos[] = [];
  let owed = loan.principal;
  for (const [index, share] of levelShares(loan.system, loan.monthlyRate, loan.term).entries()) {
    const number = index + 1;
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
