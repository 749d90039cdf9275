import { anchorsOf, type BankTable, figuresOf, fromSheet, ratesOf } from './table.ts';

const SHEET = fromSheet('2026-01', 'Santander, indicative public conditions');
const FROM = { date: '2026-07', source: 'Santander, taxa a partir da qual empresta à alta renda' } as const;
const RATE = { date: '2026-01', source: 'Santander, condições públicas, taxa além da TR' } as const;

const TERMS = { indexer: 'TR', kind: 'a_partir_de', basis: 'effective' } as const;
const SHARES = figuresOf(SHEET, { SAC: '80' });
const ANCHORS = anchorsOf(SHEET, { 24: '0.0170', 44: '0.0400', 65: '0.384' });

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
  ...figuresOf(SHEET, { shortestTerm: '60', longestTerm: '420', leastFinanced: '98000.00', dfi: '0.0060' }),
  ...figuresOf(SHEET, { monthlyFee: '25.00', appraisalFee: '1900.00' }),
  mip: { anchors: ANCHORS, market: 'market-mip-2025' },
  // One capture of 2025 shows a third; none since.
  incomeShare: { value: '1/3', ...fromSheet('2025', 'Santander, one capture of its simulator of 2025') },
  financesExpenses: true,
};
