import { figuresOf, fromSheet, type HousingRules } from './table.ts';

const SFH = { date: '2025-10', source: 'Conselho Monetário Nacional, limits of the SFH since October 2025' } as const;
const SHEET = fromSheet('2026-01', 'Usual conditions of lenders and insurers');
const SFH_FEE = {
  date: '2010-12',
  source: 'Resolução CMN 3.932/2010, art. 14; present wording in Resolução CMN 4.676/2018, art. 13 and 14',
} as const;
const PROGRAMME = {
  date: '2026-04',
  source: 'Minha Casa, Minha Vida, middle class, limits since 22 April 2026',
} as const;

export const table: HousingRules = {
  version: 'housing-rules-2026-04',
  validFrom: '2026-04-22',
  // 966 months are 80 years and 6 months.
  ...figuresOf(SHEET, { longestTerm: '420', youngest: '18', oldest: '80', oldestAtTheEnd: '966', expenses: '4' }),
  ...figuresOf(SHEET, { largestFinanced: '10000000.00' }),
  ...figuresOf(SFH, { sfhProperty: '2250000.00', sfhRate: '12' }),
  ...figuresOf(SFH_FEE, { sfhFee: '25.00' }),
  ...figuresOf(PROGRAMME, { programmeIncome: '13000.00', programmeProperty: '600000.00' }),
};
