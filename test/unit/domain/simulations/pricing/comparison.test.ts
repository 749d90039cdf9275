import { describe, expect, test } from 'vitest';
import { type QuoteRequest, SEGMENTS, type Segment } from '#shared/domain/simulations/simulation.ts';
import type { Bank } from '#shared/domain/values/bank.ts';
import type { Day } from '#shared/domain/values/clock.ts';
import { FROZEN_TABLES } from '#test/makers/frozen-tables.ts';
import { offerOfBank, reais, withBankTable } from '#test/makers/quote-request.ts';

const inter = FROZEN_TABLES.banks.inter.at(-1)!;

describe('quote by segment', () => {
  const rateOf = (bank: Bank, segment?: Segment) => {
    const { annualRate, segment: priced, rateKind, rateDate, notices } = offerOfBank(bank, { segment });
    return { annualRate, priced, rateKind, rateDate, notices };
  };

  test.each([
    ['bradesco', [12.79, 12.19, 11.7]],
    ['itau', [13.69, 11.9, 11.7]],
  ] as const)('quote at %s uses the own rate of each segment', (bank, rates) => {
    expect(SEGMENTS.map((segment) => rateOf(bank, segment).annualRate)).toEqual(rates);
    expect(SEGMENTS.map((segment) => rateOf(bank, segment).priced)).toEqual(SEGMENTS);
    expect(rateOf(bank)).toEqual(rateOf(bank, 'padrao'));
    expect(rateOf(bank).rateKind).toBe('segmento');
  });

  test('quote for a segment without a row uses the rate of padrao, and says so', () => {
    for (const bank of ['santander', 'inter', 'brb', 'cashme'] as const) {
      const notices = [{ kind: 'segmentWithoutRate', asked: 'intermediario' }, ...rateOf(bank).notices];
      expect(rateOf(bank, 'intermediario')).toEqual({ ...rateOf(bank), notices });
    }
    expect(rateOf('santander', 'alta_renda').annualRate).toBe(11.69);
    expect(rateOf('brb').rateKind).toBe('media');
    expect(rateOf('inter')).toMatchObject({ annualRate: 9.99, rateKind: 'a_partir_de', rateDate: '2026-07' });
  });
});

describe('productOf', () => {
  const sfh = (bank: Bank, overrides: Partial<QuoteRequest> = {}, tables = FROZEN_TABLES) =>
    offerOfBank(bank, overrides, tables).product;
  const withRate = (value: string, fee: string) =>
    withBankTable('inter', {
      rates: inter.rates.map((row) => ({ ...row, rate: { ...row.rate, value } })),
      monthlyFee: { ...inter.monthlyFee, value: fee },
    });

  // For a loan of 300,000.00 over 240 months at 11.90 %, the part of a fee above 25.00 costs more than 0.10 % a year if
  // the fee is 45.00, and less if the fee is 30.00.
  test.each([
    ['12.00', '25.00', 'SFH'],
    ['12.01', '25.00', 'SFI'],
    ['11.90', '30.00', 'SFH'],
    ['11.90', '45.00', 'SFI'],
    ['12.00', '25.01', 'SFH'],
    ['12.00', '30.00', 'SFI'],
  ])(
    'productOf adds a fee above 25.00 to the rate, which the SFH limits to 12 percent: %s with %s is %s',
    (rate, fee, product) => {
      expect(sfh('inter', {}, withRate(rate, fee))).toBe(product);
    },
  );

  test('productOf returns SFI for a property above 2,250,000.00', () => {
    const all = (['bradesco', 'itau', 'santander', 'brb'] as const).map((bank) => sfh(bank));
    expect(all).toEqual(['SFI', 'SFI', 'SFH', 'SFH']);
    const product = (value: string) => sfh('brb', { propertyValue: reais(value) });
    expect(['2250000.00', '2250000.01'].map(product)).toEqual(['SFH', 'SFI']);
  });
});

describe('noticesOf', () => {
  /**
   * Returns the kinds of notices on a day on which Inter's and Itaú's rates of July 2026 are not old yet. The scenario is.
   */
  const kinds = (bank: Bank, overrides: Partial<QuoteRequest>) =>
    offerOfBank(bank, { contractDay: '2026-11-28' as Day, ...overrides })
      .notices.map(({ kind }) => kind)
      .filter((kind) => kind !== 'scenarioOld');

  test('noticesOf names the housing programme up to its highest income and property', () => {
    const within = { propertyValue: reais('600000.00'), income: reais('13000.00') };
    expect(kinds('inter', within)).toEqual(['housingProgramme']);
    expect(kinds('cashme', within)).toEqual(['tableOld']);
    const secondBorrower = { birthDate: '1990-01-01' as Day, income: reais('5000.00'), share: 40 };
    expect(kinds('inter', { ...within, income: undefined, secondBorrower })).toEqual([]);
    expect(kinds('inter', { ...within, income: reais('13000.01') })).toEqual([]);
    expect(kinds('inter', { ...within, propertyValue: reais('600000.01') })).toEqual([]);
  });

  test('noticesOf says that a bank does not finance the expenses that were asked for', () => {
    expect(kinds('inter', { financeExpenses: true })).toEqual(['expensesNotFinanced']);
    expect(kinds('itau', { financeExpenses: true })).toEqual([]);
    expect(kinds('cashme', { financeExpenses: true })).toEqual(['tableOld']);
  });

  test('noticesOf says that a rate is older than 120 days, counted from the last day of its date', () => {
    // The rates 11.79 of 2026-01 and 13.69 of 2026-07 were published on the 31st at the latest.
    expect(kinds('santander', {})).toEqual(['tableOld']);
    expect(kinds('itau', {})).toEqual([]);
    expect(kinds('itau', { contractDay: '2026-11-29' as Day })).toEqual(['tableOld']);
  });
});
