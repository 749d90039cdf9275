import { anchorsOf, type BankTable, figuresOf, fromSheet, ratesOf } from './table.ts';

const SHEET = fromSheet('2025-12', 'Itaú, indicative public conditions');
const BRANCH = { date: '2026-07', source: 'Itaú, página do banco, taxa do cliente comum de agência' } as const;
const UNICLASS = { date: '2026-07', source: 'Itaú Uniclass, taxa do segmento' } as const;
const PERSONNALITE = { date: '2026-07', source: 'Itaú Personnalité, taxa do segmento' } as const;

const TERMS = { indexer: 'TR', kind: 'segmento', basis: 'effective' } as const;
const SHARES = figuresOf(SHEET, { SAC: '80' });
const ANCHORS = anchorsOf(SHEET, { 35: '0.0273', 45: '0.0421', 47: '0.05917', 57: '0.15394', 67: '0.36632' });

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
  ...figuresOf(SHEET, { shortestTerm: '60', longestTerm: '420', leastFinanced: '98000.00', dfi: '0.00554' }),
  ...figuresOf(SHEET, { monthlyFee: '0.00', appraisalFee: '3500.00' }),
  mip: { anchors: ANCHORS, market: 'market-mip-2025' },
  // One capture of 2025 shows a third; none since.
  incomeShare: { value: '1/3', ...fromSheet('2025', 'Itaú, one capture of its simulator of 2025') },
  financesExpenses: true,
};
