import { type BankTable, figuresOf, fromSheet, ratesOf } from './table.ts';

const SHEET = fromSheet('2026', 'Inter, indicative public conditions');
const PAGE = { date: '2026-07', source: 'Inter, taxa além do IPCA' } as const;

const TERMS = { indexer: 'IPCA', kind: 'a_partir_de', basis: 'effective' } as const;
const SHARES = figuresOf(SHEET, { SAC: '75', PRICE: '75' });

export const table: BankTable = {
  version: 'inter-2026-11',
  bank: 'inter',
  validFrom: '2026-11-21',
  // A promotional 9.40 + TR of July 2026 does not hold for everybody: it has no row.
  rates: ratesOf('padrao', { ...TERMS, rate: { value: '9.99', ...PAGE } }, SHARES),
  homeEquity: false,
  ...figuresOf(SHEET, { shortestTerm: '24', longestTerm: '360', leastFinanced: '50000.00' }),
  ...figuresOf(SHEET, { leastProperty: '200000.00', dfi: '0.0066', monthlyFee: '25.00', appraisalFee: '2500.00' }),
  mip: { anchors: [], market: 'market-mip-2025' },
  // 0.40 was seen in one capture only: the market's usual share until a better one is seen.
  incomeShare: { value: '3/10', ...fromSheet('2026-11', 'Usual share of lenders') },
  financesExpenses: false,
};
