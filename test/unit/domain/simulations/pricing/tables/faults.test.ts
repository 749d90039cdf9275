import { describe, expect, test } from 'vitest';
import type { Tables } from '#shared/domain/simulations/pricing/tables/in-force.ts';
import { fingerprint } from '#shared/domain/simulations/pricing/tables/lock.ts';
import type * as Table from '#shared/domain/simulations/pricing/tables/table.ts';
import { stillShown } from '#shared/domain/simulations/pricing/tables/table.ts';
import { tableFaults, validateTables } from '#shared/domain/simulations/pricing/tables/validate.ts';
import { FROZEN_TABLES } from '#test/makers/frozen-tables.ts';
import {
  type Changes,
  FROZEN_LOCK,
  faultsOf,
  figure,
  isFigure,
  SUBJECTS,
  type Subject,
  TODAY,
  versionsOf,
} from '#test/makers/next-version.ts';
import { withBankTable } from '#test/makers/quote-request.ts';

const itau = FROZEN_TABLES.banks.itau.at(-1)!;
/** Returns Itaú's rates and one more, which is a copy of the first rate with a change. */
const withRate = (change: Readonly<Record<string, string>>) => ({ 'rates.3': { ...itau.rates[0]!, ...change } });
const anchors = (...of: readonly (readonly [age: number, rate: string])[]) => ({
  'mip.anchors': of.map(([age, rate]) => ({ age, rate: figure(rate) })),
});
const bands = (...of: readonly (readonly [from: number, to: number, rate?: string])[]) => ({
  bands: of.map(([from, to, rate = '0.00929']) => ({ from, to, rate: figure(rate) })),
});
const terms = (shortest: string, longest: string) => ({ shortestTerm: figure(shortest), longestTerm: figure(longest) });
const largest = (value: string) => ({ leastFinanced: figure('500000.00'), largestFinanced: figure(value) });
const appraised = (fee: string) => ({ leastFinanced: figure('10000.00'), appraisalFee: figure(fee) });
const states = (...values: string[]) => ({
  excludedStates: { values, date: '2026-11-20', address: 'https://novo.brb.com.br' },
});
/** Returns a rate as if it were on the bank's page today. */
const told = (value: string, source: string, date = '2026-11') => figure(value, date, source);
const named = (version: string, validFrom = '2026-12-15') => ({ version, validFrom });

const PAGE = 'https://novo.brb.com.br/credito-imobiliario';
/** Returns BRB's first rate as if a page of the bank still showed it on a day. */
const shown = (day: string, address = PAGE, date = '2025') => ({
  'rates.0.rate': stillShown(figure('12.00', date, 'BRB'), day, address),
});
const SHOWN = 'rates.padrao.SAC.stillShown';
const noPage = (address: string): [of: Subject, changes: Changes, ...faults: string[]] => [
  'brb',
  shown('2026-11-20', address),
  `${SHOWN}.address: '${address}' is not an https address of BRB`,
];

const ALONE = 'holds only for a segment: all other customers need a row padrao';
const OLD = "days old on the table's first day: look it up again";
const NOT_ITAUS = 'has a source that is not Itaú';
/**
 * Changes that make a table invalid, and changes that are just valid. figures.test.ts tests the bounds of each figure.
 */
const FORMS: readonly [of: Subject, changes: Changes, ...faults: string[]][] = [
  ['itau', withRate({}), 'rates.padrao.SAC: is in the table twice'],
  ['itau', withRate({ system: 'PRICE' })],
  ['itau', withRate({ segment: 'prime' }), "rates.prime.SAC: 'prime' is not a segment"],
  ['itau', withRate({ segment: 'alta_renda', system: 'PRICE' }), `rates.alta_renda.PRICE: ${ALONE}`],
  ['itau', { rates: [] }, 'rates: has no rates'],
  ['itau', { 'rates.0.rate': '13,69' }, "rates.padrao.SAC: '13,69' is not a number"],
  ['cashme', { 'rates.0.basis': 'effective' }, 'rates.padrao.SAC: 1.09 is below 4'],
  ['brb', anchors([18, '0.01'], [80, '0.4'])],
  ['brb', anchors([17, '0.01']), 'mip.anchors[0] (age 17): is not an insured age'],
  ['brb', anchors([24.5, '0.01']), 'mip.anchors[0] (age 24.5): is not an insured age'],
  ['brb', anchors([24, '0.02'], [34, '0.02'])],
  ['brb', anchors([24, '0.02'], [34, '0.0199']), 'mip.anchors[1] (age 34): is below age 24'],
  ['brb', anchors([34, '0.02'], [24, '0.03']), 'mip.anchors[1] (age 24): comes after age 34'],
  ['brb', anchors([25, '0.02'], [21, '0.01']), 'mip.anchors[1] (age 21): overlaps the band of age 25'],
  ['brb', { 'mip.market': 'market-mip-2052' }, 'mip.market: there is no table market-mip-2052'],
  ['brb', terms('180', '180')],
  ['brb', terms('180', '179'), 'shortestTerm: is longer than longestTerm'],
  ['brb', largest('500000.01')],
  ['brb', largest('500000.00'), 'largestFinanced: is not above leastFinanced'],
  ['brb', appraised('9999.99')],
  ['brb', appraised('10000.00'), 'appraisalFee: is not below leastFinanced'],
  ['brb', states('DF', 'GO')],
  [
    'brb',
    { excludedStates: { values: ['GO'], date: '2026-11-23', address: 'https://novo.brb.com.br' } },
    'excludedStates: was read on 2026-11-23, after 2026-11-22',
  ],
  [
    'brb',
    { excludedStates: { values: ['GO'], date: '2026-11-22', address: 'https://brb.example' } },
    "excludedStates: 'https://brb.example' is not an https address of BRB",
  ],
  ['brb', { seen: '2026-11' }, "seen: '2026-11' is not a day"],
  ['brb', states('GO', 'D', 'df'), "excludedStates: 'D' is not a state", "excludedStates: 'df' is not a state"],
  ['brb', states(), 'excludedStates: names none: leave it out if no page excludes any'],
  ['brb', { dfi: figure('0.0066', '2062-01') }, 'dfi: was published in 2062-01, after 2026-11-22'],
  ['brb', { dfi: figure('0.0066', '2026', '') }, 'dfi: has no source'],
  ['brb', { 'rates.0.rate': figure('12.00', '2026-07', 'Inter') }, 'rates.padrao.SAC: has a source that is not BRB'],
  ['brb', { 'rates.0.rate': figure('12.00', '2025-12-14', 'BRB') }, `rates.padrao.SAC: is 366 ${OLD}`],
  ['brb', { 'rates.0.rate': figure('12.00', '2025-12-15', 'BRB') }],
  ['brb', shown('2026-11-22')],
  ['brb', shown('2026-11-23'), `${SHOWN}: was read on 2026-11-23, after 2026-11-22`],
  ['brb', shown('2026-01-01')],
  ['brb', shown('2025-12-31'), `${SHOWN}: was read on 2025-12-31, which is not after the rate's date 2025`],
  ['brb', shown('2026-11-20', PAGE, '2026-11-19')],
  [
    'brb',
    shown('2026-11-20', PAGE, '2026-11-20'),
    `${SHOWN}: was read on 2026-11-20, which is not after the rate's date 2026-11-20`,
  ],
  ['brb', shown('2026-11'), `${SHOWN}: '2026-11' is not a day`],
  ['brb', shown('2026-11-20', PAGE, '2024-12-14'), `rates.padrao.SAC: is 731 ${OLD}`],
  ['brb', shown('2026-11-20', PAGE, '2024-12-15')],
  ['brb', shown('2026-11-20', 'https://brb.com.br')],
  noPage('http://novo.brb.com.br/credito-imobiliario'),
  noPage('novo.brb.com.br/credito-imobiliario'),
  noPage('https://www.itau.com.br/taxas'),
  noPage('https://xbrb.com.br/taxas'),
  noPage('https://brb.com.br.example/taxas'),
  noPage('https://example.com/brb.com.br'),
  noPage('https://brb.com.br@example.com/taxas'),
  noPage('https://brb.com.br:8443/taxas'),
  noPage('https://somebody@brb.com.br/taxas'),
  // This figure is also far from the version before. That is not reported for a figure that is not plausible.
  ['brb', { dfi: '0.5' }, 'dfi: 0.5 is above 0.03'],
  ['brb', { bank: 'itau' }, 'bank: is not brb', ...['SAC', 'PRICE'].map((of) => `rates.padrao.${of}: ${NOT_ITAUS}`)],
  ['brb', named('xbrb-2026-12'), 'version: is not brb-<year>-<month>'],
  ['brb', named('brb-x'), 'version: is not brb-<year>-<month>'],
  ['brb', named('brb-2O26-12'), 'version: is not brb-<year>-<month>'],
  ['brb', named('brb-2026-13'), 'version: is not brb-<year>-<month>'],
  ['brb', named('brb-2026'), 'version: is not brb-<year>-<month>'],
  ['marketMip', named('market-mip-2026')],
  ['brb', named('brb-2026-11-22', '2026-11-22')],
  ['brb', named('brb-2026-11-22', '2026-11-21'), 'validFrom: is not after brb-2026-11'],
  ['itau', named('itau-2026-12', '2026-12-01')],
  ['itau', named('itau-2026-12', '2026-11-30'), 'validFrom: 2026-11-30 is neither in 2026-12 nor in the month after'],
  ['itau', named('itau-2026-12', '2027-01-31')],
  ['itau', named('itau-2026-12', '2027-02-01'), 'validFrom: 2027-02-01 is neither in 2026-12 nor in the month after'],
  ['marketMip', named('market-mip-2027-11', '2027-11-22')],
  ['marketMip', named('market-mip-2027-11', '2027-11-23'), 'validFrom: 2027-11-23 is more than a year ahead'],
  ['brb', named('brb-2026-12', '2026-13-01'), 'validFrom: is not a day'],
  ['marketMip', bands([18, 80])],
  ['marketMip', bands([19, 80]), 'bands[0] (19 to 80): leaves out the ages 18 to 18'],
  ['marketMip', bands([18, 30], [31, 31], [32, 80])],
  ['marketMip', bands([18, 30], [30, 80]), 'bands[1] (30 to 80): overlaps the band before: 31 expected'],
  ['marketMip', bands([18, 30], [31, 30], [31, 80]), 'bands[1] (31 to 30): ends before it begins'],
  ['marketMip', bands([18, 30], [31, 80, '0.00928']), 'bands[1] (31 to 80): is below the band before'],
];

/** Returns a third rate of Santander. The other two are 11.79 (padrao) and 11.69 (alta_renda), both with TR. */
const third = (change: object, value: string) => {
  const everybody = FROZEN_TABLES.banks.santander.at(-1)!.rates[0]!;
  return { 'rates.2': { ...everybody, rate: { ...everybody.rate, value, date: '2026-11' }, ...change } };
};
const FIXED = { system: 'PRICE', indexer: 'PREFIXADO' };
const OTHER_INDEXER = 'rates.padrao.PRICE.indexer: differs from TR';
const NOT_BELOW = "is not below padrao's 11.79";

/** Rates that do not fit each other. Each needs a reason in the table. */
const UNLIKE: readonly [of: Subject, changes: Changes, ...faults: string[]][] = [
  ['santander', third({ segment: 'intermediario' }, '11.69')],
  ['santander', third({ segment: 'intermediario' }, '11.68'), "rates.intermediario.SAC: is below alta_renda's 11.69"],
  ['santander', third({ segment: 'intermediario' }, '11.79'), `rates.intermediario.SAC: ${NOT_BELOW}`],
  ['santander', { 'rates.1.rate': told('11.79', 'Santander') }, `rates.alta_renda.SAC: ${NOT_BELOW}`],
  ['santander', third({ system: 'PRICE' }, '11.79')],
  [
    'santander',
    third({ system: 'PRICE' }, '11.89'),
    "rates.padrao.PRICE: is 0.10 above SAC's, and was 0.00 above it before",
  ],
  ['santander', third(FIXED, '13.80'), OTHER_INDEXER],
  [
    'santander',
    third(FIXED, '13.79'),
    OTHER_INDEXER,
    'rates.padrao.PRICE: is fixed, but not above 11.79 plus a TR of 2',
  ],
  ['inter', { 'rates.0.rate': told('9.49', 'Inter'), 'rates.1.rate': told('9.49', 'Inter') }],
  [
    'inter',
    { 'rates.0.rate': told('9.49', 'Inter') },
    "rates.padrao.PRICE: is 0.50 above SAC's, and was 0.00 above it before",
  ],
];

const rowOf = (fault: string) => fault.split(': ')[0]!;
const asksWhy = (fault: string) => /confirmed\['.*'\] must say why$/.test(fault);

describe('tableFaults of a next version', () => {
  test.each(SUBJECTS)('tableFaults finds no fault in a next version of %s without changes', (of) =>
    expect(faultsOf(of, {})).toEqual([]),
  );

  const figures = (of: unknown, path = ''): readonly string[] =>
    isFigure(of)
      ? [path]
      : typeof of === 'object' && of !== null
        ? Object.entries(of).flatMap(([key, value]) => figures(value, path === '' ? key : `${path}.${key}`))
        : [];

  test.each(SUBJECTS)('tableFaults finds every figure of %s that is out of its bounds', (of) => {
    const paths = figures(versionsOf(of).at(-1)).filter((path) => path !== 'states');
    expect(paths.length).toBeGreaterThan(2);
    for (const path of paths) {
      const above = faultsOf(of, { [path]: '999999999' }).filter((fault) => /: 999999999 is above /.test(fault));
      expect(above, path).toHaveLength(1);
    }
  });

  test.each(FORMS)('tableFaults checks the form of %s with %j, whatever is confirmed', (of, changes, ...faults) => {
    expect(faultsOf(of, changes).filter((fault) => !asksWhy(fault))).toEqual(faults);
    const confirmed = Object.fromEntries(faults.map((fault) => [rowOf(fault), 'because it is so']));
    expect(faultsOf(of, changes, confirmed)).toEqual(expect.arrayContaining([...faults]));
  });

  test.each(UNLIKE)(
    'tableFaults finds the rates of %s with %j that do not fit each other',
    (of, changes, ...faults) => {
      const told = faultsOf(of, changes).filter((fault) => !fault.includes('by more than 1.5 points'));
      expect(told.map((fault) => fault.split(': confirmed[')[0])).toEqual(faults);
    },
  );
});

test('tableFaults reports each bank and kind without a table, and validateTables throws all faults', () => {
  const tables: Tables = {
    ...FROZEN_TABLES,
    banks: { ...FROZEN_TABLES.banks, itau: [] },
    scenarios: [],
    creditTax: [],
  };
  const faults = tableFaults(TODAY, tables, FROZEN_LOCK);
  expect(faults).toEqual([
    'in-force.ts: itau: has no table',
    'in-force.ts: credit-tax: has no table',
    'in-force.ts: scenario: has no table',
    'lock.ts: itau-2026-11: its table is gone',
    'lock.ts: credit-tax-2015: its table is gone',
    'lock.ts: scenario-2026-07: its table is gone',
  ]);
  expect(() => validateTables(TODAY, tables, FROZEN_LOCK)).toThrow(
    new Error(`pricing tables are not sound:\n${faults.join('\n')}`),
  );
});

test.each(['largestFinanced', 'leastProperty'] as const)(
  'tableFaults asks why a bank’s next table has no %s any more',
  (row) => {
    const before: Table.BankTable = {
      ...FROZEN_TABLES.banks.brb[0]!,
      largestFinanced: figure('5000000.00'),
      leastProperty: figure('100000.00'),
    };
    const next: Table.BankTable = { ...before, version: 'brb-2026-12', validFrom: '2026-12-15', [row]: undefined };
    const tables: Tables = { ...FROZEN_TABLES, banks: { ...FROZEN_TABLES.banks, brb: [before, next] } };
    const lock = { ...FROZEN_LOCK, 'brb-2026-11': fingerprint(before), 'brb-2026-12': fingerprint(next) };
    expect(tableFaults(TODAY, tables, lock)).toEqual([
      `brb-2026-12.ts: ${row}: is gone: confirmed['${row}'] must say why`,
    ]);
  },
);

test.each(['housingRules', 'creditTax'] as const)('tableFaults asks why a figure of %s is gone', (of) => {
  const rows = Object.entries(versionsOf(of).at(-1)!).filter(([, value]) => isFigure(value));
  expect(rows.length).toBeGreaterThan(2);
  for (const [row] of rows)
    expect(faultsOf(of, { [row]: undefined })).toEqual([`${row}: is gone: confirmed['${row}'] must say why`]);
});

test.each<Partial<Table.BankTable>>([
  { dfi: { ...itau.dfi, value: '0.00555' } },
  { dfi: { ...itau.dfi, date: '2025-11' } },
  { dfi: { ...itau.dfi, source: 'somebody' } },
  { financesExpenses: false },
  {
    rates: itau.rates.map((row) => ({
      ...row,
      rate: stillShown(row.rate, '2026-11-20', 'https://www.itau.com.br/emprestimos-financiamentos'),
    })),
  },
])('tableFaults reports a published table that was changed: %j', (change) => {
  const edited = withBankTable('itau', change);
  const fault = 'itau-2026-11.ts: version: was changed after it was published: new figures need a new file';
  expect(tableFaults(TODAY, edited, FROZEN_LOCK)).toEqual([fault]);
  expect(() => validateTables(TODAY, edited, FROZEN_LOCK)).toThrow(fault);
});

test('tableFaults reports a table that is missing in lock.ts, with the line that lock.ts needs', () => {
  const { 'itau-2026-11': line, ...lock } = FROZEN_LOCK;
  expect(tableFaults(TODAY, FROZEN_TABLES, lock)).toEqual([
    `itau-2026-11.ts: version: is not published: lock.ts needs 'itau-2026-11': '${line}'`,
  ]);
});
