// A table beside the version before it. Between two versions a figure moves by points, seldom by a quarter: a move of
// more than 25 % is more often a slip of the keyboard than news. Such a row, another indexer or basis, and a row that is
// gone are refused until the table's `confirmed` says why. Rates are compared as effective annual ones, premiums by age:
// two tables may state a rate on different bases and have anchors at different ages.
import { mipRates } from '../insurance.ts';
import { compareRatios, percent, type Ratio, ratio, ratioOf } from '../ratio.ts';
import { rateTermsOf, termsOf } from '../terms.ts';
import type { Tables } from './in-force.ts';
import type { BankTable, Figure, MarketMip } from './table.ts';

/** A table's rows as they are compared: figures, or words that may not change. */
export type Comparable = ReadonlyMap<string, Ratio | string>;

/** How far a figure may move from one version to the next without a word. */
const LARGEST_MOVE = percent('25');
const AGES = [20, 25, 30, 35, 40, 45, 50, 55, 60, 65, 70, 75, 80];

const isFigure = (value: unknown): value is Figure =>
  typeof value === 'object' && value !== null && 'value' in value && 'source' in value;

/** A record's figures by name. */
export function comparableFigures(of: object, prefix = ''): Comparable {
  return new Map(
    Object.entries(of).flatMap(([row, value]) => (isFigure(value) ? [[prefix + row, ratioOf(value.value)]] : [])),
  );
}

/** The market's premium of each band's last age. */
export function comparableMarket(market: MarketMip): Comparable {
  const rates = mipRates([], market);
  return new Map(AGES.map((age) => [`bands (age ${age})`, rates(age)]));
}

/** A bank's rates, shares, premiums by age, other figures and words. */
export function comparableBank(table: BankTable, tables: Tables): Comparable {
  const rows = new Map<string, Ratio | string>();
  for (const published of table.rates) {
    const { segment, system, indexer, basis, share } = published;
    const row = `rates.${segment}.${system}`;
    rows.set(row, ratioOf(String(rateTermsOf(published).annualPercent)));
    rows.set(`${row}.share`, ratioOf(share.value));
    rows.set(`${row}.indexer`, indexer);
    rows.set(`${row}.basis`, basis);
  }
  for (const [row, figure] of comparableFigures(table)) rows.set(row, figure);
  const premiums = termsOf(table, tables).mipRates;
  for (const age of AGES) rows.set(`mip (age ${age})`, premiums(age));
  rows.set('homeEquity', String(table.homeEquity));
  rows.set('financesExpenses', String(table.financesExpenses));
  return rows;
}

function far(before: Ratio, after: Ratio): boolean {
  const difference = after.numerator * before.denominator - before.numerator * after.denominator;
  const move = ratio(difference < 0n ? -difference : difference, after.denominator * before.denominator);
  const allowed = ratio(before.numerator * LARGEST_MOVE.numerator, before.denominator * LARGEST_MOVE.denominator);
  return compareRatios(move, allowed) > 0;
}

function changed(before: Ratio | string, after: Ratio | string | undefined): string | undefined {
  if (after === undefined) return 'is gone';
  if (typeof before === 'string' || typeof after === 'string')
    return before === after ? undefined : `was ${String(before)}`;
  return far(before, after) ? 'is more than 25 % off the version before' : undefined;
}

/** What a row is compared with: itself before, else everybody's rate now, which for a new row of no segment is itself. */
function predecessor(row: string, before: Comparable, after: Comparable): Ratio | string | undefined {
  const everybody = row.replace(/^rates\.(intermediario|alta_renda)\./, 'rates.padrao.');
  return before.get(row) ?? after.get(everybody);
}

/**
 * Rows that moved further from the version before than may go without a word, and words that confirm nothing.
 * `confirmed` is the table's own.
 */
export function jumps(
  before: Comparable | undefined,
  after: Comparable,
  confirmed: Readonly<Record<string, string>>,
): readonly { readonly row: string; readonly fault: string }[] {
  const faults = new Map<string, string>();
  for (const row of new Set([...(before?.keys() ?? []), ...after.keys()])) {
    const former = predecessor(row, before ?? after, after);
    const fault = former === undefined ? undefined : changed(former, after.get(row));
    // A row that is gone is said once, not for each of its parts.
    const parent = row.replace(/\.[a-z]+$/, '');
    if (fault !== undefined && !(fault === 'is gone' && faults.get(parent) === fault)) faults.set(row, fault);
  }
  const open = [...faults]
    .filter(([row]) => !confirmed[row]?.trim())
    .map(([row, fault]) => ({ row, fault: `${fault}: confirmed['${row}'] must say why` }));
  const idle = Object.keys(confirmed)
    .filter((row) => !faults.has(row))
    .map((row) => ({ row: `confirmed['${row}']`, fault: 'confirms nothing' }));
  return [...open, ...idle];
}
