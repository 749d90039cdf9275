import { figure, type Scenario } from './table.ts';

const TR = { date: '2026-07', source: 'Banco Central do Brasil, TR acumulada em 12 meses até meados de 2026' } as const;
// The Focus survey expects an IPCA of 3.95 for 2026, 3.80 for 2027 and 3.50 for 2028. The scenario uses the figure of
// 2027, the year after the contract's year, for all years.
const FOCUS = { date: '2026-02-18', source: 'Banco Central do Brasil, Focus de 18/02/2026, IPCA de 2027' } as const;
// 8.29 % is 1.0617 x 1.020 - 1: 0.5 % a month is 6.17 % a year, and TR is 2.0 % a year.
const SAVINGS = {
  date: '2026-07',
  source: 'Lei 12.703/2012: 0,5 % ao mês mais a TR acima, com a Selic acima de 8,5 %',
} as const;

export const table: Scenario = {
  version: 'scenario-2026-07',
  validFrom: '2026-07-01',
  indexers: { TR: figure('2.0', TR), IPCA: figure('3.80', FOCUS), POUPANCA: figure('8.29', SAVINGS) },
};
