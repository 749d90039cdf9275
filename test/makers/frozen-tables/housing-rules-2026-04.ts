import { figure, fromSheet, type HousingRules } from '#shared/domain/simulations/pricing/tables/table.ts';

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
  longestTerm: figure('420', SHEET),
  youngest: figure('18', SHEET),
  oldest: figure('80', SHEET),
  oldestAtTheEnd: figure('966', SHEET),
  expenses: figure('4', SHEET),
  largestFinanced: figure('10000000.00', SHEET),
  sfhProperty: figure('2250000.00', SFH),
  sfhRate: figure('12', SFH),
  sfhFee: figure('25.00', SFH_FEE),
  programmeIncome: figure('13000.00', PROGRAMME),
  programmeProperty: figure('600000.00', PROGRAMME),
};
