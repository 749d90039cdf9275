import type { Bank } from '../../../values/bank.ts';
import type { Day } from '../../../values/clock.ts';
import { table as bradesco202601 } from './bradesco-2026-01.ts';
import { table as brb202601 } from './brb-2026-01.ts';
import { table as cashme202601 } from './cashme-2026-01.ts';
import { table as housingRules202601 } from './housing-rules-2026-01.ts';
import { table as inter202601 } from './inter-2026-01.ts';
import { table as itau202601 } from './itau-2026-01.ts';
import { table as marketMip2025 } from './market-mip-2025.ts';
import { table as santander202601 } from './santander-2026-01.ts';
import type { BankTable, HousingRules, MarketMip } from './table.ts';

/** Every version of every table, oldest first. */
export interface Tables {
  readonly banks: Readonly<Record<Bank, readonly BankTable[]>>;
  readonly marketMip: readonly MarketMip[];
  readonly housingRules: readonly HousingRules[];
}

/** The tables that price; a new version is added here, at the end of its row, and none is ever taken away. */
export const TABLES: Tables = {
  banks: {
    bradesco: [bradesco202601],
    itau: [itau202601],
    santander: [santander202601],
    inter: [inter202601],
    brb: [brb202601],
    cashme: [cashme202601],
  },
  marketMip: [marketMip2025],
  housingRules: [housingRules202601],
};

function newest<T extends { readonly validFrom: string }>(versions: readonly T[], day: Day, what: string): T {
  const found = versions.findLast((version) => version.validFrom <= day);
  if (found === undefined) throw new RangeError(`${what} has no table in force on ${day}`);
  return found;
}

function named<T extends { readonly version: string }>(versions: readonly T[], version: string): T {
  const found = versions.find((candidate) => candidate.version === version);
  if (found === undefined) throw new RangeError(`there is no table ${version}`);
  return found;
}

/** The bank's table of a day: the newest that is not in the future. Throws a RangeError before the first one. */
export function tableFor(bank: Bank, day: Day, tables: Tables = TABLES): BankTable {
  return newest(tables.banks[bank], day, bank);
}

/** The bank's table that priced a stored offer. Throws a RangeError where there is no such version. */
export function tableVersion(bank: Bank, version: string, tables: Tables = TABLES): BankTable {
  return named(tables.banks[bank], version);
}

/** The market's MIP that a bank's table names. Throws a RangeError where there is no such version. */
export function marketMip(version: string, tables: Tables = TABLES): MarketMip {
  return named(tables.marketMip, version);
}

/** The limits of a day that hold for every bank. Throws a RangeError before the first ones. */
export function housingRulesFor(day: Day, tables: Tables = TABLES): HousingRules {
  return newest(tables.housingRules, day, 'housing');
}
