// The sheet that goes with the CET (Res. CMN 4.881/2020, art. 5). The customer pays appraisal and insurance separately.
// The tax is withheld, so the released part is the principal less the tax.
import { type Day, daysBetween } from '#shared/domain/values/clock.ts';
import { type Centavos, centavos } from '#shared/domain/values/money.ts';
import type { Instalment, Offer } from '../simulation.ts';
import { portion, ratio } from './ratio.ts';

const COST_COMPONENTS = ['released', 'insurance', 'appraisal', 'creditTax'] as const;
export type CostComponent = (typeof COST_COMPONENTS)[number];

export interface CostLine {
  readonly component: CostComponent;
  readonly amount: Centavos;
  readonly percent: number;
}

/** Components of 0 are left out. */
export function costLines(amounts: Readonly<Record<CostComponent, Centavos>>): readonly CostLine[] {
  const sum = COST_COMPONENTS.reduce((all, component) => all + amounts[component], 0);
  return COST_COMPONENTS.filter((component) => amounts[component] > 0).map((component) => ({
    component,
    amount: amounts[component],
    percent: portion(10_000, ratio(BigInt(amounts[component]), BigInt(sum))) / 100,
  }));
}

/** Without insurance, because the first premium falls due with the first instalment. */
export function costSheet(offer: Offer): readonly CostLine[] {
  return costLines({
    released: centavos(offer.principal - offer.iof),
    insurance: centavos(0),
    appraisal: offer.appraisalFee,
    creditTax: offer.iof,
  });
}

/** Discount of 0.8 % a month. With this rate, insuranceCost reproduces eleven published sheets. */
const MONTHLY_DISCOUNT = 1.008;

/**
 * Returns the effective cost of the housing insurances (CESH; Resolução CNSP 447/2022, Circular SUSEP 677/2022). It is
 * the present value of all MIP and DFI premiums in percent of the principal PV, with 4 decimals:
 *   100 / PV x sum((MIP_k + DFI_k) / 1.008^(12 x days_k / 365))
 * where days_k are the days from the contract to the due date.
 */
export function insuranceCost(
  principal: Centavos,
  contractDay: Day,
  schedule: readonly Pick<Instalment, 'mip' | 'dfi' | 'dueDate'>[],
): number {
  let value = 0;
  for (const { mip, dfi, dueDate } of schedule)
    value += (mip + dfi) / MONTHLY_DISCOUNT ** ((12 * daysBetween(contractDay, dueDate)) / 365);
  return Math.round((value / principal) * 1_000_000) / 10_000;
}
