import { type Centavos, centavos } from '#shared/domain/values/money.ts';
import { mipRates } from './insurance.ts';
import { effectiveAnnualPercent, monthlyPercent, monthlyRate } from './rate.ts';
import { inverse, percent, portion, ratioOf, remembered } from './ratio.ts';
import { conditionsDate } from './tables/conditions-date.ts';
import { marketMip, TABLES, type Tables } from './tables/in-force.ts';
import type { BankTable, Figure, HousingRules, PublishedRate } from './tables/table.ts';

const money = (figure: Figure): Centavos => portion(100, ratioOf(figure.value));

export type BankTerms = ReturnType<typeof makeTerms>;

const makeTerms = (table: BankTable, tables: Tables) =>
  ({
    table,
    mipRates: mipRates(table.mip.anchors, marketMip(table.mip.market, tables)),
    /** Part of the property's value, each month. */
    dfiRate: percent(table.dfi.value),
    /** In percent a month. */
    dfiPercent: Number(table.dfi.value),
    monthlyFee: money(table.monthlyFee),
    appraisalFee: money(table.appraisalFee),
    shortestTerm: Number(table.shortestTerm.value),
    longestTerm: Number(table.longestTerm.value),
    leastFinanced: money(table.leastFinanced),
    /** Largest loan, expenses included. Undefined if the bank names none. */
    largestFinanced: table.largestFinanced && money(table.largestFinanced),
    /** Lowest property value that the bank accepts; 0 if the bank names none. */
    leastProperty: table.leastProperty ? money(table.leastProperty) : centavos(0),
    incomePerInstalment: inverse(ratioOf(table.incomeShare.value)),
    conditionsDate: conditionsDate(table, tables),
  }) as const;

const knownTerms = /* @__PURE__ */ new WeakMap<BankTable, BankTerms>();

export function termsOf(table: BankTable, tables: Tables = TABLES): BankTerms {
  const terms = knownTerms.get(table) ?? makeTerms(table, tables);
  knownTerms.set(table, terms);
  return terms;
}

export type RateTerms = ReturnType<typeof rateTermsOf>;

/** Computed on first use, because the 12th root with 30 decimals takes time. */
export const rateTermsOf = /* @__PURE__ */ remembered((published: PublishedRate) => {
  const monthly = monthlyRate(published.rate.value, published.basis);
  return {
    published,
    segment: published.segment,
    monthlyRate: monthly,
    /** Effective rate, in percent a year with 2 decimals. */
    annualPercent: effectiveAnnualPercent(monthly),
    /** In percent a month with 4 decimals; only for display. */
    monthlyPercent: monthlyPercent(monthly),
    share: percent(published.share.value),
    /** In percent. */
    sharePercent: Number(published.share.value),
  } as const;
}, new WeakMap());

export type HousingLimits = ReturnType<typeof limitsOf>;

export const limitsOf = (rules: HousingRules) =>
  ({
    /** In months. */
    longestTerm: Number(rules.longestTerm.value),
    /** In completed years. */
    youngest: Number(rules.youngest.value),
    oldest: Number(rules.oldest.value),
    /** Age on the last due date, in months. */
    oldestAtTheEnd: Number(rules.oldestAtTheEnd.value),
    sfhProperty: money(rules.sfhProperty),
    /** In percent a year. */
    sfhRate: ratioOf(rules.sfhRate.value),
    sfhFee: money(rules.sfhFee),
    /** ITBI and registration, as a part of the property's value. */
    expenses: percent(rules.expenses.value),
    largestFinanced: money(rules.largestFinanced),
    programme: { income: money(rules.programmeIncome), property: money(rules.programmeProperty) },
  }) as const;
