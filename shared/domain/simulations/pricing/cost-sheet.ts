// The sheet that goes with the CET (Res. CMN 4.881/2020, art. 5): what a loan is made of on its day, in reais and in
// percent. Appraisal and insurance are paid apart; the tax is withheld, so that the released part is the principal less it.
import { type Centavos, centavos } from '../../values/money.ts';
import type { Offer } from '../simulation.ts';
import { portion, ratio } from './ratio.ts';

const COST_COMPONENTS = ['released', 'insurance', 'appraisal', 'creditTax'] as const;
export type CostComponent = (typeof COST_COMPONENTS)[number];

export interface CostLine {
  readonly component: CostComponent;
  readonly amount: Centavos;
  /** Percent of the sum of all components, 2 decimals, HALF_UP. */
  readonly percent: number;
}

/** Components with their part of the sum, in the sheet's order; those of nothing are left out. */
export function costLines(amounts: Readonly<Record<CostComponent, Centavos>>): readonly CostLine[] {
  const sum = COST_COMPONENTS.reduce((all, component) => all + amounts[component], 0);
  return COST_COMPONENTS.filter((component) => amounts[component] > 0).map((component) => ({
    component,
    amount: amounts[component],
    percent: portion(10_000, ratio(BigInt(amounts[component]), BigInt(sum))) / 100,
  }));
}

/** An offer's sheet: no premium is paid on the contract's day, the first falls due with the first instalment. */
export function costSheet(offer: Offer): readonly CostLine[] {
  return costLines({
    released: centavos(offer.principal - offer.iof),
    insurance: centavos(0),
    appraisal: offer.appraisalFee,
    creditTax: offer.iof,
  });
}
