import { describe, expect, test } from 'vitest';
import { TABLES, type Tables } from '../../../../../../shared/domain/simulations/pricing/tables/in-force.ts';
import { fingerprint, LOCK } from '../../../../../../shared/domain/simulations/pricing/tables/lock.ts';
import type {
  BankTable,
  MarketMip,
  PublishedRate,
} from '../../../../../../shared/domain/simulations/pricing/tables/table.ts';
import { tableFaults, validateTables } from '../../../../../../shared/domain/simulations/pricing/tables/validate.ts';
import type { Bank } from '../../../../../../shared/domain/values/bank.ts';
import type { Day } from '../../../../../../shared/domain/values/clock.ts';

const TODAY = '2026-11-22' as Day;
const figure = (value: string) => ({ value, date: '2026', source: 'a sheet' });

/** The faults of a bank's next table with these changes, published: without the file's name, in their order. */
function faultsOf(bank: Bank, change: Partial<BankTable> | ((last: BankTable) => Partial<BankTable>)) {
  const last = TABLES.banks[bank].at(-1)!;
  const { confirmed: _, ...kept } = last;
  const next = {
    ...kept,
    version: `${bank}-2026-12`,
    validFrom: '2026-12-15',
    ...(typeof change === 'function' ? change(last) : change),
  };
  const tables: Tables = { ...TABLES, banks: { ...TABLES.banks, [bank]: [...TABLES.banks[bank], next] } };
  return textOf(tableFaults(TODAY, tables, { ...LOCK, [next.version]: fingerprint(next) }));
}
const textOf = (faults: readonly string[]) => faults.map((fault) => fault.replace(/^[\w-]+\.ts: /, ''));
/** Of the faults, those that no reason confirms. */
const forms = (faults: readonly string[]) => faults.filter((fault) => !fault.endsWith('must say why'));

/** The faults of the market with these bands, as its only version; published. */
function faultsOfBands(bands: MarketMip['bands']) {
  const made = { ...TABLES.marketMip[0]!, validFrom: '2026-01-01', bands };
  const tables = { ...TABLES, marketMip: [made] };
  return textOf(tableFaults(TODAY, tables, { ...LOCK, [made.version]: fingerprint(made) })).filter((fault) =>
    fault.startsWith('bands'),
  );
}

describe('rates', () => {
  const withRow = (row: Partial<PublishedRate>) =>
    forms(faultsOf('itau', ({ rates }) => ({ rates: [...rates, { ...rates[0]!, ...row }] })));

  test('are one for each segment and system', () => {
    expect(withRow({})).toEqual(['rates.padrao.SAC: is there twice']);
    expect(withRow({ system: 'PRICE' })).toEqual([]);
  });

  test('are of a segment that there is', () => {
    const prime = 'prime' as PublishedRate['segment'];
    expect(withRow({ segment: prime })).toEqual(["rates.prime.SAC: 'prime' is no segment"]);
  });

  test('of a segment need everybody’s under the same system', () => {
    expect(withRow({ segment: 'alta_renda', system: 'PRICE' })).toEqual([
      'rates.alta_renda.PRICE: holds for a segment alone: everybody else needs a row padrao',
    ]);
  });

  test('are at least one', () => {
    expect(faultsOf('itau', { rates: [] })).toContain('rates: offers none');
  });
});

describe('premiums by age', () => {
  const anchored = (...anchors: readonly [age: number, rate: string][]) =>
    forms(
      faultsOf('brb', {
        mip: { anchors: anchors.map(([age, rate]) => ({ age, rate: figure(rate) })), market: 'market-mip-2025' },
      }),
    );

  test('are of ages from 18 to 80, in whole years', () => {
    expect(anchored([18, '0.01'], [80, '0.4'])).toEqual([]);
    expect(anchored([17, '0.01'])).toEqual(['mip.anchors[0] (age 17): is no insured age']);
    expect(anchored([81, '0.4'])).toEqual(['mip.anchors[0] (age 81): is no insured age']);
    expect(anchored([24.5, '0.01'])).toEqual(['mip.anchors[0] (age 24.5): is no insured age']);
  });

  test('stand in their order, one in a band, and never fall', () => {
    expect(anchored([24, '0.02'], [34, '0.02'])).toEqual([]);
    expect(anchored([24, '0.02'], [34, '0.0199'])).toEqual(['mip.anchors[1] (age 34): is below age 24']);
    expect(anchored([34, '0.02'], [24, '0.03'])).toEqual(['mip.anchors[1] (age 24): comes after age 34']);
    expect(anchored([25, '0.02'], [21, '0.01'])).toEqual(['mip.anchors[1] (age 21): overlaps the band of age 25']);
  });
});

describe('terms and amounts', () => {
  test('leave a term, and a loan above the least one', () => {
    expect(forms(faultsOf('brb', { shortestTerm: figure('180'), longestTerm: figure('180') }))).toEqual([]);
    expect(forms(faultsOf('brb', { shortestTerm: figure('180'), longestTerm: figure('179') }))).toEqual([
      'shortestTerm: is longer than the longest',
    ]);
    const largest = (value: string) =>
      forms(faultsOf('brb', { leastFinanced: figure('500000.00'), largestFinanced: figure(value) }));
    expect(largest('500000.01')).toEqual([]);
    expect(largest('500000.00')).toEqual(['largestFinanced: is not above the least']);
  });

  test('leave something of the least loan beside the appraisal', () => {
    const appraised = (fee: string) =>
      forms(faultsOf('brb', { leastFinanced: figure('10000.00'), appraisalFee: figure(fee) }));
    expect(appraised('9999.99')).toEqual([]);
    expect(appraised('10000.00')).toEqual(['appraisalFee: takes up the least financed value']);
  });

  test('are of states by two letters each', () => {
    const served = (...values: string[]) => faultsOf('brb', { states: { values, date: '2026', source: 'a sheet' } });
    expect(served('DF', 'GO')).toEqual([]);
    for (const state of ['D', 'DFX', 'xDF', 'df'])
      expect(served('GO', state)).toEqual([`states: '${state}' is no state`]);
  });
});

describe('the market’s bands', () => {
  const first = { from: 18, to: 30, rate: figure('0.00929') };
  const with2 = (...bands: MarketMip['bands']) => faultsOfBands(bands);

  test('follow each other without gap and overlap from 18 to 80', () => {
    expect(with2({ ...first, to: 80 })).toEqual([]);
    expect(with2({ ...first, from: 19, to: 80 })).toEqual(['bands[0] (19 to 80): leaves out the ages 18 to 18']);
    expect(with2({ ...first, to: 79 })).toEqual(['bands[1]: leaves out the ages 80 to 80']);
    expect(with2(first, { ...first, from: 31, to: 31 }, { ...first, from: 32, to: 80 })).toEqual([]);
    expect(with2(first, { ...first, from: 30, to: 80 })).toEqual([
      'bands[1] (30 to 80): overlaps the band before: 31 expected',
    ]);
    expect(with2(first, { ...first, from: 31, to: 30 }, { ...first, from: 31, to: 80 })).toEqual([
      'bands[1] (31 to 30): ends before it begins',
    ]);
  });

  test('never fall', () => {
    expect(with2(first, { ...first, from: 31, to: 80, rate: figure('0.00928') })).toEqual([
      'bands[1] (31 to 80): is below the band before',
    ]);
  });
});

describe('a version', () => {
  const named = (version: string, validFrom: string) => faultsOf('brb', { version, validFrom });

  test('is named after its bank, and comes after the one before it', () => {
    expect(named('brb-2026-12', '2026-11-22')).toEqual([]);
    expect(named('brb-2026-12', '2026-11-21')).toEqual(['validFrom: is not after brb-2026-11']);
    expect(named('xbrb-2026-12', '2026-12-15')).toEqual(['version: is not one of brb']);
    expect(named('brb2026-12', '2026-12-15')).toEqual(['version: is not one of brb']);
  });

  test('comes into use a year ahead at most', () => {
    expect(named('brb-2026-12', '2027-11-22')).toEqual([]);
    expect(named('brb-2026-12', '2027-11-23')).toEqual(['validFrom: 2027-11-23 is more than a year ahead']);
    expect(named('brb-2026-12', '2026-13-01')).toEqual(['validFrom: is no day']);
  });

  test('of a bank without any is missed, and one bank’s fault hides no other’s', () => {
    const tables: Tables = { ...TABLES, banks: { ...TABLES.banks, itau: [] }, scenarios: [], creditTax: [] };
    const faults = tableFaults(TODAY, tables);
    expect(faults).toEqual([
      'in-force.ts: itau: has no table',
      'in-force.ts: credit-tax: has no table',
      'in-force.ts: scenario: has no table',
      'lock.ts: credit-tax-2015: its table is gone',
      'lock.ts: itau-2026-11: its table is gone',
      'lock.ts: scenario-2026-07: its table is gone',
    ]);
    expect(() => validateTables(TODAY, tables)).toThrow(
      new Error(`pricing tables are not sound:\n${faults.join('\n')}`),
    );
  });

  test('that is no form is not compared with the one before: its jumps would only repeat that', () => {
    expect(faultsOf('brb', { dfi: figure('0.5') })).toEqual(['dfi: 0.5 is above 0.03']);
    expect(faultsOf('brb', { dfi: figure('0.03') })).toEqual([
      "dfi: is more than 25 % off the version before: confirmed['dfi'] must say why",
    ]);
  });
});
