// Checks the tables in every build, before they may price. There are four kinds of faults, and each names file and row:
//   form         a figure that is not a number or has no date or source, or bands that overlap
//   plausibility a figure that this market has never seen (plausible.ts)
//   jumps        a difference from the version before or from a similar rate, without a `confirmed` reason (jumps.ts)
//   history      a published table that was changed or removed (lock.ts)

import { SEGMENTS, type Segment } from '#shared/domain/simulations/simulation.ts';
import { BANKS, type Bank, bankName } from '#shared/domain/values/bank.ts';
import { addMonths, type Day, isDay, parseDay } from '#shared/domain/values/clock.ts';
import { STATES } from '#shared/domain/values/postal-code.ts';
import { mipBand } from '../insurance.ts';
import { isPageOf } from './bank-pages.ts';
import { firstDayOf, lastDayOf, lastDayOfUse, RATE_DAYS, rateAgeDays, TABLES, type Tables } from './in-force.ts';
import { bankRows, changes, type Doubt, jumps, type Rows, rateDoubts, rowsOf } from './jumps.ts';
import { fingerprint, LOCK } from './lock.ts';
import {
  type Bounds,
  dateFault,
  figureFaults,
  isBounded,
  MIP,
  OLDEST_INSURED,
  PLAUSIBLE,
  YOUNGEST_INSURED,
} from './plausible.ts';
import type {
  BankTable,
  CreditTax,
  Figure,
  HousingRules,
  MarketMip,
  PublishedRate,
  RateEvidence,
  RateFigure,
  Scenario,
  Versioned,
} from './table.ts';

/** `until` is the last day on which the row's figures may have been published. */
interface Report {
  (row: string, fault: string): void;
  readonly until: Day;
}

/** `rows` returns the rows that are compared with the version before. */
interface Kind<T extends Versioned> {
  readonly name: string;
  readonly versions: readonly T[];
  readonly check: (report: Report, version: T) => void;
  readonly rows?: (version: T) => Rows;
  /** Returns rows that do not fit other rows of this version or of the version before. */
  readonly unlike?: (version: T, before: T | undefined) => readonly Doubt[];
}

function checkFigure(report: Report, row: string, figure: Figure, bounds: Bounds): void {
  for (const fault of figureFaults(figure, bounds, report.until)) report(row, fault);
}

function checkFigures(
  report: Report,
  figures: { readonly [row in keyof typeof PLAUSIBLE]?: Figure | undefined },
): void {
  for (const row of Object.keys(figures).filter(isBounded)) {
    const figure = figures[row];
    if (figure) checkFigure(report, row, figure, PLAUSIBLE[row]);
  }
}

function checkEvidence(report: Report, row: string, bank: Bank, evidence: RateEvidence): void {
  checkDaySeen(report, row, evidence.date);
  if ('address' in evidence && !isPageOf(bank, evidence.address))
    report(`${row}.address`, `'${evidence.address}' is not an https address of ${bankName(bank)}`);
}

/** The evidence must be from after the last day that the rate's date allows, and not from after `until`. */
function checkStillShown(report: Report, row: string, bank: Bank, { date, stillShown }: RateFigure): void {
  if (stillShown === undefined) return;
  const day = parseDay(stillShown.date);
  if (day !== undefined && day <= report.until && dateFault(date, report.until) === undefined && day <= lastDayOf(date))
    report(row, `was read on ${day}, which is not after the rate's date ${date}`);
  checkEvidence(report, row, bank, stillShown);
}

function checkRates(report: Report, table: BankTable, tables: Tables): void {
  if (table.rates.length === 0) report('rates', 'has no rates');
  const rowOf = ({ segment, system }: PublishedRate) => `rates.${segment}.${system}`;
  for (const [index, rate] of table.rates.entries()) {
    const row = rowOf(rate);
    const bounds = rate.basis === 'monthly' ? PLAUSIBLE.monthlyRate : PLAUSIBLE.annualRate;
    checkFigure(report, row, rate.rate, bounds);
    checkFigure(report, `${row}.share`, rate.share, PLAUSIBLE.share);
    if (!rate.rate.source?.includes(bankName(table.bank)))
      report(row, `has a source that is not ${bankName(table.bank)}`);
    const { date, stillShown } = rate.rate;
    checkStillShown(report, `${row}.stillShown`, table.bank, rate.rate);
    const firstDay = parseDay(table.validFrom);
    const isDated = firstDay !== undefined && dateFault(date, firstDay) === undefined;
    if (isDated && (stillShown === undefined || isDay(stillShown.date))) {
      const age = rateAgeDays(table, rate, firstDay, tables);
      if (lastDayOfUse(table, rate, RATE_DAYS, tables) < firstDay)
        report(row, `is ${age} days old on the table's first day: look it up again`);
    }
    if (!SEGMENTS.includes(rate.segment)) report(row, `'${rate.segment}' is not a segment`);
    if (table.rates.findIndex((other) => rowOf(other) === row) !== index) report(row, 'is in the table twice');
    if (!table.rates.some(({ segment, system }) => segment === 'padrao' && system === rate.system))
      report(row, 'holds only for a segment: all other customers need a row padrao');
  }
}

function checkMip(report: Report, table: BankTable, tables: Tables): void {
  for (const [index, anchor] of table.mip.anchors.entries()) {
    const row = `mip.anchors[${index}] (age ${anchor.age})`;
    checkFigure(report, row, anchor.rate, MIP);
    if (!Number.isInteger(anchor.age) || anchor.age < YOUNGEST_INSURED || anchor.age > OLDEST_INSURED)
      report(row, 'is not an insured age');
    const before = table.mip.anchors[index - 1];
    if (before === undefined) continue;
    if (mipBand(anchor.age) === mipBand(before.age)) report(row, `overlaps the band of age ${before.age}`);
    else if (anchor.age < before.age) report(row, `comes after age ${before.age}`);
    else if (Number(anchor.rate.value) < Number(before.rate.value)) report(row, `is below age ${before.age}`);
  }
  if (!tables.marketMip.some((market) => market.version === table.mip.market))
    report('mip.market', `there is no table ${table.mip.market}`);
}

function checkTermsAndAmounts(report: Report, table: BankTable): void {
  const { shortestTerm, longestTerm, leastFinanced, largestFinanced, leastProperty, appraisalFee } = table;
  const { dfi, monthlyFee, incomeShare } = table;
  checkFigures(report, { shortestTerm, longestTerm, leastFinanced, largestFinanced, leastProperty });
  checkFigures(report, { dfi, monthlyFee, appraisalFee, incomeShare });
  if (Number(shortestTerm.value) > Number(longestTerm.value)) report('shortestTerm', 'is longer than longestTerm');
  if (largestFinanced && Number(largestFinanced.value) <= Number(leastFinanced.value))
    report('largestFinanced', 'is not above leastFinanced');
  if (Number(appraisalFee.value) >= Number(leastFinanced.value)) report('appraisalFee', 'is not below leastFinanced');
}

function checkDaySeen(report: Report, row: string, date: string): void {
  const day = parseDay(date);
  if (day === undefined) report(row, `'${date}' is not a day`);
  else if (day > report.until) report(row, `was read on ${day}, after ${report.until}`);
}

function checkDaysSeen(report: Report, { bank, seen, excludedStates }: BankTable): void {
  if (seen !== undefined) checkDaySeen(report, 'seen', seen);
  if (excludedStates === undefined) return;
  const { values, date, address } = excludedStates;
  const row = 'excludedStates';
  checkDaySeen(report, row, date);
  if (!isPageOf(bank, address)) report(row, `'${address}' is not an https address of ${bankName(bank)}`);
  if (values.length === 0) report(row, 'names none: leave it out if no page excludes any');
  for (const [index, state] of values.entries()) {
    if (!STATES.includes(state)) report(row, `'${state}' is not a state`);
    else if (values.indexOf(state) !== index) report(row, `has ${state} twice`);
  }
}

function checkMarket(report: Report, market: MarketMip): void {
  let expected = YOUNGEST_INSURED;
  for (const [index, band] of market.bands.entries()) {
    const row = `bands[${index}] (${band.from} to ${band.to})`;
    checkFigure(report, row, band.rate, MIP);
    if (band.to < band.from) report(row, 'ends before it begins');
    if (band.from < expected) report(row, `overlaps the band before: ${expected} expected`);
    if (band.from > expected) report(row, `leaves out the ages ${expected} to ${band.from - 1}`);
    const before = market.bands[index - 1];
    if (before && Number(band.rate.value) < Number(before.rate.value)) report(row, 'is below the band before');
    expected = band.to + 1;
  }
  if (expected <= OLDEST_INSURED)
    report(`bands[${market.bands.length}]`, `leaves out the ages ${expected} to ${OLDEST_INSURED}`);
}

/** All fields except those of Versioned are figures, and PLAUSIBLE has their bounds under the same names. */
function checkNamed(report: Report, table: HousingRules | CreditTax): void {
  const { version: _, validFrom: __, confirmed: ___, ...figures } = table;
  checkFigures(report, figures);
}

function checkScenario(report: Report, scenario: Scenario): void {
  for (const [indexer, figure] of Object.entries(scenario.indexers))
    checkFigure(report, `indexers.${indexer}`, figure, PLAUSIBLE.inflation);
}

/**
 * Returns the month in the name of a version: `2026-12` for `itau-2026-12`. A name may also end in a day, for a bank
 * that publishes twice in a month. A table that is not a bank's may be named after a year, which is returned then.
 * Undefined if the name is not `name` with a date.
 */
function periodOf(name: string, version: string): string | undefined {
  const date = version.startsWith(`${name}-`) ? version.slice(name.length + 1) : '';
  const isOfBank = BANKS.some((bank) => bank === name);
  const isDated = (isOfBank ? /^\d{4}-\d{2}(-\d{2})?$/ : /^\d{4}(-\d{2}){0,2}$/).test(date);
  return isDated && dateFault(date, '9999-12-31') === undefined ? date.slice(0, '2026-12'.length) : undefined;
}

const monthOf = (day: Day) => day.slice(0, '2026-01'.length);

function checkVersion(
  report: Report,
  name: string,
  version: Versioned,
  before: Versioned | undefined,
  today: Day,
): void {
  const period = periodOf(name, version.version);
  if (period === undefined) report('version', `is not ${name}-<year>-<month>`);
  const validFrom = parseDay(version.validFrom);
  if (validFrom === undefined) report('validFrom', 'is not a day');
  else {
    if (validFrom > addMonths(today, 12)) report('validFrom', `${validFrom} is more than a year ahead`);
    const isNear =
      period === undefined ||
      (validFrom >= firstDayOf(period) && monthOf(validFrom) <= monthOf(addMonths(lastDayOf(period), 1)));
    if (!isNear) report('validFrom', `${validFrom} is neither in ${period} nor in the month after`);
  }
  if (before && version.validFrom <= before.validFrom) report('validFrom', `is not after ${before.version}`);
}

function checkLock(report: Report, version: Versioned, lock: Readonly<Record<string, string>>): void {
  const published = lock[version.version];
  const content = fingerprint(version);
  if (published === undefined) report('version', `is not published: lock.ts needs '${version.version}': '${content}'`);
  else if (published !== content) report('version', 'was changed after it was published: new figures need a new file');
}

interface Context {
  readonly today: Day;
  readonly lock: Readonly<Record<string, string>>;
  readonly tables: Tables;
}

function faultsOf<T extends Versioned>(
  { name, versions, check, rows = rowsOf, unlike = () => [] }: Kind<T>,
  context: Context,
): readonly string[] {
  if (versions.length === 0) return [`in-force.ts: ${name}: has no table`];
  const faults: string[] = [];
  for (const [index, version] of versions.entries()) {
    const addFault = (row: string, fault: string) => {
      faults.push(`${version.version}.ts: ${row}: ${fault}`);
    };
    const firstDay = parseDay(version.validFrom);
    const until = firstDay !== undefined && firstDay < context.today ? firstDay : context.today;
    const report: Report = Object.assign(addFault, { until });
    const before = versions[index - 1];
    if (versions.findIndex((other) => other.version === version.version) !== index)
      report('version', 'is taken by another table');
    checkVersion(report, name, version, before, context.today);
    checkLock(report, version, context.lock);
    const faultsBefore = faults.length;
    check(report, version);
    // A version with faults is not compared with the version before: a text that is not a number cannot be compared.
    if (faults.length > faultsBefore) continue;
    const confirmed = version.confirmed ?? {};
    for (const { row, fault } of jumps(before && rows(before), rows(version), confirmed, unlike(version, before)))
      report(row, fault);
  }
  return faults;
}

function bankFaults(bank: Bank, context: Context): readonly string[] {
  const { tables } = context;
  const check = (report: Report, table: BankTable) => {
    if (table.bank !== bank) report('bank', `is not ${bank}`);
    checkRates(report, table, tables);
    checkDaysSeen(report, table);
    checkTermsAndAmounts(report, table);
    checkMip(report, table, tables);
  };
  const unlike: Kind<BankTable>['unlike'] = (table, before) => rateDoubts(table, before, tables.scenarios.at(-1));
  return faultsOf({ name: bank, versions: tables.banks[bank], check, rows: bankRows, unlike }, context);
}

interface ChangedRate {
  readonly segment: Segment;
  readonly evidence: RateEvidence;
  /** The bank's table with the rate, and without it. */
  readonly table: BankTable;
  readonly before: BankTable;
}

/** If the rate has no fault, `doubts` is what needs a reason. */
export function rateFaults(
  { segment, evidence, table, before }: ChangedRate,
  today: Day,
  tables: Tables,
): { readonly faults: readonly string[]; readonly doubts: readonly string[] } {
  // Every system of the segment has the rate, and would repeat the sentence.
  const sentence = (row: string, fault: string) => {
    if (row.endsWith('.address')) return `page: ${fault}`;
    if (row.endsWith('stillShown')) return `seen: ${fault}`;
    const [, of = ''] = row.split('.');
    return `value: ${of === segment ? '' : `${of} `}${fault}`;
  };
  const faults = new Set<string>();
  const addFault = (row: string, fault: string) => {
    if (row.startsWith('stillShown') || row.startsWith(`rates.${segment}.`)) faults.add(sentence(row, fault));
  };
  const report: Report = Object.assign(addFault, { until: today });
  checkEvidence(report, 'stillShown', table.bank, evidence);
  checkRates(report, table, tables);
  // As in faultsOf, a rate with faults is not compared.
  if (faults.size > 0) return { faults: Array.from(faults), doubts: [] };
  const scenario = tables.scenarios.at(-1);
  const sentences = (doubts: readonly Doubt[]) => doubts.map(({ row, fault }) => sentence(row, fault));
  const known = sentences(rateDoubts(before, before, scenario));
  const doubts = sentences(changes(bankRows(before), bankRows(table)).concat(rateDoubts(table, before, scenario)));
  return { faults: [], doubts: Array.from(new Set(doubts)).filter((doubt) => !known.includes(doubt)) };
}

function goneFaults({ tables, lock }: Context): readonly string[] {
  const { banks, marketMip, housingRules, creditTax, scenarios } = tables;
  const kinds: readonly (readonly Versioned[])[] = [marketMip, housingRules, creditTax, scenarios];
  const versions = kinds.concat(Object.values(banks)).flat();
  const there = new Set(versions.map(({ version }) => version));
  return Object.keys(lock)
    .filter((version) => !there.has(version))
    .map((version) => `lock.ts: ${version}: its table is gone`);
}

/**
 * Each fault is `<file>.ts: <row>: <what is wrong>`. `today` is the day of the build: a table may come into use at most
 * a year later.
 */
export function tableFaults(
  today: Day,
  tables: Tables = TABLES,
  lock: Readonly<Record<string, string>> = LOCK,
): readonly string[] {
  const context: Context = { today, lock, tables };
  return [
    BANKS.flatMap((bank) => bankFaults(bank, context)),
    faultsOf({ name: 'market-mip', versions: tables.marketMip, check: checkMarket }, context),
    faultsOf({ name: 'housing-rules', versions: tables.housingRules, check: checkNamed }, context),
    faultsOf({ name: 'credit-tax', versions: tables.creditTax, check: checkNamed }, context),
    faultsOf({ name: 'scenario', versions: tables.scenarios, check: checkScenario }, context),
    goneFaults(context),
  ].flat();
}

/** Throws an Error that names file and row of every fault. */
export function validateTables(
  today: Day,
  tables: Tables = TABLES,
  lock: Readonly<Record<string, string>> = LOCK,
): void {
  const faults = tableFaults(today, tables, lock);
  if (faults.length > 0) throw new Error(`pricing tables are not sound:\n${faults.join('\n')}`);
}
