import { describe, expect, test } from 'vitest';
import { oldestRateDays, TABLES } from '#shared/domain/simulations/pricing/tables/in-force.ts';
import { type QuoteRequest, SEGMENTS, type Segment } from '#shared/domain/simulations/simulation.ts';
import type { Bank } from '#shared/domain/values/bank.ts';
import type { Day } from '#shared/domain/values/clock.ts';
import { offered, reais, withTable } from '#test/makers/quote-request.ts';

const inter = TABLES.banks.inter.at(-1)!;

describe('a segment', () => {
  const rateOf = (bank: Bank, segment?: Segment) => {
    const { annualRate, segment: priced, rateKind, rateDate, notices } = offered(bank, { segment });
    return { annualRate, priced, rateKind, rateDate, notices };
  };

  test.each([
    ['bradesco', [12.79, 12.19, 11.7]],
    ['itau', [13.69, 11.9, 11.7]],
  ] as const)('of %s has its own rate', (bank, rates) => {
    expect(SEGMENTS.map((segment) => rateOf(bank, segment).annualRate)).toEqual(rates);
    expect(SEGMENTS.map((segment) => rateOf(bank, segment).priced)).toEqual(SEGMENTS);
    expect(rateOf(bank)).toEqual(rateOf(bank, 'padrao'));
    expect(rateOf(bank).rateKind).toBe('segmento');
  });

  test('without a row gets everybody’s rate, and the offer says so', () => {
    for (const bank of ['santander', 'inter', 'brb', 'cashme'] as const) {
      const notices = [{ kind: 'segmentWithoutRate', asked: 'intermediario' }, ...rateOf(bank).notices];
      expect(rateOf(bank, 'intermediario')).toEqual({ ...rateOf(bank), notices });
    }
    expect(rateOf('santander', 'alta_renda').annualRate).toBe(11.69);
    expect(rateOf('brb').rateKind).toBe('media');
    expect(rateOf('inter')).toMatchObject({ annualRate: 9.99, rateKind: 'a_partir_de', rateDate: '2026-07' });
  });
});

describe('the SFH', () => {
  const sfh = (bank: Bank, overrides: Partial<QuoteRequest> = {}, tables = TABLES) =>
    offered(bank, overrides, tables).product;
  const withRate = (value: string, fee: string) =>
    withTable('inter', {
      rates: inter.rates.map((row) => ({ ...row, rate: { ...row.rate, value } })),
      monthlyFee: { ...inter.monthlyFee, value: fee },
    });

  // 300,000.00 over 240 months at 11.90: a fee's excess of 20.00 over 25.00 costs more than 0.10 a year, one of 5.00 less.
  test.each([
    ['12.00', '25.00', 'SFH'],
    ['12.01', '25.00', 'SFI'],
    ['11.90', '30.00', 'SFH'],
    ['11.90', '45.00', 'SFI'],
    ['12.00', '25.01', 'SFH'],
    ['12.00', '30.00', 'SFI'],
  ])('ends above 12 %% a year, what a fee has above 25.00 included: %s with %s is %s', (rate, fee, product) => {
    expect(sfh('inter', {}, withRate(rate, fee))).toBe(product);
  });

  test('ends above its property', () => {
    const all = (['bradesco', 'itau', 'santander', 'brb'] as const).map((bank) => sfh(bank));
    expect(all).toEqual(['SFI', 'SFI', 'SFH', 'SFH']);
    const product = (value: string) => sfh('brb', { propertyValue: reais(value) });
    expect(['2250000.00', '2250000.01'].map(product)).toEqual(['SFH', 'SFI']);
  });
});

describe('notices', () => {
  /** On a day on which Inter's and Itaú's rates of July 2026 are not old yet. */
  const kinds = (bank: Bank, overrides: Partial<QuoteRequest>) =>
    offered(bank, { contractDay: '2026-11-28' as Day, ...overrides }).notices.map(({ kind }) => kind);

  test('name the housing programme up to its income and property', () => {
    const within = { propertyValue: reais('600000.00'), income: reais('13000.00') };
    expect(kinds('inter', within)).toEqual(['housingProgramme']);
    expect(kinds('cashme', within)).toEqual(['tableOld']);
    const secondBorrower = { birthDate: '1990-01-01' as Day, income: reais('5000.00'), share: 40 };
    expect(kinds('inter', { ...within, income: undefined, secondBorrower })).toEqual([]);
    expect(kinds('inter', { ...within, income: reais('13000.01') })).toEqual([]);
    expect(kinds('inter', { ...within, propertyValue: reais('600000.01') })).toEqual([]);
  });

  test('say where expenses are not financed', () => {
    expect(kinds('inter', { financeExpenses: true })).toEqual(['expensesNotFinanced']);
    expect(kinds('itau', { financeExpenses: true })).toEqual([]);
    expect(kinds('cashme', { financeExpenses: true })).toEqual(['tableOld']);
  });

  test('say that a rate was published more than 120 days ago: a date without a day counts from its last', () => {
    // 11.79 of 2026-01 is of the 31st at the latest, 13.69 of 2026-07 too.
    expect(kinds('santander', {})).toEqual(['tableOld']);
    expect(kinds('itau', {})).toEqual([]);
    expect(kinds('itau', { contractDay: '2026-11-29' as Day })).toEqual(['tableOld']);
  });

  test('count the days of the oldest rate, whichever bank’s it is, from no day after its table’s first', () => {
    const days = (date: string) => {
      const rates = TABLES.banks.brb.at(-1)!.rates.map((rate) => ({ ...rate, rate: { ...rate.rate, date } }));
      return oldestRateDays('2026-12-21' as Day, withTable('brb', { rates }));
    };
    // 355: CashMe's of 2025.
    expect(['2024-02', '2024-02-10', '2026'].map(days)).toEqual([1026, 1045, 355]);
  });
});
