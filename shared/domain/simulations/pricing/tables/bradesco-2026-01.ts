import type { BankTable } from './table.ts';

const SHEET = {
  date: '2025-11',
  source: 'Bradesco, indicative public conditions, from the project’s pricing sheet',
} as const;
const CENTRAL_BANK = { date: '2025-11', source: 'Banco Central do Brasil, published rates, November 2025' } as const;

export const table: BankTable = {
  version: 'bradesco-2026-01',
  bank: 'bradesco',
  validFrom: '2026-01-01',
  annualRate: { value: '11.70', ...CENTRAL_BANK },
  rateBasis: 'effective',
  systems: {
    SAC: { indexer: 'TR', share: { value: '80', ...SHEET } },
    PRICE: { indexer: 'TR', share: { value: '70', ...SHEET } },
  },
  homeEquity: false,
  shortestTerm: { value: '120', ...SHEET },
  longestTerm: { value: '420', ...SHEET },
  leastFinanced: { value: '100000.00', ...SHEET },
  mip: {
    anchors: [
      { age: 24, rate: { value: '0.01568', ...SHEET } },
      { age: 34, rate: { value: '0.01818', ...SHEET } },
      { age: 45, rate: { value: '0.0420', ...SHEET } },
      { age: 64, rate: { value: '0.1782', ...SHEET } },
    ],
    market: 'market-mip-2025',
  },
  dfi: { value: '0.0066', ...SHEET },
  monthlyFee: { value: '25.00', ...SHEET },
  appraisalFee: { value: '3500.00', ...SHEET },
  incomeShare: { value: '3/10', ...SHEET },
  financesExpenses: true,
};
