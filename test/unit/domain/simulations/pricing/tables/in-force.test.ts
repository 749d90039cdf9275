import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  creditTaxFor,
  housingRulesFor,
  marketMip,
  rateFor,
  scenarioFor,
  TABLES,
  type Tables,
  tableFor,
  tableVersion,
} from '../../../../../../shared/domain/simulations/pricing/tables/in-force.ts';
import type { Figure } from '../../../../../../shared/domain/simulations/pricing/tables/table.ts';
import { tableFaults, validateTables } from '../../../../../../shared/domain/simulations/pricing/tables/validate.ts';
import { BANKS } from '../../../../../../shared/domain/values/bank.ts';
import type { Day } from '../../../../../../shared/domain/values/clock.ts';

const TODAY = '2026-11-21' as Day;

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
    expect(figures.length).toBeGreaterThan(60);
    for (const each of figures)
      expect(each).toEqual({
        value: expect.stringMatching(/^\d+([./]\d+)?$/),
        date: expect.stringMatching(/^\d{4}/),
        source: expect.stringMatching(/\S/),
      });
  });

  test.each([
    [
      'bradesco',
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
      ['padrao SAC 13.69 TR 80', 'intermediario SAC 11.90 TR 80', 'alta_renda SAC 11.70 TR 80'],
      '1/3',
      '60',
      '420',
    ],
    ['santander', ['padrao SAC 11.79 TR 80', 'alta_renda SAC 11.69 TR 80'], '1/3', '60', '420'],
    ['inter', ['padrao SAC 9.99 IPCA 75', 'padrao PRICE 9.99 IPCA 75'], '3/10', '24', '360'],
    ['brb', ['padrao SAC 12.00 TR 80', 'padrao PRICE 12.00 TR 80'], '3/10', '60', '420'],
    ['cashme', ['padrao SAC 1.09 IPCA 60', 'padrao PRICE 1.09 IPCA 60'], '3/10', '36', '240'],
  ] as const)('%s has its published conditions', (bank, rates, incomeShare, shortest, longest) => {
    const table = tableFor(bank, TODAY);
    expect(
      table.rates.map(({ segment, system, rate, indexer, share }) =>
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
  ] as const)('%s has its published costs', (bank, ...figures) => {
    const { dfi, monthlyFee, appraisalFee } = tableFor(bank, TODAY);
    expect([dfi.value, monthlyFee.value, appraisalFee.value]).toEqual(figures);
  });
});

describe('the table in force', () => {
  const [first] = TABLES.banks.bradesco;
  const next = { ...first!, version: 'bradesco-2027-07', validFrom: '2027-07-01' };
  const tables: Tables = { ...TABLES, banks: { ...TABLES.banks, bradesco: [first!, next] } };

  test.each([
    ['2026-11-21', 'bradesco-2026-11'],
    ['2027-06-30', 'bradesco-2026-11'],
    ['2027-07-01', 'bradesco-2027-07'],
    ['2031-01-01', 'bradesco-2027-07'],
  ])('on %s is %s', (day, version) => {
    expect(tableFor('bradesco', day as Day, tables).version).toBe(version);
  });

  test('begins on its own day, and before the first one there is none', () => {
    const none = (what: string, day: string) => new RangeError(`${what} has no table in force on ${day}`);
    for (const bank of BANKS) {
      expect(tableFor(bank, '2026-11-21' as Day).version).toBe(`${bank}-2026-11`);
      expect(() => tableFor(bank, '2026-11-20' as Day)).toThrow(none(bank, '2026-11-20'));
    }
    expect(housingRulesFor('2026-04-22' as Day).version).toBe('housing-rules-2026-04');
    expect(() => housingRulesFor('2026-04-21' as Day)).toThrow(none('housing', '2026-04-21'));
    expect(creditTaxFor('2015-01-22' as Day).version).toBe('credit-tax-2015');
    expect(() => creditTaxFor('2015-01-21' as Day)).toThrow(none('the tax on credit', '2015-01-21'));
    expect(scenarioFor('2026-07-01' as Day).version).toBe('scenario-2026-07');
    expect(() => scenarioFor('2026-06-30' as Day)).toThrow(none('the scenario', '2026-06-30'));
  });

  test('leaves an old version at hand, but not another bank’s', () => {
    expect(tableVersion('bradesco', 'bradesco-2026-11', tables)).toBe(first);
    expect(() => tableVersion('itau', 'bradesco-2026-11', tables)).toThrow(
      new RangeError('there is no table bradesco-2026-11'),
    );
    expect(marketMip('market-mip-2025')).toBe(TABLES.marketMip[0]);
    expect(() => marketMip('market-mip-1999')).toThrow(new RangeError('there is no table market-mip-1999'));
  });

  test('has a segment’s own rate, else everybody’s, and none of a system that the bank lacks', () => {
    const [santander] = TABLES.banks.santander;
    expect(rateFor(santander!, 'alta_renda', 'SAC')?.rate.value).toBe('11.69');
    expect(rateFor(santander!, 'intermediario', 'SAC')).toMatchObject({ segment: 'padrao', rate: { value: '11.79' } });
    expect(rateFor(santander!, 'alta_renda', 'PRICE')).toBeUndefined();
  });
});
