import { figure, type Scenario } from '#shared/domain/simulations/pricing/tables/table.ts';

const TR = { date: '2026-07', source: 'Banco Central do Brasil, TR acumulada em 12 meses até meados de 2026' } as const;
const FOCUS = { date: '2026-02-18', source: 'Banco Central do Brasil, Focus de 18/02/2026, IPCA de 2027' } as const;
const SAVINGS = {
  date: '2026-07',
  source: 'Lei 12.703/2012: 0,5 % ao mês mais a TR acima, com a Selic acima de 8,5 %',
} as const;

export const table: Scenario = {
  version: 'scenario-2026-07',
  validFrom: '2026-07-01',
  indexers: { TR: figure('2.0', TR), IPCA: figure('3.80', FOCUS), POUPANCA: figure('8.29', SAVINGS) },
};
