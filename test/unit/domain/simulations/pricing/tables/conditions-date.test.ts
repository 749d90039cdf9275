import { expect, test } from 'vitest';
import { conditionsDate } from '#shared/domain/simulations/pricing/tables/conditions-date.ts';
import type { Tables } from '#shared/domain/simulations/pricing/tables/in-force.ts';
import type { BankTable } from '#shared/domain/simulations/pricing/tables/table.ts';
import type { Bank } from '#shared/domain/values/bank.ts';
import { FROZEN_TABLES } from '#test/makers/frozen-tables.ts';
import { changed } from '#test/makers/next-version.ts';
import { offerOfBank } from '#test/makers/quote-request.ts';

/** Returns the bank's frozen table with other values by path. */
function tableOf(bank: Bank, changes: Readonly<Record<string, unknown>> = {}): BankTable {
  const [table] = FROZEN_TABLES.banks[bank];
  if (table === undefined) throw new Error(`${bank} has no table`);
  return Object.entries(changes).reduce((of, [path, to]) => changed(of, path, to), table);
}
const dateOf = (table: BankTable, tables: Tables = FROZEN_TABLES) => conditionsDate(table, tables);

/** Returns the paths of all parts that have a date. */
function datedPaths(node: unknown, path = ''): readonly string[] {
  if (typeof node !== 'object' || node === null) return [];
  if ('date' in node) return [path];
  return Object.entries(node).flatMap(([key, part]) => datedPaths(part, path === '' ? key : `${path}.${key}`));
}

test.each([
  ['bradesco', '2025-11'],
  ['itau', '2025'],
  ['santander', '2025/2026-01'],
  ['inter', '2025/2026'],
  ['brb', '2025'],
  ['cashme', '2025/2026-11'],
] as const)('conditionsDate dates the figures of %s other than its rates, and an offer keeps it: %s', (bank, date) => {
  expect(dateOf(tableOf(bank))).toBe(date);
  expect(offerOfBank(bank).conditionsDate).toBe(date);
});

test('conditionsDate takes every dated figure of a table into account, except the rates', () => {
  const figure = { value: '500000.00', date: '2025-11', source: 'a sheet' };
  const full = tableOf('bradesco', { largestFinanced: figure, leastProperty: figure });
  const paths = datedPaths(full);
  const ofRates = paths.filter((path) => /^rates\.\d+\.rate$/.test(path));
  expect(ofRates).toHaveLength(full.rates.length);
  // Nine figures of the table, a share for each rate, and four premiums.
  expect(paths.length - ofRates.length).toBe(9 + full.rates.length + 4);
  for (const path of paths) {
    const older = changed(full, `${path}.date`, '2019-06');
    expect(dateOf(older), path).toBe(ofRates.includes(path) ? '2025-11' : '2019-06/2025-11');
  }
});

test('conditionsDate takes the market’s premiums into account only for a bank that publishes none', () => {
  const tables = changed(FROZEN_TABLES, 'marketMip.0.bands.0.rate.date', '2018');
  expect(dateOf(tableOf('inter'), tables)).toBe('2018/2026');
  expect(dateOf(tableOf('bradesco'), tables)).toBe('2025-11');
});

test.each([
  ['2025', '2025-11-30', '2025'],
  ['2025-11-30', '2025-11', '2025-11'],
  ['2025-10-31', '2025-12', '2025-10-31/2025-12'],
])('conditionsDate of figures of %s, %s and 2025-11 is %s', (first, second, date) => {
  expect(dateOf(tableOf('bradesco', { 'dfi.date': first, 'monthlyFee.date': second }))).toBe(date);
});
