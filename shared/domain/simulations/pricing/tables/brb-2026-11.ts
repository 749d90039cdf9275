import { type BankTable, ratesOf } from './table.ts';

const SHEET = { date: '2025', source: 'BRB, indicative public conditions, from the project’s pricing sheet' } as const;
const RATE = {
  date: '2025',
  source: 'BRB, condições públicas de 2025; desde então o banco só cota por simulação',
} as const;

const TERMS = { indexer: 'TR', kind: 'media', basis: 'effective' } as const;
const SHARES = { SAC: { value: '80', ...SHEET }, PRICE: { value: '80', ...SHEET } };

export const table: BankTable = {
  version: 'brb-2026-11',
  bank: 'brb',
  validFrom: '2026-11-21',
  // Nothing public since 2025: the bank quotes case by case, so that this is an average and no offer of its own.
  rates: [...ratesOf('padrao', { ...TERMS, rate: { value: '12.00', ...RATE } }, SHARES)],
  homeEquity: false,
  shortestTerm: { value: '60', ...SHEET },
  longestTerm: { value: '420', ...SHEET },
  leastFinanced: { value: '50000.00', ...SHEET },
  mip: {
    anchors: [
      { age: 24, rate: { value: '0.01432', ...SHEET } },
      { age: 34, rate: { value: '0.01615', ...SHEET } },
      { age: 44, rate: { value: '0.02664', ...SHEET } },
      { age: 54, rate: { value: '0.07136', ...SHEET } },
      { age: 64, rate: { value: '0.1677', ...SHEET } },
    ],
    market: 'market-mip-2025',
  },
  dfi: { value: '0.01207', ...SHEET },
  monthlyFee: { value: '25.00', ...SHEET },
  appraisalFee: { value: '3000.00', ...SHEET },
  incomeShare: { value: '3/10', ...SHEET },
  financesExpenses: false,
};
