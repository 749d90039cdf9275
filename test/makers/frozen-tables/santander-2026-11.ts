import {
  anchorsOf,
  type BankTable,
  figure,
  fromSheet,
  ratesOf,
} from '#shared/domain/simulations/pricing/tables/table.ts';

const SHEET = fromSheet('2026-01', 'Santander, indicative public conditions');
const FROM = { date: '2026-07', source: 'Santander, taxa a partir da qual empresta à alta renda' } as const;
const RATE = { date: '2026-01', source: 'Santander, condições públicas, taxa além da TR' } as const;

const TERMS = { indexer: 'TR', kind: 'a_partir_de', basis: 'effective' } as const;
const SHARES = { SAC: figure('80', SHEET) };
const ANCHORS = anchorsOf(SHEET, { 24: '0.0170', 44: '0.0400', 65: '0.384' });

export const table: BankTable = {
  version: 'santander-2026-11',
  bank: 'santander',
  validFrom: '2026-11-21',
  rates: [
    ratesOf('padrao', TERMS, figure('11.79', RATE), SHARES),
    ratesOf('alta_renda', TERMS, figure('11.69', FROM), SHARES),
  ].flat(),
  homeEquity: false,
  shortestTerm: figure('60', SHEET),
  longestTerm: figure('420', SHEET),
  leastFinanced: figure('98000.00', SHEET),
  dfi: figure('0.0060', SHEET),
  monthlyFee: figure('25.00', SHEET),
  appraisalFee: figure('1900.00', SHEET),
  mip: { anchors: ANCHORS, market: 'market-mip-2025' },
  incomeShare: figure('1/3', fromSheet('2025', 'Santander, one capture of its simulator of 2025')),
  financesExpenses: true,
};
