import { type Centavos, centavos } from '#shared/domain/values/money.ts';
import { mipRates } from './insurance.ts';
import { effectiveAnnualPercent, monthlyPercent, monthlyRate } from './rate.ts';
import { inverse, percent, portion, ratioOf, remembered } from './ratio.ts';
import { marketMip, TABLES, type Tables } from './tables/in-force.ts';
import type { BankTable, Figure, HousingRules, PublishedRate } from './tables/table.ts';

const money = (figure: Figure): Centavos => portion(100, ratioOf(figure.value));

/** A bank's table, ready to compute with: exact ratios, amounts in centavos, terms in months. */
export type BankTerms = ReturnType<typeof makeTerms>;

const makeTerms = (table: BankTable, tables: Tables) =>
  ({
    table,
    mipRates: mipRates(table.mip.anchors, marketMip(table.mip.market, tables)),
    /** Of the property's value, a month. */
    dfiRate: percent(table.dfi.value),
    /** The same as published: percent a month. */
    dfiPercent: Number(table.dfi.value),
    monthlyFee: money(table.monthlyFee),
    appraisalFee: money(table.appraisalFee),
    shortestTerm: Number(table.shortestTerm.value),
    longestTerm: Number(table.longestTerm.value),
    leastFinanced: money(table.leastFinanced),
    /** Expenses included; undefined where the bank names none. */
    largestFinanced: table.largestFinanced && money(table.largestFinanced),
    /** 0 where the bank names none. */
    leastProperty: table.leastProperty ? money(table.leastProperty) : centavos(0),
    /** Income needed for one centavo of the first instalment. */
    incomePerInstalment: inverse(ratioOf(table.incomeShare.value)),
  }) as const;

const knownTerms = /* @__PURE__ */ new WeakMap<BankTable, BankTerms>();

/** The terms of a table, computed on first use. */
export function termsOf(table: BankTable, tables: Tables = TABLES): BankTerms {
  const terms = knownTerms.get(table) ?? makeTerms(table, tables);
  knownTerms.set(table, terms);
  return terms;
}

/** A published rate, ready to compute with. */
export type RateTerms = ReturnType<typeof rateTermsOf>;

/** The terms of a rate, computed on first use: the monthly one of an annual rate is a 12th root of 30 decimals. */
export const rateTermsOf = /* @__PURE__ */ remembered((published: PublishedRate) => {
  const monthly = monthlyRate(published.rate.value, published.basis);
  return {
    published,
    segment: published.segment,
    monthlyRate: monthly,
    /** Effective, percent a year with 2 decimals. */
    annualPercent: effectiveAnnualPercent(monthly),
    /** Percent a month with 4 decimals, for display only. */
    monthlyPercent: monthlyPercent(monthly),
    /** Highest part of the property's value that may be lent. */
    share: percent(published.share.value),
    /** The same in percent. */
    sharePercent: Number(published.share.value),
  } as const;
}, new WeakMap());

/** Limits that hold for every bank, ready to compute with. */
export type HousingLimits = ReturnType<typeof limitsOf>;

/** The limits of dated rules. */
export const limitsOf = (rules: HousingRules) =>
  ({
    /** Months. */
    longestTerm: Number(rules.longestTerm.value),
    /** Completed years. */
    youngest: Number(rules.youngest.value),
    oldest: Number(rules.oldest.value),
    /** Months of age at the last due date. */
    oldestAtTheEnd: Number(rules.oldestAtTheEnd.value),
    sfhProperty: money(rules.sfhProperty),
    /** Percent a year. */
    sfhRate: ratioOf(rules.sfhRate.value),
    /** Monthly fee that does not count towards the SFH's rate. */
    sfhFee: money(rules.sfhFee),
    /** ITBI and registration, of the property's value. */
    expenses: percent(rules.expenses.value),
    /** Of banks that name none. */
    largestFinanced: money(rules.largestFinanced),
    /** The housing programme's middle class: highest income a month and property. */
    programme: { income: money(rules.programmeIncome), property: money(rules.programmeProperty) },
  }) as const;
