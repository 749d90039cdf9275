import { table as before } from './inter-2026-11.ts';
import type { BankTable } from './table.ts';

export const table: BankTable = {
  ...before,
  version: 'inter-2026-12',
  validFrom: '2026-12-01',
  // A copy without a date, read on this day, has our share, longest term, least loan and least property. It also
  // excludes rural property, warehouses and land, which no request names.
  excludedStates: {
    values: ['AC', 'AM', 'AP', 'PA', 'RO', 'RR', 'TO'],
    date: '2026-11-29',
    address: 'https://blog.bancointer.com.br/o-que-e-financiamento-imobiliario',
  },
  confirmed: { excludedStates: 'the page excludes the North' },
};
