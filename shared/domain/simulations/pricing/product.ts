// The cost that the SFH limits is the effective rate: 12.00 % is SFH, 12.01 % is SFI. A monthly fee of up to R$ 25.00
// does not count (Res. CMN 3.932/2010, art. 14; present wording in Res. CMN 4.676/2018, art. 13 and 14). If a fee is
// higher, the cost is the internal rate of return of interest and excess together.
import { type Centavos, centavos } from '#shared/domain/values/money.ts';
import type { Instalment, Product } from '../simulation.ts';
import type { Asked } from './asked.ts';
import { effectiveAnnualCost } from './effective-cost.ts';
import { compareRatios, ratioOf } from './ratio.ts';

type Facts = Pick<Asked, 'terms' | 'limits' | 'rate'>;

const aboveSfhRate = ({ limits }: Facts, annualPercent: number): boolean =>
  compareRatios(ratioOf(String(annualPercent)), limits.sfhRate) > 0;

export function sfhBar(facts: Facts, propertyValue: Centavos | undefined): 'product' | 'rate' | 'property' | undefined {
  const { terms, limits, rate } = facts;
  if (terms.table.homeEquity) return 'product';
  if (aboveSfhRate(facts, rate.annualPercent)) return 'rate';
  return propertyValue !== undefined && propertyValue > limits.sfhProperty ? 'property' : undefined;
}

/** In percent a year. The excess is the part of the monthly fee above the fee that the SFH does not count. */
function costWithExcess(principal: Centavos, schedule: readonly Instalment[], excess: number): number {
  return effectiveAnnualCost(
    principal,
    schedule.map(({ amortization, interest }) => centavos(amortization + interest + excess)),
  );
}

/** The schedule is needed to compute what a high fee costs. */
export function productOf(
  facts: Facts,
  propertyValue: Centavos,
  principal: Centavos,
  schedule: readonly Instalment[],
): Product {
  const { terms, limits } = facts;
  if (terms.table.homeEquity) return 'HOME_EQUITY';
  if (sfhBar(facts, propertyValue) !== undefined) return 'SFI';
  const excess = terms.monthlyFee - limits.sfhFee;
  return excess > 0 && aboveSfhRate(facts, costWithExcess(principal, schedule, excess)) ? 'SFI' : 'SFH';
}
