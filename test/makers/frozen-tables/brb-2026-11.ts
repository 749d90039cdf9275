import {
  anchorsOf,
  type BankTable,
  figure,
  fromSheet,
  ratesOf,
} from '#shared/domain/simulations/pricing/tables/table.ts';

const SHEET = fromSheet('2025', 'BRB, indicative public conditions');
const RATE = {
  date: '2025',
  source: 'BRB, condições públicas de 2025; desde então o banco só cota por simulação',
} as const;

const TERMS = { indexer: 'TR', kind: 'media', basis: 'effective' } as const;
const SHARES = { SAC: figure('80', SHEET), PRICE: figure('80', SHEET) };
const ANCHORS = anchorsOf(SHEET, { 24: '0.01432', 34: '0.01615', 44: '0.02664', 54: '0.07136', 64: '0.1677' });

export const table: BankTable = {
  version: 'brb-2026-11',
  bank: 'brb',
  validFrom: '2026-11-21',
  rates: ratesOf('padrao', TERMS, figure('12.00', RATE), SHARES),
  homeEquity: false,
  shortestTerm: figure('60', SHEET),
  longestTerm: figure('420', SHEET),
  leastFinanced: figure('50000.00', SHEET),
  dfi: figure('0.01207', SHEET),
  monthlyFee: figure('25.00', SHEET),
  appraisalFee: figure('3000.00', SHEET),
  incomeShare: figure('3/10', SHEET),
  mip: { anchors: ANCHORS, market: 'market-mip-2025' },
  financesExpenses: false,
};
