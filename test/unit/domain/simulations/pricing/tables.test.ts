import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  housingRulesFor,
  TABLES,
  type Tables,
  tableFor,
  tableVersion,
} from '../../../../../shared/domain/simulations/pricing/tables/in-force.ts';
import type { BankTable, Figure, MarketMip } from '../../../../../shared/domain/simulations/pricing/tables/table.ts';
import { tableFaults, validateTables } from '../../../../../shared/domain/simulations/pricing/tables/validate.ts';
import { BANKS } from '../../../../../shared/domain/values/bank.ts';
import type { Day } from '../../../../../shared/domain/values/clock.ts';

const bradesco = TABLES.banks.bradesco[0]!;
const market = TABLES.marketMip[0]!;
const rules = TABLES.housingRules[0]!;

const withBradesco = (...versions: readonly Partial<BankTable>[]): Tables => ({
  ...TABLES,
  banks: { ...TABLES.banks, bradesco: versions.map((version) => ({ ...bradesco, ...version })) },
});
const withBands = (bands: MarketMip['bands']): Tables => ({ ...TABLES, marketMip: [{ ...market, bands }] });
const figure = (value: string, overrides: Partial<Figure> = {}): Figure => ({
  value,
  date: '2025-11',
  source: 'a sheet',
  ...overrides,
});

describe('the tables that price', () => {
  test('are sound', () => {
    expect(tableFaults()).toEqual([]);
    expect(() => validateTables()).not.toThrow();
  });

  test('are every data file of the folder, named after their version', () => {
    const folder = new URL('../../../../../shared/domain/simulations/pricing/tables/', import.meta.url);
    const files = readdirSync(folder).filter((name) => /-\d{4}(-\d{2})*\.ts$/.test(name));
    const versions = [...Object.values(TABLES.banks).flat(), ...TABLES.marketMip, ...TABLES.housingRules];
    expect(versions.map(({ version }) => `${version}.ts`).sort()).toEqual(files.sort());
  });

  test('hold every figure as exact text with its date and source', () => {
    const figures: Figure[] = [];
    const collect = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      if ('value' in value) figures.push(value as Figure);
      else Object.values(value).forEach(collect);
    };
    collect(TABLES);
    expect(figures.length).toBeGreaterThan(80);
    for (const each of figures)
      expect(each).toEqual({
        value: expect.stringMatching(/^\d+([./]\d+)?$/),
        date: expect.stringMatching(/^\d{4}/),
        source: expect.stringMatching(/\S/),
      });
  });

  test.each([
    ['bradesco', '11.70', '3/10', '80', '70', '120', '420', '0.0066', '25.00', '3500.00'],
    ['itau', '11.60', '1/3', '80', undefined, '60', '420', '0.00554', '0.00', '3500.00'],
    ['santander', '11.79', '1/3', '80', '80', '60', '420', '0.0060', '25.00', '1900.00'],
    ['inter', '9.50', '2/5', '75', '75', '24', '360', '0.0066', '25.00', '2500.00'],
    ['brb', '12.00', '3/10', '80', '80', '60', '420', '0.01207', '25.00', '3000.00'],
    ['cashme', '13.89', '2/5', '60', '60', '36', '240', '0.0066', '0.00', '3000.00'],
  ] as const)('%s has its published conditions', (bank, ...figures) => {
    const table = tableFor(bank, '2026-06-01' as Day);
    expect([
      table.annualRate.value,
      table.incomeShare.value,
      table.systems.SAC?.share.value,
      table.systems.PRICE?.share.value,
      table.shortestTerm.value,
      table.longestTerm.value,
      table.dfi.value,
      table.monthlyFee.value,
      table.appraisalFee.value,
    ]).toEqual(figures);
  });
});

describe('the table in force', () => {
  const tables = withBradesco({}, { version: 'bradesco-2026-07', validFrom: '2026-07-01' });

  test.each([
    ['2026-01-01', 'bradesco-2026-01'],
    ['2026-06-30', 'bradesco-2026-01'],
    ['2026-07-01', 'bradesco-2026-07'],
    ['2031-01-01', 'bradesco-2026-07'],
  ])('on %s is %s', (day, version) => {
    expect(tableFor('bradesco', day as Day, tables).version).toBe(version);
  });

  test('before the first one there is none', () => {
    for (const bank of BANKS) expect(() => tableFor(bank, '2025-12-31' as Day)).toThrow(RangeError);
    expect(() => housingRulesFor('2025-12-31' as Day)).toThrow(RangeError);
  });

  test('an old version stays at hand, another bank’s does not', () => {
    expect(tableVersion('bradesco', 'bradesco-2026-01', tables)).toBe(tables.banks.bradesco[0]);
    expect(() => tableVersion('itau', 'bradesco-2026-01', tables)).toThrow(RangeError);
  });
});

describe('a bad table is refused by file and row', () => {
  const [first, second, ...others] = market.bands;
  const anchors = bradesco.mip.anchors;
  test.each<[string, Tables, string]>([
    ['a rate of zero', withBradesco({ annualRate: figure('0.00') }), 'bradesco-2026-01.ts: annualRate: is zero'],
    ['a rate that is no number', withBradesco({ dfi: figure('x') }), "bradesco-2026-01.ts: dfi: 'x' is not a number"],
    ['a rate out of range', withBradesco({ dfi: figure('6.6') }), 'bradesco-2026-01.ts: dfi: 6.6 is above 5'],
    [
      'three decimals of money',
      withBradesco({ monthlyFee: figure('25.001') }),
      'bradesco-2026-01.ts: monthlyFee: 25.001 has more than 2 decimals',
    ],
    ['no source', withBradesco({ dfi: figure('1', { source: ' ' }) }), 'bradesco-2026-01.ts: dfi: has no source'],
    [
      'no date',
      withBradesco({ dfi: figure('1', { date: 'May' }) }),
      'bradesco-2026-01.ts: dfi: has no date of publication',
    ],
    [
      'a figure from the future',
      withBradesco({ dfi: figure('1', { date: '2026-02' }) }),
      'bradesco-2026-01.ts: dfi: was published in 2026-02, after the table came into use',
    ],
    [
      'two anchors on one band',
      withBradesco({ mip: { ...bradesco.mip, anchors: [...anchors, { age: 65, rate: figure('0.2') }] } }),
      'bradesco-2026-01.ts: mip.anchors[4] (age 65): overlaps the band of age 64',
    ],
    [
      'anchors out of order',
      withBradesco({ mip: { ...bradesco.mip, anchors: [...anchors, { age: 50, rate: figure('0.2') }] } }),
      'bradesco-2026-01.ts: mip.anchors[4] (age 50): comes after age 64',
    ],
    [
      'a premium that falls with age',
      withBradesco({ mip: { ...bradesco.mip, anchors: [...anchors, { age: 70, rate: figure('0.1') }] } }),
      'bradesco-2026-01.ts: mip.anchors[4] (age 70): is below age 64',
    ],
    [
      'an age that is not insured',
      withBradesco({ mip: { ...bradesco.mip, anchors: [...anchors, { age: 81, rate: figure('0.2') }] } }),
      'bradesco-2026-01.ts: mip.anchors[4] (age 81): is no insured age',
    ],
    [
      'a market that is not there',
      withBradesco({ mip: { ...bradesco.mip, market: 'market-mip-1999' } }),
      'bradesco-2026-01.ts: mip.market: there is no table market-mip-1999',
    ],
    [
      'terms the wrong way round',
      withBradesco({ shortestTerm: figure('421') }),
      'bradesco-2026-01.ts: shortestTerm: is longer than the longest',
    ],
    ['no system', withBradesco({ systems: {} }), 'bradesco-2026-01.ts: systems: offers none'],
    [
      'a share below the expenses',
      withBradesco({ systems: { SAC: { indexer: 'TR', share: figure('4') } } }),
      'bradesco-2026-01.ts: systems.SAC.share: leaves nothing beside the financed expenses',
    ],
    [
      'an appraisal above the loan',
      withBradesco({ leastFinanced: figure('3000.00') }),
      'bradesco-2026-01.ts: appraisalFee: takes up the least financed value',
    ],
    [
      'an income share of zero',
      withBradesco({ incomeShare: figure('0/10') }),
      'bradesco-2026-01.ts: incomeShare: is zero',
    ],
    ['another bank’s table', withBradesco({ bank: 'itau' }), 'bradesco-2026-01.ts: bank: is not bradesco'],
    ['a wrong version', withBradesco({ version: 'itau-2026-01' }), 'itau-2026-01.ts: version: is not one of bradesco'],
    ['no day', withBradesco({ validFrom: '2026-02-30' }), 'bradesco-2026-01.ts: validFrom: is no day'],
    [
      'two versions of one day',
      withBradesco({}, { version: 'bradesco-2026-07' }),
      'bradesco-2026-07.ts: validFrom: is not after bradesco-2026-01',
    ],
    [
      'a version used twice',
      withBradesco({}, { validFrom: '2026-07-01' }),
      'bradesco-2026-01.ts: version: is taken by another table',
    ],
    ['no table of a bank', withBradesco(), 'in-force.ts: bradesco: has no table'],
    [
      'overlapping bands',
      withBands([first!, { ...second!, from: 30 }, ...others]),
      'market-mip-2025.ts: bands[1] (30 to 35): overlaps the band before: 31 expected',
    ],
    [
      'a band left out',
      withBands([first!, ...others]),
      'market-mip-2025.ts: bands[1] (36 to 40): leaves out the ages 31 to 35',
    ],
    [
      'a last band left out',
      withBands(market.bands.slice(0, -1)),
      'market-mip-2025.ts: bands[11]: leaves out the ages 78 to 80',
    ],
    [
      'a band the wrong way round',
      withBands([first!, { ...second!, to: 30 }, ...others]),
      'market-mip-2025.ts: bands[1] (31 to 30): ends before it begins',
    ],
    [
      'a band of rate zero',
      withBands([{ ...first!, rate: figure('0', { date: '2025' }) }, second!, ...others]),
      'market-mip-2025.ts: bands[0] (18 to 30): is zero',
    ],
    [
      'bands that fall with age',
      withBands([first!, { ...second!, rate: figure('0.001', { date: '2025' }) }, ...others]),
      'market-mip-2025.ts: bands[1] (31 to 35): is below the band before',
    ],
    [
      'a limit of age without a premium',
      { ...TABLES, housingRules: [{ ...rules, oldestAtTheEnd: figure('972') }] },
      'housing-rules-2026-01.ts: oldestAtTheEnd: 972 is above 971',
    ],
  ])('%s', (_, tables, fault) => {
    expect(tableFaults(tables)).toContain(fault);
    expect(() => validateTables(tables)).toThrow(fault);
  });
});
