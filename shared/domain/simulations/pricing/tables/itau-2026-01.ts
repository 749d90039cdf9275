import type { BankTable } from './table.ts';

const SHEET = {
  date: '2025-12',
  source: 'Itaú, indicative public conditions, from the project’s pricing sheet',
} as const;

export const table: BankTable = {
  version: 'itau-2026-01',
  bank: 'itau',
  validFrom: '2026-01-01',
  annualRate: { value: '11.60', ...SHEET },
  rateBasis: 'effective',
  systems: {
    SAC: { indexer: 'TR', share: { value: '80', ...SHEET } },
  },
  homeEquity: false,
  shortestTerm: { value: '60', ...SHEET },
  longestTerm: { value: '420', ...SHEET },
  leastFinanced: { value: '98000.00', ...SHEET },
  mip: {
    anchors: [
      { age: 35, rate: { value: '0.0273', ...SHEET } },
      { age: 45, rate: { value: '0.0421', ...SHEET } },
      { age: 47, rate: { value: '0.05917', ...SHEET } },
      { age: 57, rate: { value: '0.15394', ...SHEET } },
      { age: 67, rate: { value: '0.36632', ...SHEET } },
    ],
    market: 'market-mip-2025',
  },
  dfi: { value: '0.00554', ...SHEET },
  monthlyFee: { value: '0.00', ...SHEET },
  appraisalFee: { value: '3500.00', ...SHEET },
  incomeShare: { value: '1/3', ...SHEET },
  financesExpenses: true,
};
