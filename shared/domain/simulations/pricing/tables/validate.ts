import { BANKS } from '../../../values/bank.ts';
import { parseDay } from '../../../values/clock.ts';
import { AMORTIZATION_SYSTEMS } from '../../simulation.ts';
import { mipBand } from '../insurance.ts';
import { compareRatios, ratioOf } from '../ratio.ts';
import { TABLES, type Tables } from './in-force.ts';
import type { BankTable, Figure, HousingRules, MarketMip } from './table.ts';

/** Ages in completed years for which a premium must be known. */
const YOUNGEST = 18;
const OLDEST = 80;
/** Percent of the property's value that ITBI and registration may be estimated at. */
const MOST_EXPENSES = 20;

/** Reports a fault of a row. */
type Report = (row: string, fault: string) => void;

/** What a figure may be: above zero and a decimal, unless said otherwise. */
interface Bounds {
  readonly zero?: true;
  readonly most?: string;
  readonly whole?: true;
  readonly fraction?: true;
  readonly decimals?: number;
}

function figureFaults(figure: Figure, bounds: Bounds, validFrom: string): readonly string[] {
  const pattern = bounds.fraction ? /^\d+(\/0*[1-9]\d*)?$/ : bounds.whole ? /^\d+$/ : /^\d+(\.\d+)?$/;
  if (!pattern.test(figure.value)) return [`'${figure.value}' is not a number`];
  const value = ratioOf(figure.value);
  const faults: string[] = [];
  if (value.numerator === 0n && !bounds.zero) faults.push('is zero');
  if (bounds.most !== undefined && compareRatios(value, ratioOf(bounds.most)) > 0)
    faults.push(`${figure.value} is above ${bounds.most}`);
  if (bounds.decimals !== undefined && (figure.value.split('.')[1] ?? '').length > bounds.decimals)
    faults.push(`${figure.value} has more than ${bounds.decimals} decimals`);
  if (!/^\d{4}(-(0[1-9]|1[0-2])(-\d{2})?)?$/.test(figure.date)) faults.push('has no date of publication');
  else if (figure.date > validFrom) faults.push(`was published in ${figure.date}, after the table came into use`);
  if (figure.source.trim() === '') faults.push('has no source');
  return faults;
}

function checkFigure(report: Report, row: string, figure: Figure, bounds: Bounds, validFrom: string): void {
  for (const fault of figureFaults(figure, bounds, validFrom)) report(row, fault);
}

const MONEY: Bounds = { decimals: 2, most: '100000000' };
const MONTHLY_PERCENT: Bounds = { most: '5' };

function checkBank(report: Report, table: BankTable, tables: Tables): void {
  const check = (row: string, figure: Figure, bounds: Bounds) =>
    checkFigure(report, row, figure, bounds, table.validFrom);
  check('annualRate', table.annualRate, { most: '50', decimals: 4 });
  if (!AMORTIZATION_SYSTEMS.some((system) => table.systems[system])) report('systems', 'offers none');
  for (const system of AMORTIZATION_SYSTEMS) {
    const share = table.systems[system]?.share;
    if (share === undefined) continue;
    check(`systems.${system}.share`, share, { most: '100' });
    if (table.financesExpenses && Number(share.value) <= MOST_EXPENSES)
      report(`systems.${system}.share`, 'leaves nothing beside the financed expenses');
  }
  check('shortestTerm', table.shortestTerm, { whole: true });
  check('longestTerm', table.longestTerm, { whole: true, most: '420' });
  if (Number(table.shortestTerm.value) > Number(table.longestTerm.value))
    report('shortestTerm', 'is longer than the longest');
  check('leastFinanced', table.leastFinanced, MONEY);
  if (table.leastProperty) check('leastProperty', table.leastProperty, MONEY);
  if (Number(table.appraisalFee.value) >= Number(table.leastFinanced.value))
    report('appraisalFee', 'takes up the least financed value');
  for (const [index, anchor] of table.mip.anchors.entries()) {
    const row = `mip.anchors[${index}] (age ${anchor.age})`;
    check(row, anchor.rate, MONTHLY_PERCENT);
    if (!Number.isInteger(anchor.age) || anchor.age < YOUNGEST || anchor.age > OLDEST) report(row, 'is no insured age');
    const before = table.mip.anchors[index - 1];
    if (before === undefined) continue;
    if (mipBand(anchor.age) === mipBand(before.age)) report(row, `overlaps the band of age ${before.age}`);
    else if (anchor.age < before.age) report(row, `comes after age ${before.age}`);
    else if (Number(anchor.rate.value) < Number(before.rate.value)) report(row, `is below age ${before.age}`);
  }
  if (!tables.marketMip.some((market) => market.version === table.mip.market))
    report('mip.market', `there is no table ${table.mip.market}`);
  check('dfi', table.dfi, MONTHLY_PERCENT);
  check('monthlyFee', table.monthlyFee, { ...MONEY, zero: true });
  check('appraisalFee', table.appraisalFee, { ...MONEY, zero: true });
  check('incomeShare', table.incomeShare, { fraction: true, most: '1' });
}

function checkMarket(report: Report, market: MarketMip): void {
  let expected = YOUNGEST;
  for (const [index, band] of market.bands.entries()) {
    const row = `bands[${index}] (${band.from} to ${band.to})`;
    checkFigure(report, row, band.rate, MONTHLY_PERCENT, market.validFrom);
    if (band.to < band.from) report(row, 'ends before it begins');
    if (band.from < expected) report(row, `overlaps the band before: ${expected} expected`);
    if (band.from > expected) report(row, `leaves out the ages ${expected} to ${band.from - 1}`);
    const before = market.bands[index - 1];
    if (before && Number(band.rate.value) < Number(before.rate.value)) report(row, 'is below the band before');
    expected = band.to + 1;
  }
  if (expected <= OLDEST) report(`bands[${market.bands.length}]`, `leaves out the ages ${expected} to ${OLDEST}`);
}

function checkRules(report: Report, rules: HousingRules): void {
  const check = (row: string, figure: Figure, bounds: Bounds) =>
    checkFigure(report, row, figure, bounds, rules.validFrom);
  check('longestTerm', rules.longestTerm, { whole: true, most: '420' });
  check('youngest', rules.youngest, { whole: true, most: String(OLDEST) });
  check('oldest', rules.oldest, { whole: true, most: String(OLDEST) });
  check('oldestAtTheEnd', rules.oldestAtTheEnd, { whole: true, most: String(OLDEST * 12 + 11) });
  check('sfhProperty', rules.sfhProperty, MONEY);
  check('sfhRate', rules.sfhRate, { most: '50' });
  check('expenses', rules.expenses, { most: String(MOST_EXPENSES) });
}

/** Faults of all tables, each as `file.ts: row: what is wrong`; none where every table is sound. */
export function tableFaults(tables: Tables = TABLES): readonly string[] {
  const faults: string[] = [];
  const checkVersions = <T extends { readonly version: string; readonly validFrom: string }>(
    name: string,
    versions: readonly T[],
    check: (report: Report, version: T) => void,
  ) => {
    if (versions.length === 0) faults.push(`in-force.ts: ${name}: has no table`);
    for (const [index, version] of versions.entries()) {
      const report: Report = (row, fault) => {
        faults.push(`${version.version}.ts: ${row}: ${fault}`);
      };
      if (!version.version.startsWith(`${name}-`)) report('version', `is not one of ${name}`);
      if (parseDay(version.validFrom) === undefined) report('validFrom', 'is no day');
      const before = versions[index - 1];
      if (before && version.validFrom <= before.validFrom) report('validFrom', `is not after ${before.version}`);
      if (versions.findIndex((other) => other.version === version.version) !== index)
        report('version', 'is taken by another table');
      check(report, version);
    }
  };
  for (const bank of BANKS)
    checkVersions(bank, tables.banks[bank], (report, table) => {
      if (table.bank !== bank) report('bank', `is not ${bank}`);
      checkBank(report, table, tables);
    });
  checkVersions('market-mip', tables.marketMip, checkMarket);
  checkVersions('housing-rules', tables.housingRules, checkRules);
  return faults;
}

/** For the build: throws an Error that names file and row of every fault of the tables. */
export function validateTables(tables: Tables = TABLES): void {
  const faults = tableFaults(tables);
  if (faults.length > 0) throw new Error(`pricing tables are not sound:\n${faults.join('\n')}`);
}
