import {
  anchorsOf,
  type BankTable,
  figure,
  fromSheet,
  ratesOf,
} from '#shared/domain/simulations/pricing/tables/table.ts';

const SHEET = fromSheet('2025-11', 'Bradesco, indicative public conditions');
const BRANCH = { date: '2026-01', source: 'Bradesco, taxa do cliente comum de agência' } as const;
const PRIME = { date: '2026', source: 'Bradesco Prime, taxa do segmento' } as const;
const PRINCIPAL = { date: '2026-07', source: 'Bradesco Principal, taxa do segmento' } as const;

const TERMS = { indexer: 'TR', kind: 'segmento', basis: 'effective' } as const;
const SHARES = { SAC: figure('80', SHEET), PRICE: figure('70', SHEET) };
const ANCHORS = anchorsOf(SHEET, { 24: '0.01568', 34: '0.01818', 45: '0.0420', 64: '0.1782' });

export const table: BankTable = {
  version: 'bradesco-2026-11',
  bank: 'bradesco',
  validFrom: '2026-11-21',
  rates: [
    ratesOf('padrao', TERMS, figure('12.79', BRANCH), SHARES),
    ratesOf('intermediario', TERMS, figure('12.19', PRIME), SHARES),
    ratesOf('alta_renda', TERMS, figure('11.70', PRINCIPAL), SHARES),
  ].flat(),
  homeEquity: false,
  shortestTerm: figure('120', SHEET),
  longestTerm: figure('420', SHEET),
  leastFinanced: figure('100000.00', SHEET),
  dfi: figure('0.0066', SHEET),
  monthlyFee: figure('25.00', SHEET),
  appraisalFee: figure('3500.00', SHEET),
  incomeShare: figure('3/10', SHEET),
  mip: { anchors: ANCHORS, market: 'market-mip-2025' },
  financesExpenses: true,
};
