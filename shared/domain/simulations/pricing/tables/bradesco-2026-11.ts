import { anchorsOf, type BankTable, figuresOf, fromSheet, ratesOf } from './table.ts';

const SHEET = fromSheet('2025-11', 'Bradesco, indicative public conditions');
const BRANCH = { date: '2026-01', source: 'Bradesco, taxa do cliente comum de agência' } as const;
const PRIME = { date: '2026', source: 'Bradesco Prime, taxa do segmento' } as const;
const PRINCIPAL = { date: '2026-07', source: 'Bradesco Principal, taxa do segmento' } as const;

const TERMS = { indexer: 'TR', kind: 'segmento', basis: 'effective' } as const;
const SHARES = figuresOf(SHEET, { SAC: '80', PRICE: '70' });
const ANCHORS = anchorsOf(SHEET, { 24: '0.01568', 34: '0.01818', 45: '0.0420', 64: '0.1782' });

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
  ...figuresOf(SHEET, { shortestTerm: '120', longestTerm: '420', leastFinanced: '100000.00', dfi: '0.0066' }),
  ...figuresOf(SHEET, { monthlyFee: '25.00', appraisalFee: '3500.00', incomeShare: '3/10' }),
  mip: { anchors: ANCHORS, market: 'market-mip-2025' },
  financesExpenses: true,
};
