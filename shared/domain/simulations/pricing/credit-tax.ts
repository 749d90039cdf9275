// The tax on credit (IOF) of natural persons, Decreto 6.306/2007, art. 7: each amortization pays the daily rate for the
// days from the contract to its due date, 365 at most, and the principal pays the additional rate once. Calendar days.
// Loans to buy a home are exempt (art. 9, I); home equity pays.
// No bank's table finances the tax: it is withheld from what is received.
import { type Day, daysBetween } from '#shared/domain/values/clock.ts';
import { type Centavos, centavos } from '#shared/domain/values/money.ts';
import type { Instalment } from '../simulation.ts';
import { percent, portion } from './ratio.ts';
import type { CreditTax } from './tables/table.ts';

/** A table's rates, exact: a day of an amortization, `longest` days at most, and once of the principal. */
export const creditTaxRates = (table: CreditTax) => ({
  daily: percent(table.dailyRate.value),
  longest: Number(table.longest.value),
  additional: percent(table.additionalRate.value),
});

/** IOF of a loan in centavos: the sum over its instalments and the part of its principal, each rounded once, HALF_UP. */
export function creditTax(
  principal: Centavos,
  contractDay: Day,
  schedule: readonly Pick<Instalment, 'amortization' | 'dueDate'>[],
  rates: ReturnType<typeof creditTaxRates>,
): Centavos {
  // Due dates only move away: once a year has passed, every later one counts as a year.
  let days = 0;
  let amortizationDays = 0n;
  for (const { amortization, dueDate } of schedule) {
    if (days < rates.longest) days = Math.min(daysBetween(contractDay, dueDate), rates.longest);
    amortizationDays += BigInt(amortization) * BigInt(days);
  }
  const { numerator, denominator } = rates.daily;
  const daily = Number((amortizationDays * numerator + (denominator >> 1n)) / denominator);
  return centavos(daily + portion(principal, rates.additional));
}
