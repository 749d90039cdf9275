import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  creditTaxFor,
  housingRulesFor,
  marketMip,
  scenarioFor,
  TABLES,
  type Tables,
  tableFor,
  tableVersion,
} from '../../../../../../shared/domain/simulations/pricing/tables/in-force.ts';
import { ratesOf } from '../../../../../../shared/domain/simulations/pricing/tables/rates.ts';
import type {
  Figure,
  MarketMip,
  SingleRateTable,
} from '../../../../../../shared/domain/simulations/pricing/tables/table.ts';
import { tableFaults, validateTables } from '../../../../../../shared/domain/simulations/pricing/tables/validate.ts';
import { BANKS } from '../../../../../../shared/domain/values/bank.ts';
import type { Day } from '../../../../../../shared/domain/values/clock.ts';

const bradesco = TABLES.banks.bradesco[0] as SingleRateTable;
const TODAY = '2026-11-21' as Day;
const market = TABLES.marketMip[0]!;
const rules = TABLES.housingRules[0]!;

const withBradesco = (...versions: readonly Partial<SingleRateTable>[]): Tables => ({
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
    expect(tableFaults(TODAY)).toEqual([]);
    expect(() => validateTables(TODAY)).not.toThrow();
  });

  test('are every data file of the folder, named after their version', () => {
    const folder = new URL('../../../../../../shared/domain/simulations/pricing/tables/', import.meta.url);
    const files = readdirSync(folder).filter((name) => /-\d{4}(-\d{2})*\.ts$/.test(name));
    const versions = [
      ...Object.values(TABLES.banks).flat(),
      ...TABLES.marketMip,
      ...TABLES.housingRules,
      ...TABLES.creditTax,
      ...TABLES.scenarios,
    ];
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

  const FIRST = '2026-06-01' as Day;
  test.each([
    ['bradesco', FIRST, ['padrao SAC 11.70 TR 80', 'padrao PRICE 11.70 TR 70'], '3/10', '120', '420'],
    ['itau', FIRST, ['padrao SAC 11.60 TR 80'], '1/3', '60', '420'],
    ['santander', FIRST, ['padrao SAC 11.79 TR 80', 'padrao PRICE 11.79 PREFIXADO 80'], '1/3', '60', '420'],
    ['inter', FIRST, ['padrao SAC 9.50 IPCA 75', 'padrao PRICE 9.50 IPCA 75'], '2/5', '24', '360'],
    ['brb', FIRST, ['padrao SAC 12.00 TR 80', 'padrao PRICE 12.00 TR 80'], '3/10', '60', '420'],
    ['cashme', FIRST, ['padrao SAC 13.89 IPCA 60', 'padrao PRICE 13.89 IPCA 60'], '2/5', '36', '240'],
    [
      'bradesco',
      TODAY,
      [
        'padrao SAC 12.79 TR 80',
        'padrao PRICE 12.79 TR 70',
        'intermediario SAC 12.19 TR 80',
        'intermediario PRICE 12.19 TR 70',
        'alta_renda SAC 11.70 TR 80',
        'alta_renda PRICE 11.70 TR 70',
      ],
      '3/10',
      '120',
      '420',
    ],
    [
      'itau',
      TODAY,
      ['padrao SAC 13.69 TR 80', 'intermediario SAC 11.90 TR 80', 'alta_renda SAC 11.70 TR 80'],
      '1/3',
      '60',
      '420',
    ],
    ['santander', TODAY, ['padrao SAC 11.79 TR 80', 'alta_renda SAC 11.69 TR 80'], '1/3', '60', '420'],
    ['inter', TODAY, ['padrao SAC 9.99 IPCA 75', 'padrao PRICE 9.99 IPCA 75'], '3/10', '24', '360'],
    ['brb', TODAY, ['padrao SAC 12.00 TR 80', 'padrao PRICE 12.00 TR 80'], '3/10', '60', '420'],
    ['cashme', TODAY, ['padrao SAC 1.09 IPCA 60', 'padrao PRICE 1.09 IPCA 60'], '3/10', '36', '240'],
  ] as const)('%s has its published conditions on %s', (bank, day, rates, incomeShare, shortest, longest) => {
    const table = tableFor(bank, day);
    expect(
      ratesOf(table).map(({ segment, system, rate, indexer, share }) =>
        [segment, system, rate.value, indexer, share.value].join(' '),
      ),
    ).toEqual(rates);
    expect([table.incomeShare.value, table.shortestTerm.value, table.longestTerm.value]).toEqual([
      incomeShare,
      shortest,
      longest,
    ]);
  });

  test.each([
    ['bradesco', '0.0066', '25.00', '3500.00'],
    ['itau', '0.00554', '0.00', '3500.00'],
    ['santander', '0.0060', '25.00', '1900.00'],
    ['inter', '0.0066', '25.00', '2500.00'],
    ['brb', '0.01207', '25.00', '3000.00'],
    ['cashme', '0.0066', '0.00', '3000.00'],
  ] as const)('%s has its published costs in every version', (bank, ...figures) => {
    for (const table of TABLES.banks[bank])
      expect([table.dfi.value, table.monthlyFee.value, table.appraisalFee.value]).toEqual(figures);
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
    const last = '2025-12-31' as Day;
    for (const bank of BANKS)
      expect(() => tableFor(bank, last)).toThrow(new RangeError(`${bank} has no table in force on 2025-12-31`));
    expect(() => housingRulesFor(last)).toThrow(new RangeError('housing has no table in force on 2025-12-31'));
    expect(() => creditTaxFor('2015-01-21' as Day)).toThrow(
      new RangeError('the tax on credit has no table in force on 2015-01-21'),
    );
  });

  test('of rules, tax and scenario begins on its own day', () => {
    expect(['2026-04-21', '2026-04-22'].map((day) => housingRulesFor(day as Day).version)).toEqual([
      'housing-rules-2026-01',
      'housing-rules-2026-04',
    ]);
    expect(creditTaxFor('2015-01-22' as Day).version).toBe('credit-tax-2015');
    expect(['2026-06-30', '2026-07-01'].map((day) => scenarioFor(day as Day)?.version)).toEqual([
      undefined,
      'scenario-2026-07',
    ]);
  });

  test('an old version stays at hand, another bank’s does not', () => {
    expect(tableVersion('bradesco', 'bradesco-2026-01', tables)).toBe(tables.banks.bradesco[0]);
    expect(() => tableVersion('itau', 'bradesco-2026-01', tables)).toThrow(
      new RangeError('there is no table bradesco-2026-01'),
    );
    expect(marketMip('market-mip-2025')).toBe(market);
    expect(() => marketMip('market-mip-1999')).toThrow(new RangeError('there is no table market-mip-1999'));
  });
});

describe('a bad table is refused by file and row', () => {
  const [first, second, ...others] = market.bands;
  const anchors = bradesco.mip.anchors;
  test.each<[string, Tables, string]>([
    [
      'a rate of zero',
      withBradesco({ annualRate: figure('0.00') }),
      'bradesco-2026-01.ts: annualRate: 0.00 is below 4',
    ],
    ['a rate that is no number', withBradesco({ dfi: figure('x') }), "bradesco-2026-01.ts: dfi: 'x' is not a number"],
    ['a rate out of range', withBradesco({ dfi: figure('6.6') }), 'bradesco-2026-01.ts: dfi: 6.6 is above 0.03'],
    [
      'three decimals of money',
      withBradesco({ monthlyFee: figure('25.001') }),
      'bradesco-2026-01.ts: monthlyFee: 25.001 has more than 2 decimals',
    ],
    ['no source', withBradesco({ dfi: figure('0.01', { source: ' ' }) }), 'bradesco-2026-01.ts: dfi: has no source'],
    [
      'no date',
      withBradesco({ dfi: figure('0.01', { date: 'May' }) }),
      'bradesco-2026-01.ts: dfi: has no date of publication',
    ],
    [
      'a figure from the future',
      withBradesco({ dfi: figure('0.01', { date: '2026-02' }) }),
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
      'bradesco-2026-01.ts: systems.SAC.share: 4 is below 30',
    ],
    [
      'an appraisal above the loan',
      withBradesco({ leastFinanced: figure('10000.00'), appraisalFee: figure('10000.00') }),
      'bradesco-2026-01.ts: appraisalFee: takes up the least financed value',
    ],
    [
      'an income share of zero',
      withBradesco({ incomeShare: figure('0/10') }),
      'bradesco-2026-01.ts: incomeShare: 0/10 is below 15/100',
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
      'market-mip-2025.ts: bands[0] (18 to 30): 0 is below 0.003',
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
    expect(tableFaults(TODAY, tables)).toContain(fault);
    expect(() => validateTables(TODAY, tables)).toThrow(fault);
  });
});
