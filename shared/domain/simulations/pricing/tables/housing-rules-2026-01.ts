import type { HousingRules } from './table.ts';

const SFH = { date: '2025-10', source: 'Conselho Monetário Nacional, limits of the SFH since October 2025' } as const;
const SHEET = {
  date: '2026-01',
  source: 'Usual conditions of lenders and insurers, from the project’s pricing sheet',
} as const;

export const table: HousingRules = {
  version: 'housing-rules-2026-01',
  validFrom: '2026-01-01',
  longestTerm: { value: '420', ...SHEET },
  youngest: { value: '18', ...SHEET },
  oldest: { value: '80', ...SHEET },
  // 80 years and 6 months.
  oldestAtTheEnd: { value: '966', ...SHEET },
  sfhProperty: { value: '2250000.00', ...SFH },
  sfhRate: { value: '12', ...SFH },
  expenses: { value: '4', ...SHEET },
};
