import { type BankTable, figure, fromSheet, ratesOf } from '#shared/domain/simulations/pricing/tables/table.ts';

const SHEET = fromSheet('2025', 'CashMe, indicative public conditions');
const SITE = fromSheet('2026-11', 'CashMe, smallest and largest loan on its own site');
const RATE = { date: '2025', source: 'CashMe, condições públicas, taxa ao mês além do IPCA' } as const;

const TERMS = { indexer: 'IPCA', kind: 'a_partir_de', basis: 'monthly' } as const;
const SHARES = { SAC: figure('60', SHEET), PRICE: figure('60', SHEET) };

export const table: BankTable = {
  version: 'cashme-2026-11',
  bank: 'cashme',
  validFrom: '2026-11-21',
  rates: ratesOf('padrao', TERMS, figure('1.09', RATE), SHARES),
  homeEquity: true,
  shortestTerm: figure('36', SHEET),
  longestTerm: figure('240', SHEET),
  dfi: figure('0.0066', SHEET),
  monthlyFee: figure('0.00', SHEET),
  appraisalFee: figure('3000.00', SHEET),
  leastFinanced: figure('50000.00', SITE),
  largestFinanced: figure('15000000.00', SITE),
  mip: { anchors: [], market: 'market-mip-2025' },
  incomeShare: figure('3/10', fromSheet('2026-11', 'Usual share of lenders')),
  financesExpenses: false,
};
