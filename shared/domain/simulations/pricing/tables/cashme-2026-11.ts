import { type BankTable, ratesOf } from './table.ts';

const SHEET = {
  date: '2025',
  source: 'CashMe, indicative public conditions, from the project’s pricing sheet',
} as const;
const SITE = {
  date: '2026-11',
  source: 'CashMe, smallest and largest loan on its own site, from the project’s pricing sheet',
} as const;
const RATE = { date: '2025', source: 'CashMe, condições públicas, taxa ao mês além do IPCA' } as const;

const TERMS = { indexer: 'IPCA', kind: 'a_partir_de', basis: 'monthly' } as const;
const SHARES = { SAC: { value: '60', ...SHEET }, PRICE: { value: '60', ...SHEET } };

export const table: BankTable = {
  version: 'cashme-2026-11',
  bank: 'cashme',
  validFrom: '2026-11-21',
  rates: [...ratesOf('padrao', { ...TERMS, rate: { value: '1.09', ...RATE } }, SHARES)],
  homeEquity: true,
  shortestTerm: { value: '36', ...SHEET },
  longestTerm: { value: '240', ...SHEET },
  leastFinanced: { value: '50000.00', ...SITE },
  largestFinanced: { value: '15000000.00', ...SITE },
  mip: { anchors: [], market: 'market-mip-2025' },
  dfi: { value: '0.0066', ...SHEET },
  monthlyFee: { value: '0.00', ...SHEET },
  appraisalFee: { value: '3000.00', ...SHEET },
  // 0.40 was seen in one capture only: the market's usual share until a better one is seen.
  incomeShare: { value: '3/10', date: '2026-11', source: 'Usual share of lenders, from the project’s pricing sheet' },
  financesExpenses: false,
};
