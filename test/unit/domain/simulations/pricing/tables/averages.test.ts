import { expect, test } from 'vitest';
import * as averages from '#shared/domain/simulations/pricing/tables/averages.ts';
import type { Bank } from '#shared/domain/values/bank.ts';
import type { Day } from '#shared/domain/values/clock.ts';

const TODAY = '2026-12-15' as Day;
const MARKET_TR = 'Financiamento imobiliário com taxas de mercado - Pós-fixado referenciado em TR';
const REGULATED_TR = 'Financiamento imobiliário com taxas reguladas - Pós-fixado referenciado em TR';
const REGULATED_IPCA = 'Financiamento imobiliário com taxas reguladas - Pós-fixado referenciado em IPCA';
const ITAU = '60701190';

/** Returns averages of an institution from September on. */
const months = (institution: string, modality: string, ...rates: number[]) =>
  rates.map((annualPercent, index) => {
    return { institution, modality, month: `2026-${String(9 + index).padStart(2, '0')}`, annualPercent };
  });
const RATES: readonly averages.OrdinaryRate[] = [
  { bank: 'bradesco', indexer: 'TR', rate: 12.79 },
  { bank: 'itau', indexer: 'TR', rate: 13.69 },
  { bank: 'santander', indexer: 'TR', rate: 11.79 },
  { bank: 'inter', indexer: 'IPCA', rate: 9.99 },
  { bank: 'brb', indexer: 'TR', rate: 12 },
  { bank: 'cashme', indexer: 'IPCA', rate: 13.89 },
];
const checkOf = (bank: Bank, of: readonly averages.MonthlyAverage[]) =>
  averages.checkRates(of, RATES, TODAY).find((check) => check.bank === bank);

test('checkRates flags a rate that differs from the median of the newest three months by over a point', () => {
  const newest = ['2026-10', '2026-11', '2026-12'];
  const flagged = [12.69, 12.68, 14.69, 14.7].filter((average) => {
    const check = checkOf('itau', months(ITAU, MARKET_TR, 5, 11, average, 19));
    expect(check).toMatchObject({ rate: 13.69, average, months: newest });
    return check?.isOff;
  });
  expect(flagged).toEqual([12.68, 14.7]);
});

test('checkRates sorts the months, skips months without loans, and has no average of fewer than three', () => {
  const some = months(ITAU, MARKET_TR, 13, 0, 14);
  expect(checkOf('itau', some)).toMatchObject({ average: undefined, isOff: false, months: ['2026-09', '2026-11'] });
  const more = [...some, { ...some[0]!, month: '2026-08', annualPercent: 20 }];
  expect(checkOf('itau', more.toReversed())).toMatchObject({ average: 14, months: ['2026-08', '2026-09', '2026-11'] });
});

test('checkRates compares a rate only with its own bank, indexer and side of the SFH’s limit', () => {
  const checks = averages.checkRates([], RATES, TODAY);
  // BRB's rate of 12.00 is within the SFH's limit.
  expect(Object.fromEntries(checks.map(({ bank, modality }) => [bank, modality]))).toMatchObject({
    bradesco: MARKET_TR,
    itau: MARKET_TR,
    santander: REGULATED_TR,
    inter: REGULATED_IPCA,
    brb: REGULATED_TR,
    cashme: undefined,
  });
  for (const other of [months(ITAU, REGULATED_TR, 10, 10, 10), months('60746948', MARKET_TR, 13.69, 13.69, 13.69)])
    expect(checkOf('itau', other)?.average).toBeUndefined();
});
