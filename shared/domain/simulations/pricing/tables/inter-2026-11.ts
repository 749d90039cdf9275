import { type BankTable, ratesOf } from './table.ts';

const SHEET = {
  date: '2026',
  source: 'Inter, indicative public conditions, from the project’s pricing sheet',
} as const;
const PAGE = { date: '2026-07', source: 'Inter, taxa além do IPCA' } as const;

const TERMS = { indexer: 'IPCA', kind: 'a_partir_de', basis: 'effective' } as const;
const SHARES = { SAC: { value: '75', ...SHEET }, PRICE: { value: '75', ...SHEET } };

export const table: BankTable = {
  version: 'inter-2026-11',
  bank: 'inter',
  validFrom: '2026-11-21',
  // A promotional 9.40 + TR of July 2026 does not hold for everybody: it has no row.
  rates: [...ratesOf('padrao', { ...TERMS, rate: { value: '9.99', ...PAGE } }, SHARES)],
  homeEquity: false,
  shortestTerm: { value: '24', ...SHEET },
  longestTerm: { value: '360', ...SHEET },
  leastFinanced: { value: '50000.00', ...SHEET },
  leastProperty: { value: '200000.00', ...SHEET },
  mip: { anchors: [], market: 'market-mip-2025' },
  dfi: { value: '0.0066', ...SHEET },
  monthlyFee: { value: '25.00', ...SHEET },
  appraisalFee: { value: '2500.00', ...SHEET },
  // 0.40 was seen in one capture only: the market's usual share until a better one is seen.
  incomeShare: { value: '3/10', date: '2026-11', source: 'Usual share of lenders, from the project’s pricing sheet' },
  financesExpenses: false,
};
