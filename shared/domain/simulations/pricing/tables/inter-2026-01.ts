import type { BankTable } from './table.ts';

const SHEET = {
  date: '2026',
  source: 'Inter, indicative public conditions, from the project’s pricing sheet',
} as const;

export const table: BankTable = {
  version: 'inter-2026-01',
  bank: 'inter',
  validFrom: '2026-01-01',
  annualRate: { value: '9.50', ...SHEET },
  rateBasis: 'effective',
  systems: {
    SAC: { indexer: 'IPCA', share: { value: '75', ...SHEET } },
    PRICE: { indexer: 'IPCA', share: { value: '75', ...SHEET } },
  },
  homeEquity: false,
  shortestTerm: { value: '24', ...SHEET },
  longestTerm: { value: '360', ...SHEET },
  leastFinanced: { value: '50000.00', ...SHEET },
  leastProperty: { value: '200000.00', ...SHEET },
  mip: {
    anchors: [],
    market: 'market-mip-2025',
  },
  dfi: { value: '0.0066', ...SHEET },
  monthlyFee: { value: '25.00', ...SHEET },
  appraisalFee: { value: '2500.00', ...SHEET },
  incomeShare: { value: '2/5', ...SHEET },
  financesExpenses: false,
};
