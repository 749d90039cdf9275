import { type BankTable, figure, fromSheet, ratesOf } from '#shared/domain/simulations/pricing/tables/table.ts';

const SHEET = fromSheet('2026', 'Inter, indicative public conditions');
const PAGE = { date: '2026-07', source: 'Inter, taxa além do IPCA' } as const;

const TERMS = { indexer: 'IPCA', kind: 'a_partir_de', basis: 'effective' } as const;
const SHARES = { SAC: figure('75', SHEET), PRICE: figure('75', SHEET) };

export const table: BankTable = {
  version: 'inter-2026-11',
  bank: 'inter',
  validFrom: '2026-11-21',
  rates: ratesOf('padrao', TERMS, figure('9.99', PAGE), SHARES),
  homeEquity: false,
  shortestTerm: figure('24', SHEET),
  longestTerm: figure('360', SHEET),
  leastFinanced: figure('50000.00', SHEET),
  leastProperty: figure('200000.00', SHEET),
  dfi: figure('0.0066', SHEET),
  monthlyFee: figure('25.00', SHEET),
  appraisalFee: figure('2500.00', SHEET),
  mip: { anchors: [], market: 'market-mip-2025' },
  incomeShare: figure('3/10', fromSheet('2026-11', 'Usual share of lenders')),
  financesExpenses: false,
};
