import type { AmortizationSystem, Indexer, Segment } from '#shared/domain/simulations/simulation.ts';
import type { Bank } from '#shared/domain/values/bank.ts';
import { addDays, addMonths, type Day, dayOf, daysBetween } from '#shared/domain/values/clock.ts';
import { table as bradesco202611 } from './bradesco-2026-11.ts';
import { table as brb202611 } from './brb-2026-11.ts';
import { table as cashme202611 } from './cashme-2026-11.ts';
import { table as creditTax2015 } from './credit-tax-2015.ts';
import { table as housingRules202604 } from './housing-rules-2026-04.ts';
import { table as inter202611 } from './inter-2026-11.ts';
import { table as inter202612 } from './inter-2026-12.ts';
import { table as itau202611 } from './itau-2026-11.ts';
import { table as marketMip2025 } from './market-mip-2025.ts';
import { table as santander202611 } from './santander-2026-11.ts';
import { table as scenario202607 } from './scenario-2026-07.ts';
import type {
  BankTable,
  CreditTax,
  Figure,
  HousingRules,
  MarketMip,
  PublishedRate,
  Scenario,
  Versioned,
} from './table.ts';

/** Oldest first. */
export interface Tables {
  readonly banks: Readonly<Record<Bank, readonly BankTable[]>>;
  readonly marketMip: readonly MarketMip[];
  readonly housingRules: readonly HousingRules[];
  readonly creditTax: readonly CreditTax[];
  readonly scenarios: readonly Scenario[];
}

/** The tables that price. A new version is added here, at the end of its row. No version is ever removed. */
export const TABLES: Tables = {
  banks: {
    bradesco: [bradesco202611],
    itau: [itau202611],
    santander: [santander202611],
    inter: [inter202611, inter202612],
    brb: [brb202611],
    cashme: [cashme202611],
  },
  marketMip: [marketMip2025],
  housingRules: [housingRules202604],
  creditTax: [creditTax2015],
  scenarios: [scenario202607],
};

function newest<T extends { readonly validFrom: string }>(versions: readonly T[], day: Day, what: string): T {
  const found = versions.findLast((version) => version.validFrom <= day);
  if (found === undefined) throw new RangeError(`${what} has no table in force on ${day}`);
  return found;
}

function versionNamed<T extends { readonly version: string }>(versions: readonly T[], version: string): T {
  const found = versions.find((candidate) => candidate.version === version);
  if (found === undefined) throw new RangeError(`there is no table ${version}`);
  return found;
}

/** Throws a RangeError if no table is in force on the day. */
export const tableFor = (bank: Bank, day: Day, tables: Tables = TABLES): BankTable =>
  newest(tables.banks[bank], day, bank);

/** Throws a RangeError if there is no such version. */
export const tableVersion = (bank: Bank, version: string, tables: Tables = TABLES): BankTable =>
  versionNamed(tables.banks[bank], version);

/** Throws a RangeError if there is no such version. */
export const marketMip = (version: string, tables: Tables = TABLES): MarketMip =>
  versionNamed(tables.marketMip, version);

/** Throws a RangeError if no limits hold on the day. */
export const housingRulesFor = (day: Day, tables: Tables = TABLES): HousingRules =>
  newest(tables.housingRules, day, 'housing');

/** Throws a RangeError if no table holds on the day. */
export const creditTaxFor = (day: Day, tables: Tables = TABLES): CreditTax =>
  newest(tables.creditTax, day, 'the tax on credit');

/** Throws a RangeError if no scenario holds on the day. */
export const scenarioFor = (day: Day, tables: Tables = TABLES): Scenario =>
  newest(tables.scenarios, day, 'the scenario');

/** Returns the last day on which a scenario's figure for an indexer may have been published. */
export function scenarioDay(indexer: Exclude<Indexer, 'PREFIXADO'>, scenario: Scenario, { scenarios }: Tables): Day {
  return lastDayOfPublication(scenarios, scenario, scenario.indexers[indexer], ({ indexers }) => indexers[indexer]);
}

/**
 * Returns the rate of a segment's customer under a system. Undefined if the bank does not offer the system. A segment
 * without a rate of its own has the rate of `padrao`, the ordinary branch customer. Rates of other segments never hold
 * for it (shared/domain/simulations/pricing/README.md, rule 13).
 */
export function rateFor(table: BankTable, segment: Segment, system: AmortizationSystem): PublishedRate | undefined {
  const offered = table.rates.filter((rate) => rate.system === system);
  return offered.find((rate) => rate.segment === segment) ?? offered.find((rate) => rate.segment === 'padrao');
}

/** `2026-07` is 2026-07-01. Throws a RangeError if the text is not a date. */
export const firstDayOf = (date: string): Day => dayOf(`${date}-01-01`.slice(0, '2026-01-01'.length));

/** `2026-07` is 2026-07-31. Throws a RangeError if the text is not a date. */
export function lastDayOf(date: string): Day {
  const [year, month = '12', day] = date.split('-');
  return day ? dayOf(date) : addMonths(dayOf(`${year}-01-31`), Number(month) - 1);
}

/** Whether two figures are the same publication. `stillShown` makes no difference. */
export const isSameFigure = (one: Figure, other: Figure): boolean =>
  one.value === other.value && one.date === other.date && one.source === other.source;

/** Returns the first day of the versions that have had a figure without interruption up to `version`. */
export function firstUseOf<T extends Versioned>(
  versions: readonly T[],
  version: T,
  figure: Figure,
  figureOf: (version: T) => Figure | undefined,
): Day {
  const isAnother = (other: T) => {
    const found = figureOf(other);
    return found === undefined || !isSameFigure(found, figure);
  };
  const upToVersion = versions.slice(0, versions.indexOf(version) + 1);
  return dayOf((upToVersion[upToVersion.findLastIndex(isAnother) + 1] ?? version).validFrom);
}

/**
 * Returns the last day that a figure's date allows, but not a day after the figure's first use. A version that only
 * copies the figure of the version before does not make it newer.
 */
export function lastDayOfPublication<T extends Versioned>(
  versions: readonly T[],
  version: T,
  figure: Figure,
  figureOf: (version: T) => Figure | undefined,
): Day {
  const firstUse = firstUseOf(versions, version, figure, figureOf);
  const published = lastDayOf(figure.date);
  return published < firstUse ? published : firstUse;
}

/** Undefined if the table has no such rate. */
export const rateIn = (
  { rates }: BankTable,
  { segment, system }: Pick<PublishedRate, 'segment' | 'system'>,
): PublishedRate | undefined => rates.find((rate) => rate.segment === segment && rate.system === system);

const lastDayOfRate = (table: BankTable, published: PublishedRate, tables: Tables): Day =>
  lastDayOfPublication(tables.banks[table.bank], table, published.rate, (other) => rateIn(other, published)?.rate);

/**
 * Returns the age of a table's rate on a day, in days: at least this much time had passed since the publication. A date
 * without day or month counts from its last day, but not from a day after the rate's first use.
 */
export const rateAgeDays = (table: BankTable, rate: PublishedRate, day: Day, tables: Tables = TABLES): number =>
  daysBetween(lastDayOfRate(table, rate, tables), day);

/** Days for which a published rate makes offers in production (`rateDays` of each stage). */
export const RATE_DAYS = 365;

/** Most months for which a page of the bank that still shows a rate extends the use of the rate. */
export const LONGEST_EXTENSION = 12;

/**
 * Returns the last day on which a table's rate makes offers in production. That is `rateDays` days after the
 * publication. If a page of the bank still showed the rate later, it is `rateDays` days after that day, but at most
 * LONGEST_EXTENSION months later than without the page.
 */
export function lastDayOfUse(
  table: BankTable,
  published: PublishedRate,
  rateDays: number,
  tables: Tables = TABLES,
): Day {
  const withoutPage = addDays(lastDayOfRate(table, published, tables), rateDays);
  const { stillShown } = published.rate;
  if (stillShown === undefined) return withoutPage;
  const withPage = addDays(dayOf(stillShown.date), rateDays);
  const latest = addMonths(withoutPage, LONGEST_EXTENSION);
  return withPage < latest ? withPage : latest;
}
