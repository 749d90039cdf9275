// The tables of November 2026, copied. Tests that expect exact prices use these copies, so that a bank's next table
// changes none of them. in-force.test.ts compares each copy with the published table.
import type { Tables } from '#shared/domain/simulations/pricing/tables/in-force.ts';
import { table as bradesco } from './frozen-tables/bradesco-2026-11.ts';
import { table as brb } from './frozen-tables/brb-2026-11.ts';
import { table as cashme } from './frozen-tables/cashme-2026-11.ts';
import { table as creditTax } from './frozen-tables/credit-tax-2015.ts';
import { table as housingRules } from './frozen-tables/housing-rules-2026-04.ts';
import { table as inter } from './frozen-tables/inter-2026-11.ts';
import { table as itau } from './frozen-tables/itau-2026-11.ts';
import { table as marketMip } from './frozen-tables/market-mip-2025.ts';
import { table as santander } from './frozen-tables/santander-2026-11.ts';
import { table as scenario } from './frozen-tables/scenario-2026-07.ts';

/** Tables that never change: the first published version of each table. */
export const FROZEN_TABLES: Tables = {
  banks: {
    bradesco: [bradesco],
    itau: [itau],
    santander: [santander],
    inter: [inter],
    brb: [brb],
    cashme: [cashme],
  },
  marketMip: [marketMip],
  housingRules: [housingRules],
  creditTax: [creditTax],
  scenarios: [scenario],
};
