// The tax on credit (IOF) of natural persons (Decreto 6.306/2007, art. 7 and 9;
// shared/domain/simulations/pricing/README.md, rule 10).
import { type Day, daysBetween } from '#shared/domain/values/clock.ts';
import { type Centavos, centavos } from '#shared/domain/values/money.ts';
import type { Instalment } from '../simulation.ts';
import { percent, portion } from './ratio.ts';
import type { CreditTax } from './tables/table.ts';

export const creditTaxRates = (table: CreditTax) => ({
  daily: percent(table.dailyRate.value),
  longest: Number(table.longest.value),
  additional: percent(table.additionalRate.value),
});

/** The sum over the instalments and the part of the principal are each rounded once, HALF_UP. */
export function creditTax(
  principal: Centavos,
  contractDay: Day,
  schedule: readonly Pick<Instalment, 'amortization' | 'dueDate'>[],
  rates: ReturnType<typeof creditTaxRates>,
): Centavos {
  // Due dates only get later: once `longest` days are reached, every later date counts as `longest` days.
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
