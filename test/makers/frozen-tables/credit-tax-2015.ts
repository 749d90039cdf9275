import { type CreditTax, figure } from '#shared/domain/simulations/pricing/tables/table.ts';

const DAILY = {
  date: '2015-01',
  source: 'Decreto 6.306/2007, art. 7, I, b, 2, as worded by Decreto 8.392/2015: loans to natural persons',
} as const;
const ADDITIONAL = { date: '2008-01', source: 'Decreto 6.306/2007, art. 7, § 15' } as const;

export const table: CreditTax = {
  version: 'credit-tax-2015',
  validFrom: '2015-01-22',
  dailyRate: figure('0.0082', DAILY),
  longest: figure('365', DAILY),
  additionalRate: figure('0.38', ADDITIONAL),
};
