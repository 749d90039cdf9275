import { describe, expect, test } from 'vitest';
import { bankRows, jumps, type Rows, rowsOf } from '#shared/domain/simulations/pricing/tables/jumps.ts';
import type { Figure } from '#shared/domain/simulations/pricing/tables/table.ts';
import { FROZEN_TABLES } from '#test/makers/frozen-tables.ts';

/** Returns rows with figures, `12.00` or `12.00 of 2026-07`, or with texts. */
const rows = (of: Readonly<Record<string, string>>, date: string, source = 'a sheet'): Rows =>
  new Map(
    Object.entries(of).map(([row, text]): [string, Figure | string] => {
      const [value, own] = text.split(' of ');
      const origin = own === undefined ? { date, source } : { date: own, source: 'a sheet' };
      return [row, /^\d/.test(text) ? { value: value!, ...origin } : text];
    }),
  );

const [RATE, SHARE, INDEXER] = ['rates.padrao.SAC', 'rates.padrao.SAC.share', 'rates.padrao.SAC.indexer'] as const;
const BEST = 'rates.alta_renda.SAC';
const SAME = 'which has the same date and source';
const OLDER = 'is dated 2026-05, before the 2026-06 of the version before';
const BEFORE_THE_YEAR = 'is dated 2025-12, before the 2026 of the version before';
const farFrom = (rate: string) => `differs from ${rate} by more than 1.5 points`;
const WHOLE = { [RATE]: '12.00', [SHARE]: '80', [INDEXER]: 'TR', 'rates.padrao.SAC.kind': 'media' };
const PRICE = {
  'rates.padrao.PRICE': '13.00',
  'rates.padrao.PRICE.share': '80',
  'rates.padrao.PRICE.indexer': 'TR',
  'rates.padrao.PRICE.kind': 'segmento',
};

/** Texts of rows. */
type Texts = Readonly<Record<string, string>>;
/** Changes between two versions, with the faults. A first version has no version before. */
const CHANGES: readonly [name: string, before: Texts | undefined, after: Texts, ...said: string[]][] = [
  ['a figure that is written differently', { dfi: '0.0080', share: '3/10' }, { dfi: '0.008', share: '0.3' }],
  ['a figure that differs and is not a rate', { dfi: '0.0080' }, { dfi: '0.0081' }, 'dfi: differs from 0.0080'],
  ['a rate that moves by 1.5 points', { [RATE]: '12.00' }, { [RATE]: '13.50' }],
  ['a rate that falls by 1.5 points', { [RATE]: '12.00' }, { [RATE]: '10.50' }],
  [
    'a rate that moves by more than 1.5 points',
    { [RATE]: '12.00' },
    { [RATE]: '13.51' },
    `${RATE}: ${farFrom('12.00')}`,
  ],
  [
    'an indexer that moves by more than 1.5 points',
    { 'indexers.TR': '2.0' },
    { 'indexers.TR': '0.2' },
    `indexers.TR: ${farFrom('2.0')}`,
  ],
  [
    'a rate that moves without a new date',
    { [RATE]: '12' },
    { [RATE]: '12.10 of 2026-06' },
    `${RATE}: differs from 12, ${SAME}`,
  ],
  ['a figure with an older date', { dfi: '0.0080' }, { dfi: '0.0080 of 2026-05' }, `dfi: ${OLDER}`],
  ['a month of the year that the version before names', { dfi: '0.0080 of 2026' }, { dfi: '0.0080 of 2026-01' }],
  [
    'a newer date of a figure that stays the same',
    { dfi: '0.0080 of 2026-06' },
    { dfi: '0.0080 of 2026' },
    'dfi: is the 0.0080 of 2026-06 under the newer date 2026',
  ],
  [
    'a newer date of a rate that stays the same',
    { [RATE]: '12.00 of 2025' },
    { [RATE]: '12.00 of 2026-11-28' },
    `${RATE}: is the 12.00 of 2025 under the newer date 2026-11-28`,
  ],
  ['a month of a year in which a changed figure was published', { [RATE]: '12' }, { [RATE]: '12.1 of 2026' }],
  [
    'a month before the year of the version before',
    { dfi: '0.0080 of 2026' },
    { dfi: '0.0080 of 2025-12' },
    `dfi: ${BEFORE_THE_YEAR}`,
  ],
  ['a figure that is gone', { leastProperty: '200000.00', dfi: '0.0080' }, { dfi: '0.0080' }, 'leastProperty: is gone'],
  [
    'a text that is gone',
    { 'excludedStates.values': 'DF GO', dfi: '0.0080' },
    { dfi: '0.0080' },
    'excludedStates.values: is gone',
  ],
  ['a text that stays the same', { indexer: 'TR' }, { indexer: 'TR' }],
  ['a text that differs', { indexer: 'TR' }, { indexer: 'IPCA' }, 'indexer: differs from TR'],
  ['a figure in place of a text', { indexer: 'TR' }, { indexer: '1' }, 'indexer: differs from TR'],
  ['a text in place of a figure', { fee: '25.00' }, { fee: 'none' }, 'fee: differs from 25.00'],
  ['a new row', {}, { leastProperty: '1' }, 'leastProperty: is new'],
  ['the rows of a first version', undefined, { ...WHOLE, dfi: '0.0080' }],
  ['a rate that is gone, once and not for each of its parts', { ...WHOLE, ...PRICE }, PRICE, `${RATE}: is gone`],
  ['a part of a rate that is gone', WHOLE, { ...WHOLE, [SHARE]: undefined! }, `${SHARE}: is gone`],
  ['a new system with the same rate as the other system', WHOLE, { ...WHOLE, ...PRICE }],
  [
    ...(['a new system with another rate and indexer', WHOLE] as const),
    { ...WHOLE, ...PRICE, 'rates.padrao.PRICE': '10.00', 'rates.padrao.PRICE.indexer': 'PREFIXADO' },
    `rates.padrao.PRICE: ${farFrom('12.00')}`,
    'rates.padrao.PRICE.indexer: differs from TR',
  ],
  ['a new segment whose rate is within 1.5 points of padrao', WHOLE, { ...WHOLE, [BEST]: '10.50' }],
  [
    'a new segment whose rate is more than 1.5 points from padrao',
    WHOLE,
    { ...WHOLE, [BEST]: '10.49' },
    `${BEST}: ${farFrom('12.00')}`,
  ],
  ['the first rate of a table', {}, { [RATE]: '12.00' }, `${RATE}: is new`],
];

describe('jumps', () => {
  const titled = CHANGES.map(([name, before, after, ...faults]) => {
    return [`${faults.length > 0 ? 'a' : 'no'} reason for ${name}`, { before, after, faults }] as const;
  });

  test.each(titled)('jumps needs %s', (_, { before, after, faults }) => {
    const there = Object.fromEntries(Object.entries(after).filter(([, text]) => text !== undefined));
    const open = jumps(before && rows(before, '2026-06'), rows(there, '2026-06', 'a newer sheet'), {});
    expect(open.map(({ row, fault }) => `${row}: ${fault.split(': confirmed[')[0]}`)).toEqual(faults);
  });

  test('jumps accepts a reason for a row or for the part of its name before a dot, but no blank or useless reason', () => {
    const [from, to] = ['0.0080', '0.0200'].map((dfi) => rows({ 'mip.dfi': dfi }, '2026-06'));
    const fault = "differs from 0.0080: confirmed['mip.dfi'] must say why";
    const empty: Record<string, string>[] = [{}, { 'mip.dfi': '  ' }, { mip: '' }];
    for (const confirmed of empty) expect(jumps(from, to!, confirmed)).toEqual([{ row: 'mip.dfi', fault }]);
    for (const name of ['mip', 'mip.dfi']) {
      expect(jumps(from, to!, { [name]: 'the bank says so' })).toEqual([]);
      const idle = { row: `confirmed['${name}']`, fault: 'confirms no change' };
      expect(jumps(from, from!, { [name]: 'the bank says so' })).toEqual([idle]);
    }
    expect(jumps(from, to!, { mi: 'the bank says so' })).toHaveLength(2);
  });
});

test('jumps accepts no reason that covers several rates, or a rate and its parts', () => {
  const from = rows(WHOLE, '2026-06');
  const to = rows({ ...WHOLE, [RATE]: '14.00', [SHARE]: '70' }, '2026-07');
  const open = [
    { row: RATE, fault: `${farFrom('12.00')}: confirmed['${RATE}'] must say why` },
    { row: SHARE, fault: `differs from 80: confirmed['${SHARE}'] must say why` },
  ];
  const block = 'confirms several rows of rates: each needs a reason of its own';
  for (const name of ['rates', 'rates.padrao'])
    expect(jumps(from, to, { [name]: 'the bank says so' })).toEqual([
      ...open,
      { row: `confirmed['${name}']`, fault: block },
    ]);
  expect(jumps(from, to, { [RATE]: 'the bank says so' })).toEqual(open.slice(1));
  expect(jumps(from, to, { [RATE]: 'the bank says so', [SHARE]: 'the bank says so' })).toEqual([]);
});

test('bankRows and rowsOf return figures and texts with effective rates, and no names', () => {
  const of = (table: Rows, row: string) => {
    const found = table.get(row);
    return typeof found === 'string' ? found : found?.value;
  };
  const cashme = bankRows(FROZEN_TABLES.banks.cashme.at(-1)!);
  // A rate of 1.09 % a month is 13.89 % a year.
  const shown = { [RATE]: '13.89', [SHARE]: '60', [INDEXER]: 'IPCA', 'rates.padrao.SAC.basis': 'monthly' };
  for (const [row, value] of Object.entries({ ...shown, homeEquity: 'true', 'mip.market': 'market-mip-2025' }))
    expect(of(cashme, row), row).toBe(value);
  expect(cashme.has('version') || cashme.has('rates.padrao.SAC.segment')).toBe(false);
  expect(of(bankRows(FROZEN_TABLES.banks.brb.at(-1)!), 'mip.anchors.24')).toBe('0.01432');
  expect(of(rowsOf(FROZEN_TABLES.marketMip[0]!), 'bands.18-30')).toBe('0.00929');
  expect(of(rowsOf(FROZEN_TABLES.scenarios[0]!), 'indexers.TR')).toBe('2.0');
  expect(
    of(rowsOf({ excludedStates: { values: ['DF', 'GO'], date: '2026', address: 'x' } }), 'excludedStates.values'),
  ).toBe('DF GO');
});
