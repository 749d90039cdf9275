import {
  anchorsOf,
  type BankTable,
  figure,
  fromSheet,
  ratesOf,
} from '#shared/domain/simulations/pricing/tables/table.ts';

const SHEET = fromSheet('2025-12', 'Itaú, indicative public conditions');
const BRANCH = { date: '2026-07', source: 'Itaú, página do banco, taxa do cliente comum de agência' } as const;
const UNICLASS = { date: '2026-07', source: 'Itaú Uniclass, taxa do segmento' } as const;
const PERSONNALITE = { date: '2026-07', source: 'Itaú Personnalité, taxa do segmento' } as const;

const TERMS = { indexer: 'TR', kind: 'segmento', basis: 'effective' } as const;
const SHARES = { SAC: figure('80', SHEET) };
const ANCHORS = anchorsOf(SHEET, { 35: '0.0273', 45: '0.0421', 47: '0.05917', 57: '0.15394', 67: '0.36632' });

export const table: BankTable = {
  version: 'itau-2026-11',
  bank: 'itau',
  validFrom: '2026-11-21',
  rates: [
    ratesOf('padrao', TERMS, figure('13.69', BRANCH), SHARES),
    ratesOf('intermediario', TERMS, figure('11.90', UNICLASS), SHARES),
    ratesOf('alta_renda', TERMS, figure('11.70', PERSONNALITE), SHARES),
  ].flat(),
  homeEquity: false,
  shortestTerm: figure('60', SHEET),
  longestTerm: figure('420', SHEET),
  leastFinanced: figure('98000.00', SHEET),
  dfi: figure('0.00554', SHEET),
  monthlyFee: figure('0.00', SHEET),
  appraisalFee: figure('3500.00', SHEET),
  mip: { anchors: ANCHORS, market: 'market-mip-2025' },
  incomeShare: figure('1/3', fromSheet('2025', 'Itaú, one capture of its simulator of 2025')),
  financesExpenses: true,
};
