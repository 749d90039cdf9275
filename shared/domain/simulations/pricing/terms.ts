import { type Centavos, centavos } from '../../values/money.ts';
import type { Segment } from '../simulation.ts';
import { type MipRates, mipRates } from './insurance.ts';
import { effectiveAnnualPercent, monthlyPercent, monthlyRate } from './rate.ts';
import { inverse, percent, portion, type Ratio, ratioOf } from './ratio.ts';
import { marketMip, TABLES, type Tables } from './tables/in-force.ts';
import type { BankTable, Figure, HousingRules, PublishedRate } from './tables/table.ts';

/** A bank's table, ready to compute with: exact ratios, amounts in centavos, terms in months. */
export interface BankTerms {
  readonly table: BankTable;
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
  /** Expenses included; undefined where the bank names none. */
  readonly largestFinanced: Centavos | undefined;
  /** 0 where the bank names none. */
  readonly leastProperty: Centavos;
  /** Income needed for one centavo of the first instalment. */
  readonly incomePerInstalment: Ratio;
}

/** A published rate, ready to compute with. */
export interface RateTerms {
  readonly published: PublishedRate;
  readonly segment: Segment;
  readonly monthlyRate: Ratio;
  /** Effective, percent a year with 2 decimals. */
  readonly annualPercent: number;
  /** Percent a month with 4 decimals, for display only. */
  readonly monthlyPercent: number;
  /** Highest part of the property's value that may be lent. */
  readonly share: Ratio;
  /** The same in percent. */
  readonly sharePercent: number;
}

const money = (figure: Figure): Centavos => portion(100, ratioOf(figure.value));

const knownTerms = /* @__PURE__ */ new WeakMap<BankTable, BankTerms>();

/** The terms of a table, computed on first use. */
export function termsOf(table: BankTable, tables: Tables = TABLES): BankTerms {
  const found = knownTerms.get(table);
  if (found !== undefined) return found;
  const terms: BankTerms = {
    table,
    mipRates: mipRates(table.mip.anchors, marketMip(table.mip.market, tables)),
    dfiRate: percent(table.dfi.value),
    dfiPercent: Number(table.dfi.value),
    monthlyFee: money(table.monthlyFee),
    appraisalFee: money(table.appraisalFee),
    shortestTerm: Number(table.shortestTerm.value),
    longestTerm: Number(table.longestTerm.value),
    leastFinanced: money(table.leastFinanced),
    largestFinanced: table.largestFinanced && money(table.largestFinanced),
    leastProperty: table.leastProperty ? money(table.leastProperty) : centavos(0),
    incomePerInstalment: inverse(ratioOf(table.incomeShare.value)),
  };
  knownTerms.set(table, terms);
  return terms;
}

const knownRates = /* @__PURE__ */ new WeakMap<PublishedRate, RateTerms>();

/** The terms of a rate, computed on first use: the monthly one of an annual rate is a 12th root of 30 decimals. */
export function rateTermsOf(published: PublishedRate): RateTerms {
  const found = knownRates.get(published);
  if (found !== undefined) return found;
  const monthly = monthlyRate(published.rate.value, published.basis);
  const terms: RateTerms = {
    published,
    segment: published.segment,
    monthlyRate: monthly,
    annualPercent: effectiveAnnualPercent(monthly),
    monthlyPercent: monthlyPercent(monthly),
    share: percent(published.share.value),
    sharePercent: Number(published.share.value),
  };
  knownRates.set(published, terms);
  return terms;
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
  /** Monthly fee that does not count towards the SFH's rate. */
  readonly sfhFee: Centavos;
  /** ITBI and registration, of the property's value. */
  readonly expenses: Ratio;
  /** Of banks that name none. */
  readonly largestFinanced: Centavos;
  /** The housing programme's middle class: highest income a month and property. */
  readonly programme: { readonly income: Centavos; readonly property: Centavos };
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
    sfhFee: money(rules.sfhFee),
    expenses: percent(rules.expenses.value),
    largestFinanced: money(rules.largestFinanced),
    programme: { income: money(rules.programmeIncome), property: money(rules.programmeProperty) },
  };
}
