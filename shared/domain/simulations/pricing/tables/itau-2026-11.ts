import { type BankTable, ratesOf } from './table.ts';

const SHEET = {
  date: '2025-12',
  source: 'Itaú, indicative public conditions, from the project’s pricing sheet',
} as const;
const BRANCH = { date: '2026-07', source: 'Itaú, página do banco, taxa do cliente comum de agência' } as const;
const UNICLASS = { date: '2026-07', source: 'Itaú Uniclass, taxa do segmento' } as const;
const PERSONNALITE = { date: '2026-07', source: 'Itaú Personnalité, taxa do segmento' } as const;

const TERMS = { indexer: 'TR', kind: 'segmento', basis: 'effective' } as const;
const SHARES = { SAC: { value: '80', ...SHEET } };

export const table: BankTable = {
  version: 'itau-2026-11',
  bank: 'itau',
  validFrom: '2026-11-21',
  rates: [
    ...ratesOf('padrao', { ...TERMS, rate: { value: '13.69', ...BRANCH } }, SHARES),
    ...ratesOf('intermediario', { ...TERMS, rate: { value: '11.90', ...UNICLASS } }, SHARES),
    ...ratesOf('alta_renda', { ...TERMS, rate: { value: '11.70', ...PERSONNALITE } }, SHARES),
  ],
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
  // One capture of 2025 shows a third; none since.
  incomeShare: {
    value: '1/3',
    date: '2025',
    source: 'Itaú, one capture of its simulator of 2025, from the project’s pricing sheet',
  },
  financesExpenses: true,
};
