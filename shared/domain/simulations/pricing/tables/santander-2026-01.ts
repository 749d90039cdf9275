import type { BankTable } from './table.ts';

const SHEET = {
  date: '2026-01',
  source: 'Santander, indicative public conditions, from the project’s pricing sheet',
} as const;

export const table: BankTable = {
  version: 'santander-2026-01',
  bank: 'santander',
  validFrom: '2026-01-01',
  annualRate: { value: '11.79', ...SHEET },
  rateBasis: 'effective',
  systems: {
    SAC: { indexer: 'TR', share: { value: '80', ...SHEET } },
    PRICE: { indexer: 'PREFIXADO', share: { value: '80', ...SHEET } },
  },
  homeEquity: false,
  shortestTerm: { value: '60', ...SHEET },
  longestTerm: { value: '420', ...SHEET },
  leastFinanced: { value: '98000.00', ...SHEET },
  mip: {
    anchors: [
      { age: 24, rate: { value: '0.0170', ...SHEET } },
      { age: 44, rate: { value: '0.0400', ...SHEET } },
      { age: 65, rate: { value: '0.384', ...SHEET } },
    ],
    market: 'market-mip-2025',
  },
  dfi: { value: '0.0060', ...SHEET },
  monthlyFee: { value: '25.00', ...SHEET },
  appraisalFee: { value: '1900.00', ...SHEET },
  incomeShare: { value: '1/3', ...SHEET },
  financesExpenses: true,
};
