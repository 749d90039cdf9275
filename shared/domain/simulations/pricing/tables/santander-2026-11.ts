import { type BankTable, ratesOf } from './table.ts';

const SHEET = {
  date: '2026-01',
  source: 'Santander, indicative public conditions, from the project’s pricing sheet',
} as const;
const FROM = { date: '2026-07', source: 'Santander, taxa a partir da qual empresta à alta renda' } as const;
const RATE = { date: '2026-01', source: 'Santander, condições públicas, taxa além da TR' } as const;

const TERMS = { indexer: 'TR', kind: 'a_partir_de', basis: 'effective' } as const;
const SHARES = { SAC: { value: '80', ...SHEET } };

export const table: BankTable = {
  version: 'santander-2026-11',
  bank: 'santander',
  validFrom: '2026-11-21',
  // No PRICE until sourced: 11.79 without an indexer is the rate with TR, where fixed rates stood at 14.61 in July 2026
  // (Banco Central).
  rates: [
    ...ratesOf('padrao', { ...TERMS, rate: { value: '11.79', ...RATE } }, SHARES),
    ...ratesOf('alta_renda', { ...TERMS, rate: { value: '11.69', ...FROM } }, SHARES),
  ],
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
  // One capture of 2025 shows a third; none since.
  incomeShare: {
    value: '1/3',
    date: '2025',
    source: 'Santander, one capture of its simulator of 2025, from the project’s pricing sheet',
  },
  financesExpenses: true,
};
