import { type BankTable, ratesOf } from './table.ts';

const SHEET = {
  date: '2025-11',
  source: 'Bradesco, indicative public conditions, from the project’s pricing sheet',
} as const;
const BRANCH = { date: '2026-01', source: 'Bradesco, taxa do cliente comum de agência' } as const;
const PRIME = { date: '2026', source: 'Bradesco Prime, taxa do segmento' } as const;
const PRINCIPAL = { date: '2026-07', source: 'Bradesco Principal, taxa do segmento' } as const;

const TERMS = { indexer: 'TR', kind: 'segmento', basis: 'effective' } as const;
const SHARES = { SAC: { value: '80', ...SHEET }, PRICE: { value: '70', ...SHEET } };

export const table: BankTable = {
  version: 'bradesco-2026-11',
  bank: 'bradesco',
  validFrom: '2026-11-21',
  rates: [
    ...ratesOf('padrao', { ...TERMS, rate: { value: '12.79', ...BRANCH } }, SHARES),
    ...ratesOf('intermediario', { ...TERMS, rate: { value: '12.19', ...PRIME } }, SHARES),
    ...ratesOf('alta_renda', { ...TERMS, rate: { value: '11.70', ...PRINCIPAL } }, SHARES),
  ],
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
