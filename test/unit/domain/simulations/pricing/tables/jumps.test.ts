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

type Rows = Readonly<Record<string, string>>;

/** Rows with decimals, or with words. */
const rows = (of: Rows): Comparable =>
  new Map(Object.entries(of).map(([row, value]) => [row, /^\d/.test(value) ? ratioOf(value) : value]));

const FAR = 'is more than 25 % off the version before';
const [RATE, SHARE, INDEXER] = ['rates.padrao.SAC', 'rates.padrao.SAC.share', 'rates.padrao.SAC.indexer'] as const;
const WHOLE = { [RATE]: '12.00', [SHARE]: '80', [INDEXER]: 'TR' };
const everybody = { [RATE]: '12.00' };

/** What changes between a version, none where it is the first, and the next, and what is said of it. */
const CHANGES: readonly [name: string, before: Rows | undefined, after: Rows, ...said: string[]][] = [
  ['the same', { dfi: '0.0080' }, { dfi: '0.0080' }],
  ['a quarter less', { dfi: '0.0080' }, { dfi: '0.0060' }],
  ['a quarter more', { dfi: '0.0080' }, { dfi: '0.0100' }],
  ['less than that', { dfi: '0.0080' }, { dfi: '0.0059' }, `dfi: ${FAR}`],
  ['more than that', { dfi: '0.0080' }, { dfi: '0.0101' }, `dfi: ${FAR}`],
  ['nothing that stays', { fee: '0.00' }, { fee: '0.00' }],
  ['something from nothing', { fee: '0.00' }, { fee: '0.01' }, `fee: ${FAR}`],
  ['the same word', { indexer: 'TR' }, { indexer: 'TR' }],
  ['another word', { indexer: 'TR' }, { indexer: 'IPCA' }, 'indexer: was TR'],
  ['a figure for a word', { indexer: 'TR' }, { indexer: '1' }, 'indexer: was TR'],
  ['a new row', {}, { dfi: '0.0080' }],
  ['a first version', undefined, { ...everybody, dfi: '0.0080' }],
  ...['intermediario', 'alta_renda'].flatMap((segment): typeof CHANGES => {
    const row = `rates.${segment}.SAC`;
    return [
      [`${segment} within a quarter of everybody`, everybody, { ...everybody, [row]: '9.00' }],
      [`${segment} further off`, everybody, { ...everybody, [row]: '8.99' }, `${row}: ${FAR}`],
      [`${segment} beside its own before`, { ...everybody, [row]: '8.50' }, { ...everybody, [row]: '8.00' }],
    ];
  }),
  ['a rate that is gone, once for all its parts', WHOLE, {}, `${RATE}: is gone`],
  ['a part that is gone', WHOLE, { [RATE]: '12.00', [SHARE]: '80' }, `${INDEXER}: is gone`],
  [
    'a part that is gone of a rate that moved',
    WHOLE,
    { [RATE]: '20.00', [INDEXER]: 'TR' },
    `${RATE}: ${FAR}`,
    `${SHARE}: is gone`,
  ],
  [
    'a rate that moved with its part',
    { [RATE]: '12.00', [SHARE]: '80' },
    { [RATE]: '20.00', [SHARE]: '40' },
    `${RATE}: ${FAR}`,
    `${SHARE}: ${FAR}`,
  ],
];

describe('a figure beside the version before', () => {
  test.each(CHANGES)('%s', (_, before, after, ...said) => {
    const open = jumps(before && rows(before), rows(after), {});
    expect(open.map(({ row, fault }) => `${row}: ${fault.split(': confirmed[')[0]}`)).toEqual(said);
  });

  test('that becomes a word is asked about', () => {
    expect(jumps(rows({ indexer: '1' }), rows({ indexer: 'TR' }), {})).toHaveLength(1);
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
