import { describe, expect, test } from 'vitest';
import type { Tables } from '#shared/domain/simulations/pricing/tables/in-force.ts';
import { rateExpiries } from '#shared/domain/simulations/pricing/tables/rate-expiries.ts';
import { type BankTable, type RateFigure, stillShown } from '#shared/domain/simulations/pricing/tables/table.ts';
import type { Bank } from '#shared/domain/values/bank.ts';
import { dayOf } from '#shared/domain/values/clock.ts';
import { FROZEN_TABLES } from '#test/makers/frozen-tables.ts';

const RATE_DAYS = 365;
const TODAY = dayOf('2026-12-01');

/** Returns the frozen tables with further versions of a bank. */
const withNext = (bank: Bank, ...next: readonly Partial<BankTable>[]): Tables => {
  const versions = FROZEN_TABLES.banks[bank];
  const added = next.map((change) => Object.assign({}, versions.at(-1), change));
  return { ...FROZEN_TABLES, banks: { ...FROZEN_TABLES.banks, [bank]: versions.concat(added) } };
};
const expiriesOf = (bank: Bank, tables: Tables, today = TODAY) =>
  rateExpiries(RATE_DAYS, tables, today).filter((expiry) => expiry.bank === bank);
/** Returns the rates of BRB's frozen table with another origin. */
const brbRates = (change: (rate: RateFigure) => RateFigure) =>
  FROZEN_TABLES.banks.brb.flatMap(({ rates }) => rates).map((row) => ({ ...row, rate: change(row.rate) }));
const published = (date: string) => brbRates((rate) => ({ ...rate, date }));

test('rateExpiries lists each bank’s segments by the first day of the refusals, earliest first', () => {
  const expiries = rateExpiries(RATE_DAYS, FROZEN_TABLES, TODAY);
  expect(expiries.map(({ day, bank, segments = ['all'] }) => [day, bank, ...segments].join(' '))).toEqual([
    '2027-01-01 brb all',
    '2027-01-01 cashme all',
    '2027-02-01 bradesco padrao',
    '2027-02-01 santander padrao',
    '2027-08-01 bradesco alta_renda',
    '2027-08-01 itau all',
    '2027-08-01 santander alta_renda',
    '2027-08-01 inter all',
    '2027-11-22 bradesco intermediario',
  ]);
  expect(expiries.filter(({ until }) => until !== undefined)).toEqual([]);
});

describe('rateExpiries of a bank with a next table', () => {
  test('rateExpiries leaves out an expiry if the next table begins on its day', () => {
    const next = { version: 'brb-2027-01', validFrom: '2027-01-01', rates: published('2026-12-10') };
    expect(expiriesOf('brb', withNext('brb', next)).map(({ day }) => day)).toEqual(['2027-12-11']);
  });

  test('rateExpiries names the day of a next table that begins after the refusals', () => {
    const next = { version: 'brb-2027-01', validFrom: '2027-01-02', rates: published('2026-12-10') };
    const [gap, last] = expiriesOf('brb', withNext('brb', next));
    expect(gap).toEqual({ bank: 'brb', segments: undefined, day: '2027-01-01', until: '2027-01-02' });
    expect(last).toEqual({ bank: 'brb', segments: undefined, day: '2027-12-11', until: undefined });
  });

  test('rateExpiries forgets a table that another one has replaced', () => {
    const second = { version: 'brb-2027-02', validFrom: '2027-02-01', rates: published('2027-01') };
    const third = { version: 'brb-2027-03', validFrom: '2027-03-01', rates: published('2027-02') };
    expect(expiriesOf('brb', withNext('brb', second, third), dayOf('2027-03-01')).map(({ day }) => day)).toEqual([
      '2028-02-29',
    ]);
  });

  test('rateExpiries counts from the day on which a page of the bank still showed the rate', () => {
    const shown = (rate: RateFigure) => stillShown(rate, '2026-12-18', 'https://novo.brb.com.br/taxas');
    const next = { version: 'brb-2026-12', validFrom: '2026-12-20', rates: brbRates(shown) };
    expect(expiriesOf('brb', withNext('brb', next)).map(({ day }) => day)).toEqual(['2027-12-19']);
  });
});
