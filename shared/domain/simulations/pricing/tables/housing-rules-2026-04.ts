import type { HousingRules } from './table.ts';

const SFH = { date: '2025-10', source: 'Conselho Monetário Nacional, limits of the SFH since October 2025' } as const;
const SHEET = {
  date: '2026-01',
  source: 'Usual conditions of lenders and insurers, from the project’s pricing sheet',
} as const;
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
  longestTerm: { value: '420', ...SHEET },
  youngest: { value: '18', ...SHEET },
  oldest: { value: '80', ...SHEET },
  // 80 years and 6 months.
  oldestAtTheEnd: { value: '966', ...SHEET },
  sfhProperty: { value: '2250000.00', ...SFH },
  sfhRate: { value: '12', ...SFH },
  expenses: { value: '4', ...SHEET },
  sfhFee: { value: '25.00', ...SFH_FEE },
  largestFinanced: { value: '10000000.00', ...SHEET },
  programmeIncome: { value: '13000.00', ...PROGRAMME },
  programmeProperty: { value: '600000.00', ...PROGRAMME },
};
