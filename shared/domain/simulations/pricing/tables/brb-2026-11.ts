import { anchorsOf, type BankTable, figuresOf, fromSheet, ratesOf } from './table.ts';

const SHEET = fromSheet('2025', 'BRB, indicative public conditions');
const RATE = {
  date: '2025',
  source: 'BRB, condições públicas de 2025; desde então o banco só cota por simulação',
} as const;

const TERMS = { indexer: 'TR', kind: 'media', basis: 'effective' } as const;
const SHARES = figuresOf(SHEET, { SAC: '80', PRICE: '80' });
const ANCHORS = anchorsOf(SHEET, { 24: '0.01432', 34: '0.01615', 44: '0.02664', 54: '0.07136', 64: '0.1677' });

export const table: BankTable = {
  version: 'brb-2026-11',
  bank: 'brb',
  validFrom: '2026-11-21',
  // Nothing public since 2025: the bank quotes case by case, so that this is an average and no offer of its own.
  rates: ratesOf('padrao', { ...TERMS, rate: { value: '12.00', ...RATE } }, SHARES),
  homeEquity: false,
  ...figuresOf(SHEET, { shortestTerm: '60', longestTerm: '420', leastFinanced: '50000.00', dfi: '0.01207' }),
  ...figuresOf(SHEET, { monthlyFee: '25.00', appraisalFee: '3000.00', incomeShare: '3/10' }),
  mip: { anchors: ANCHORS, market: 'market-mip-2025' },
  financesExpenses: false,
};
