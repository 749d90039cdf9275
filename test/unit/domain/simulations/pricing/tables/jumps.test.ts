import { describe, expect, test } from 'vitest';
import { ratioOf } from '../../../../../../shared/domain/simulations/pricing/ratio.ts';
import { TABLES } from '../../../../../../shared/domain/simulations/pricing/tables/in-force.ts';
import {
  type Comparable,
  comparableBank,
  comparableFigures,
  comparableMarket,
  jumps,
} from '../../../../../../shared/domain/simulations/pricing/tables/jumps.ts';

/** Rows with decimals, or with words. */
const rows = (of: Readonly<Record<string, string>>): Comparable =>
  new Map(Object.entries(of).map(([row, value]) => [row, /^\d/.test(value) ? ratioOf(value) : value]));
const open = (before: Comparable | undefined, after: Comparable, confirmed: Readonly<Record<string, string>> = {}) =>
  jumps(before, after, confirmed).map(({ row, fault }) => `${row}: ${fault.split(': confirmed[')[0]}`);

describe('a figure beside the version before', () => {
  test('may move by a quarter of that, up or down, and no further', () => {
    const from = rows({ dfi: '0.0080' });
    for (const value of ['0.0060', '0.0080', '0.0100']) expect(open(from, rows({ dfi: value }))).toEqual([]);
    for (const value of ['0.0059', '0.0101'])
      expect(open(from, rows({ dfi: value }))).toEqual(['dfi: is more than 25 % off the version before']);
  });

  test('may not move from nothing to something without a word', () => {
    expect(open(rows({ fee: '0.00' }), rows({ fee: '0.00' }))).toEqual([]);
    expect(open(rows({ fee: '0.00' }), rows({ fee: '0.01' }))).toHaveLength(1);
  });

  test('that becomes a word, or a word that becomes another, says what it was', () => {
    expect(open(rows({ indexer: 'TR' }), rows({ indexer: 'IPCA' }))).toEqual(['indexer: was TR']);
    expect(open(rows({ indexer: 'TR' }), rows({ indexer: 'TR' }))).toEqual([]);
    expect(open(rows({ indexer: 'TR' }), rows({ indexer: '1' }))).toEqual(['indexer: was TR']);
    expect(open(rows({ indexer: '1' }), rows({ indexer: 'TR' }))).toHaveLength(1);
  });

  test('that is new is compared with nothing, unless it is a segment’s: that stands beside everybody’s', () => {
    const everybody = { 'rates.padrao.SAC': '12.00' };
    expect(open(rows({}), rows({ dfi: '0.0080' }))).toEqual([]);
    for (const segment of ['intermediario', 'alta_renda']) {
      const row = `rates.${segment}.SAC`;
      expect(open(rows(everybody), rows({ ...everybody, [row]: '9.00' }))).toEqual([]);
      expect(open(rows(everybody), rows({ ...everybody, [row]: '8.99' }))).toEqual([
        `${row}: is more than 25 % off the version before`,
      ]);
      // Its own row of the version before comes first.
      expect(open(rows({ ...everybody, [row]: '8.50' }), rows({ ...everybody, [row]: '8.00' }))).toEqual([]);
    }
  });

  test('of the first version is compared within itself: a segment with everybody', () => {
    expect(open(undefined, rows({ 'rates.padrao.SAC': '12.00', dfi: '0.0080' }))).toEqual([]);
  });

  test('that is gone is said once, not for each of its parts', () => {
    const whole = rows({
      'rates.padrao.SAC': '12.00',
      'rates.padrao.SAC.share': '80',
      'rates.padrao.SAC.indexer': 'TR',
    });
    expect(open(whole, rows({}))).toEqual(['rates.padrao.SAC: is gone']);
    expect(open(whole, rows({ 'rates.padrao.SAC': '12.00', 'rates.padrao.SAC.share': '80' }))).toEqual([
      'rates.padrao.SAC.indexer: is gone',
    ]);
    // The row itself moved: that its part is gone is another matter.
    expect(open(whole, rows({ 'rates.padrao.SAC': '20.00', 'rates.padrao.SAC.indexer': 'TR' }))).toEqual([
      'rates.padrao.SAC: is more than 25 % off the version before',
      'rates.padrao.SAC.share: is gone',
    ]);
  });

  test('that moved is said with each of its parts that moved', () => {
    const from = rows({ 'rates.padrao.SAC': '12.00', 'rates.padrao.SAC.share': '80' });
    expect(open(from, rows({ 'rates.padrao.SAC': '20.00', 'rates.padrao.SAC.share': '40' }))).toEqual([
      'rates.padrao.SAC: is more than 25 % off the version before',
      'rates.padrao.SAC.share: is more than 25 % off the version before',
    ]);
  });

  test('is taken with a reason, which blanks are not; a reason for nothing is refused', () => {
    const [from, to] = [rows({ dfi: '0.0080' }), rows({ dfi: '0.0200' })];
    expect(jumps(from, to, {})).toEqual([
      { row: 'dfi', fault: "is more than 25 % off the version before: confirmed['dfi'] must say why" },
    ]);
    expect(jumps(from, to, { dfi: 'the bank says so' })).toEqual([]);
    expect(jumps(from, to, { dfi: '  ' })).toHaveLength(1);
    expect(jumps(from, from, { dfi: 'the bank says so' })).toEqual([
      { row: "confirmed['dfi']", fault: 'confirms nothing' },
    ]);
  });
});

describe('what of a table is compared', () => {
  const figure = (value: string) => ({ value, date: '2026', source: 'a sheet' });

  test('are its figures by name, and nothing else of it', () => {
    const of = {
      dfi: figure('0.0066'),
      version: 'x',
      homeEquity: false,
      none: null,
      share: { value: '1' },
      gone: undefined,
    };
    expect([...comparableFigures(of)]).toEqual([['dfi', ratioOf('0.0066')]]);
    expect([...comparableFigures({ TR: figure('2.0') }, 'indexers.').keys()]).toEqual(['indexers.TR']);
  });

  test('are the market’s premiums at the last age of each band of five years', () => {
    const market = comparableMarket(TABLES.marketMip[0]!);
    expect([...market.keys()].slice(0, 2)).toEqual(['bands (age 20)', 'bands (age 25)']);
    expect(market.size).toBe(13);
    expect(market.get('bands (age 80)')).toEqual({ numerator: 46_892n, denominator: 10_000_000n });
  });

  test('are a bank’s effective rates, shares, words and premiums', () => {
    const bradesco = comparableBank(TABLES.banks.bradesco.at(-1)!, TABLES);
    const cashme = comparableBank(TABLES.banks.cashme.at(-1)!, TABLES);
    expect(bradesco.get('rates.padrao.SAC')).toEqual(ratioOf('12.79'));
    // 1.09 % a month is 13.89 % a year.
    expect(cashme.get('rates.padrao.SAC')).toEqual(ratioOf('13.89'));
    expect(
      ['rates.padrao.PRICE.share', 'rates.padrao.PRICE.indexer', 'rates.padrao.PRICE.basis'].map((row) =>
        bradesco.get(row),
      ),
    ).toEqual([ratioOf('70'), 'TR', 'effective']);
    expect(['homeEquity', 'financesExpenses'].map((row) => [bradesco.get(row), cashme.get(row)])).toEqual([
      ['false', 'true'],
      ['true', 'false'],
    ]);
    expect([...bradesco.keys()].filter((row) => row.startsWith('mip'))).toEqual(
      [20, 25, 30, 35, 40, 45, 50, 55, 60, 65, 70, 75, 80].map((age) => `mip (age ${age})`),
    );
    expect(bradesco.get('mip (age 45)')).toEqual({ numerator: 420n, denominator: 1_000_000n });
  });
});
