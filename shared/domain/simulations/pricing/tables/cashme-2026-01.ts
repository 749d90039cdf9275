import type { BankTable } from './table.ts';

const SHEET = {
  date: '2025',
  source: 'CashMe, indicative public conditions, from the project’s pricing sheet',
} as const;

export const table: BankTable = {
  version: 'cashme-2026-01',
  bank: 'cashme',
  validFrom: '2026-01-01',
  // Published as 1.09 % a month.
  annualRate: { value: '13.89', ...SHEET },
  rateBasis: 'effective',
  systems: {
    SAC: { indexer: 'IPCA', share: { value: '60', ...SHEET } },
    PRICE: { indexer: 'IPCA', share: { value: '60', ...SHEET } },
  },
  homeEquity: true,
  shortestTerm: { value: '36', ...SHEET },
  longestTerm: { value: '240', ...SHEET },
  leastFinanced: { value: '50000.00', ...SHEET },
  mip: {
    anchors: [],
    market: 'market-mip-2025',
  },
  dfi: { value: '0.0066', ...SHEET },
  monthlyFee: { value: '0.00', ...SHEET },
  appraisalFee: { value: '3000.00', ...SHEET },
  incomeShare: { value: '2/5', ...SHEET },
  financesExpenses: false,
};
