import { type BankTable, figuresOf, fromSheet, ratesOf } from './table.ts';

const SHEET = fromSheet('2025', 'CashMe, indicative public conditions');
const SITE = fromSheet('2026-11', 'CashMe, smallest and largest loan on its own site');
const RATE = { date: '2025', source: 'CashMe, condições públicas, taxa ao mês além do IPCA' } as const;

const TERMS = { indexer: 'IPCA', kind: 'a_partir_de', basis: 'monthly' } as const;
const SHARES = figuresOf(SHEET, { SAC: '60', PRICE: '60' });

export const table: BankTable = {
  version: 'cashme-2026-11',
  bank: 'cashme',
  validFrom: '2026-11-21',
  rates: ratesOf('padrao', { ...TERMS, rate: { value: '1.09', ...RATE } }, SHARES),
  homeEquity: true,
  ...figuresOf(SHEET, { shortestTerm: '36', longestTerm: '240', dfi: '0.0066' }),
  ...figuresOf(SHEET, { monthlyFee: '0.00', appraisalFee: '3000.00' }),
  ...figuresOf(SITE, { leastFinanced: '50000.00', largestFinanced: '15000000.00' }),
  mip: { anchors: [], market: 'market-mip-2025' },
  // 0.40 was seen in one capture only: the market's usual share until a better one is seen.
  incomeShare: { value: '3/10', ...fromSheet('2026-11', 'Usual share of lenders') },
  financesExpenses: false,
};
