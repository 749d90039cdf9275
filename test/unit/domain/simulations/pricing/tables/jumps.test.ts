import { describe, expect, test } from 'vitest';
import { TABLES } from '#shared/domain/simulations/pricing/tables/in-force.ts';
import { bankRows, jumps, type Rows, rowsOf } from '#shared/domain/simulations/pricing/tables/jumps.ts';
import type { Figure } from '#shared/domain/simulations/pricing/tables/table.ts';

/** Rows with figures, `12.00` or `12.00 of 2026-07`, or with words. */
const rows = (of: Readonly<Record<string, string>>, date: string): Rows =>
  new Map(
    Object.entries(of).map(([row, text]): [string, Figure | string] => {
      const [value, own = date] = text.split(' of ');
      return [row, /^\d/.test(text) ? { value: value!, date: own, source: 'a sheet' } : text];
    }),
  );

const [RATE, SHARE, INDEXER] = ['rates.padrao.SAC', 'rates.padrao.SAC.share', 'rates.padrao.SAC.indexer'] as const;
const BEST = 'rates.alta_renda.SAC';
const SAME = 'of the same date and source';
const OLDER = 'is dated 2026-05, before the 2026-06 of the version before';
const FAR = 'is more than 1.5 points off';
const WHOLE = { [RATE]: '12.00', [SHARE]: '80', [INDEXER]: 'TR', 'rates.padrao.SAC.kind': 'media' };
const PRICE = {
  'rates.padrao.PRICE': '13.00',
  'rates.padrao.PRICE.share': '80',
  'rates.padrao.PRICE.indexer': 'TR',
  'rates.padrao.PRICE.kind': 'segmento',
};

/** What changes between a version, none where it is the first, and the next, and what is said of it. */
type Texts = Readonly<Record<string, string>>;
const CHANGES: readonly [name: string, before: Texts | undefined, after: Texts, ...said: string[]][] = [
  ['the same', { dfi: '0.0080', share: '3/10' }, { dfi: '0.008', share: '0.3' }],
  ['any other figure that is no rate', { dfi: '0.0080' }, { dfi: '0.0081' }, 'dfi: differs from 0.0080'],
  ['a rate that moves by 1.5 points', { [RATE]: '12.00' }, { [RATE]: '13.50' }],
  ['as far down', { [RATE]: '12.00' }, { [RATE]: '10.50' }],
  ['a rate that moves further', { [RATE]: '12.00' }, { [RATE]: '13.51' }, `${RATE}: is more than 1.5 points off 12.00`],
  ['an indexer’s too', { 'indexers.TR': '2.0' }, { 'indexers.TR': '0.2' }, `indexers.TR: ${FAR} 2.0`],
  ['a rate without a new date', { [RATE]: '12' }, { [RATE]: '12.10 of 2026-06' }, `${RATE}: differs from 12, ${SAME}`],
  ['an older date, whatever the figure', { dfi: '0.0080' }, { dfi: '0.0080 of 2026-05' }, `dfi: ${OLDER}`],
  ['the same word', { indexer: 'TR' }, { indexer: 'TR' }],
  ['another word', { indexer: 'TR' }, { indexer: 'IPCA' }, 'indexer: differs from TR'],
  ['a figure for a word', { indexer: 'TR' }, { indexer: '1' }, 'indexer: differs from TR'],
  ['a word for a figure', { fee: '25.00' }, { fee: 'none' }, 'fee: differs from 25.00'],
  ['a new row', {}, { leastProperty: '1' }, 'leastProperty: is new'],
  ['a first version', undefined, { ...WHOLE, dfi: '0.0080' }],
  ['a rate that is gone, once for all its parts', { ...WHOLE, ...PRICE }, PRICE, `${RATE}: is gone`],
  ['a part that is gone', WHOLE, { ...WHOLE, [SHARE]: undefined! }, `${SHARE}: is gone`],
  ['a new system like the other one', WHOLE, { ...WHOLE, ...PRICE }],
  [
    ...(['a new system unlike it', WHOLE] as const),
    { ...WHOLE, ...PRICE, 'rates.padrao.PRICE': '10.00', 'rates.padrao.PRICE.indexer': 'PREFIXADO' },
    `rates.padrao.PRICE: ${FAR} 12.00`,
    'rates.padrao.PRICE.indexer: differs from TR',
  ],
  ['a new segment near everybody', WHOLE, { ...WHOLE, [BEST]: '10.50' }],
  ['a new one further off', WHOLE, { ...WHOLE, [BEST]: '10.49' }, `${BEST}: ${FAR} 12.00`],
  ['a first rate of all', {}, { [RATE]: '12.00' }, `${RATE}: is new`],
];

describe('a row beside the version before', () => {
  test.each(CHANGES)('%s', (_, before, after, ...said) => {
    const there = Object.fromEntries(Object.entries(after).filter(([, text]) => text !== undefined));
    const open = jumps(before && rows(before, '2026-06'), rows(there, '2026-07'), {});
    expect(open.map(({ row, fault }) => `${row}: ${fault.split(': confirmed[')[0]}`)).toEqual(said);
  });

  test('is taken with a reason, its own or of what stands before a dot, which blanks are not; one for nothing is refused', () => {
    const [from, to] = ['0.0080', '0.0200'].map((dfi) => rows({ 'mip.dfi': dfi }, '2026-06'));
    const fault = "differs from 0.0080: confirmed['mip.dfi'] must say why";
    const empty: Record<string, string>[] = [{}, { 'mip.dfi': '  ' }, { mip: '' }];
    for (const confirmed of empty) expect(jumps(from, to!, confirmed)).toEqual([{ row: 'mip.dfi', fault }]);
    for (const name of ['mip', 'mip.dfi']) {
      expect(jumps(from, to!, { [name]: 'the bank says so' })).toEqual([]);
      const idle = { row: `confirmed['${name}']`, fault: 'confirms nothing' };
      expect(jumps(from, from!, { [name]: 'the bank says so' })).toEqual([idle]);
    }
    expect(jumps(from, to!, { mi: 'the bank says so' })).toHaveLength(2);
  });
});

test('figures and words of a table are compared, effective rates among them, and no names', () => {
  const of = (table: Rows, row: string) => {
    const found = table.get(row);
    return typeof found === 'string' ? found : found?.value;
  };
  const cashme = bankRows(TABLES.banks.cashme.at(-1)!);
  // 1.09 % a month is 13.89 % a year.
  const shown = { [RATE]: '13.89', [SHARE]: '60', [INDEXER]: 'IPCA', 'rates.padrao.SAC.basis': 'monthly' };
  for (const [row, value] of Object.entries({ ...shown, homeEquity: 'true', 'mip.market': 'market-mip-2025' }))
    expect(of(cashme, row), row).toBe(value);
  expect(cashme.has('version') || cashme.has('rates.padrao.SAC.segment')).toBe(false);
  expect(of(bankRows(TABLES.banks.brb.at(-1)!), 'mip.anchors.24')).toBe('0.01432');
  expect(of(rowsOf(TABLES.marketMip[0]!), 'bands.18-30')).toBe('0.00929');
  expect(of(rowsOf(TABLES.scenarios[0]!), 'indexers.TR')).toBe('2.0');
  expect(of(rowsOf({ states: { values: ['DF', 'GO'], date: '2026', source: 'x' } }), 'states.values')).toBe('DF GO');
});
