import { type Centavos, centavos } from '../../values/money.ts';
import type { AmortizationSystem, Indexer } from '../simulation.ts';
import { type MipRates, mipRates } from './insurance.ts';
import { effectiveAnnualPercent, monthlyPercent, monthlyRate } from './rate.ts';
import { inverse, percent, portion, type Ratio, ratioOf } from './ratio.ts';
import { marketMip, TABLES, type Tables } from './tables/in-force.ts';
import type { BankTable, Figure, HousingRules } from './tables/table.ts';

/** A bank's table, ready to compute with: exact ratios, amounts in centavos, terms in months. */
export interface BankTerms {
  readonly table: BankTable;
  readonly monthlyRate: Ratio;
  /** Effective, percent a year with 2 decimals. */
  readonly annualPercent: number;
  /** Percent a month with 4 decimals, for display only. */
  readonly monthlyPercent: number;
  readonly mipRates: MipRates;
  /** Of the property's value, a month. */
  readonly dfiRate: Ratio;
  /** The same as published: percent a month. */
  readonly dfiPercent: number;
  readonly monthlyFee: Centavos;
  readonly appraisalFee: Centavos;
  readonly shortestTerm: number;
  readonly longestTerm: number;
  readonly leastFinanced: Centavos;
  /** 0 where the bank names none. */
  readonly leastProperty: Centavos;
  /** Income needed for one centavo of the first instalment. */
  readonly incomePerInstalment: Ratio;
}

/** What a bank lends against under one amortization system. */
export interface Collateral {
  readonly indexer: Indexer;
  /** Highest part of the property's value that may be lent. */
  readonly share: Ratio;
  /** The same in percent. */
  readonly sharePercent: number;
}

function money(figure: Figure): Centavos {
  return portion(100, ratioOf(figure.value));
}

const known = /* @__PURE__ */ new WeakMap<BankTable, BankTerms>();

/** The terms of a table, computed on first use: the monthly rate is a 12th root of 30 decimals. */
export function termsOf(table: BankTable, tables: Tables = TABLES): BankTerms {
  const found = known.get(table);
  if (found !== undefined) return found;
  const monthly = monthlyRate(table.annualRate.value, table.rateBasis);
  const terms: BankTerms = {
    table,
    monthlyRate: monthly,
    annualPercent: effectiveAnnualPercent(monthly),
    monthlyPercent: monthlyPercent(monthly),
    mipRates: mipRates(table.mip.anchors, marketMip(table.mip.market, tables)),
    dfiRate: percent(table.dfi.value),
    dfiPercent: Number(table.dfi.value),
    monthlyFee: money(table.monthlyFee),
    appraisalFee: money(table.appraisalFee),
    shortestTerm: Number(table.shortestTerm.value),
    longestTerm: Number(table.longestTerm.value),
    leastFinanced: money(table.leastFinanced),
    leastProperty: table.leastProperty ? money(table.leastProperty) : centavos(0),
    incomePerInstalment: inverse(ratioOf(table.incomeShare.value)),
  };
  known.set(table, terms);
  return terms;
}

/** What the bank lends against under a system; undefined where it does not offer it. */
export function collateralOf(table: BankTable, system: AmortizationSystem): Collateral | undefined {
  const offered = table.systems[system];
  if (offered === undefined) return undefined;
  return {
    indexer: offered.indexer,
    share: percent(offered.share.value),
    sharePercent: Number(offered.share.value),
  };
}

/** Limits that hold for every bank, ready to compute with. */
export interface HousingLimits {
  /** Months. */
  readonly longestTerm: number;
  /** Completed years. */
  readonly youngest: number;
  readonly oldest: number;
  /** Months of age at the last due date. */
  readonly oldestAtTheEnd: number;
  readonly sfhProperty: Centavos;
  /** Percent a year. */
  readonly sfhRate: Ratio;
  /** ITBI and registration, of the property's value. */
  readonly expenses: Ratio;
}

/** The limits of dated rules. */
export function limitsOf(rules: HousingRules): HousingLimits {
  return {
    longestTerm: Number(rules.longestTerm.value),
    youngest: Number(rules.youngest.value),
    oldest: Number(rules.oldest.value),
    oldestAtTheEnd: Number(rules.oldestAtTheEnd.value),
    sfhProperty: money(rules.sfhProperty),
    sfhRate: ratioOf(rules.sfhRate.value),
    expenses: percent(rules.expenses.value),
  };
}
