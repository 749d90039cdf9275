import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import * as inForce from '#shared/domain/simulations/pricing/tables/in-force.ts';
import { LOCK } from '#shared/domain/simulations/pricing/tables/lock.ts';
import { type RateFigure, stillShown } from '#shared/domain/simulations/pricing/tables/table.ts';
import { tableFaults, validateTables } from '#shared/domain/simulations/pricing/tables/validate.ts';
import { BANKS } from '#shared/domain/values/bank.ts';
import { type Day, dayInSaoPaulo } from '#shared/domain/values/clock.ts';
import { FROZEN_TABLES } from '#test/makers/frozen-tables.ts';
import { figure } from '#test/makers/next-version.ts';

test('tableFaults finds no fault in the tables that price, on the day of the test', () => {
  const today = dayInSaoPaulo(Date.now());
  expect(tableFaults(today)).toEqual([]);
  expect(() => validateTables(today)).not.toThrow();
});

// Someone who edits a published table can also renew its line in lock.ts. The copies show that.
test('each published table of November 2026 equals its copy in test/makers/frozen-tables', () => {
  const { banks, ...others } = FROZEN_TABLES;
  const { banks: live, ...rest } = inForce.TABLES;
  const published = [...Object.values(live).flat(), ...Object.values(rest).flat()];
  for (const copy of [...Object.values(banks).flat(), ...Object.values(others).flat()]) {
    const table = published.find(({ version }) => version === copy.version);
    expect(table, copy.version).toEqual(copy);
  }
});

test('each table that was published before the last commit has the same content as in that commit', (context) => {
  const file = 'shared/domain/simulations/pricing/tables/lock.ts';
  const git = spawnSync('git', ['show', `HEAD:${file}`], { encoding: 'utf8' });
  if (git.status !== 0) context.skip('there is no commit to compare with');
  const committed = Array.from(git.stdout.matchAll(/'([\w-]+)': '(\w{64})'/g), ([, version, hash]) => [version, hash]);
  expect(committed.length).toBeGreaterThan(9);
  expect(LOCK).toMatchObject(Object.fromEntries(committed));
});

test('TABLES has every data file of the folder, and each file is named after its version', () => {
  const folder = new URL('../../../../../../shared/domain/simulations/pricing/tables/', import.meta.url);
  const files = readdirSync(folder).filter((name) => /-\d{4}(-\d{2})*\.ts$/.test(name));
  const { banks, ...others } = inForce.TABLES;
  const versions = [...Object.values(banks).flat(), ...Object.values(others).flat()];
  expect(versions.map(({ version }) => `${version}.ts`).sort()).toEqual(files.sort());
});

describe('tableFor', () => {
  const [first] = inForce.TABLES.banks.bradesco;
  const next = { ...first!, version: 'bradesco-2027-07', validFrom: '2027-07-01' };
  const tables: inForce.Tables = { ...inForce.TABLES, banks: { ...inForce.TABLES.banks, bradesco: [first!, next] } };

  test.each([
    ['2026-11-21', 'bradesco-2026-11'],
    ['2027-06-30', 'bradesco-2026-11'],
    ['2027-07-01', 'bradesco-2027-07'],
    ['2031-01-01', 'bradesco-2027-07'],
  ])('tableFor on %s returns %s', (day, version) =>
    expect(inForce.tableFor('bradesco', day as Day, tables).version).toBe(version),
  );

  test('every kind of table is used from its first day on, and a day before the first one throws', () => {
    const none = (what: string, day: string) => new RangeError(`${what} has no table in force on ${day}`);
    for (const bank of BANKS) {
      expect(inForce.tableFor(bank, '2026-11-21' as Day).version).toBe(`${bank}-2026-11`);
      expect(() => inForce.tableFor(bank, '2026-11-20' as Day)).toThrow(none(bank, '2026-11-20'));
    }
    expect(inForce.housingRulesFor('2026-04-22' as Day).version).toBe('housing-rules-2026-04');
    expect(() => inForce.housingRulesFor('2026-04-21' as Day)).toThrow(none('housing', '2026-04-21'));
    expect(inForce.creditTaxFor('2015-01-22' as Day).version).toBe('credit-tax-2015');
    expect(() => inForce.creditTaxFor('2015-01-21' as Day)).toThrow(none('the tax on credit', '2015-01-21'));
    expect(inForce.scenarioFor('2026-07-01' as Day).version).toBe('scenario-2026-07');
    expect(() => inForce.scenarioFor('2026-06-30' as Day)).toThrow(none('the scenario', '2026-06-30'));
  });

  test('tableVersion returns an old version of the same bank, and throws for another bank’s', () => {
    const none = (version: string) => new RangeError(`there is no table ${version}`);
    expect(inForce.tableVersion('bradesco', 'bradesco-2026-11', tables)).toBe(first);
    expect(() => inForce.tableVersion('itau', 'bradesco-2026-11', tables)).toThrow(none('bradesco-2026-11'));
    expect(inForce.marketMip('market-mip-2025')).toBe(inForce.TABLES.marketMip[0]);
    expect(() => inForce.marketMip('market-mip-1999')).toThrow(none('market-mip-1999'));
  });
});

describe('lastDayOfUse', () => {
  const PAGE = 'https://novo.brb.com.br/taxas';
  const of = (rate: RateFigure, validFrom = '2026-12-20') => {
    const table = { ...FROZEN_TABLES.banks.brb[0]!, validFrom };
    return inForce.lastDayOfUse(table, { ...table.rates[0]!, rate }, 365);
  };

  test.each([
    ['2025', '2026-12-31'],
    ['2026-01', '2027-01-31'],
    ['2026-11-30', '2027-11-30'],
  ])('lastDayOfUse of a rate of %s is 365 days after the last day of its date, %s', (date, day) =>
    expect(of(figure('12.00', date))).toBe(day),
  );

  test('lastDayOfUse counts from the table’s first day if the rate’s date ends later', () => {
    expect(of(figure('12.00', '2026'), '2026-11-21')).toBe('2027-11-21');
  });

  test.each([
    ['2026-01-01', '2027-01-01'],
    ['2026-12-18', '2027-12-18'],
    ['2026-12-31', '2027-12-31'],
    ['2027-01-01', '2027-12-31'],
    ['2029-06-15', '2027-12-31'],
  ])(
    'lastDayOfUse of a rate of 2025 that a page showed on %s is %s, at most 12 months more than without the page',
    (read, day) => expect(of(stillShown(figure('12.00', '2025'), read, PAGE))).toBe(day),
  );
});
