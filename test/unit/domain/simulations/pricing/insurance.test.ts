import { Decimal } from 'decimal.js';
import { describe, expect, test } from 'vitest';
import { dfiPremium, mipBand, mipRates } from '#shared/domain/simulations/pricing/insurance.ts';
import { percent, type Ratio } from '#shared/domain/simulations/pricing/ratio.ts';
import { marketMip } from '#shared/domain/simulations/pricing/tables/in-force.ts';
import { termsOf } from '#shared/domain/simulations/pricing/terms.ts';
import type { BANKS } from '#shared/domain/values/bank.ts';
import { FROZEN_TABLES } from '#test/makers/frozen-tables.ts';
import { reais } from '#test/makers/quote-request.ts';

const asPercent = (rate: Ratio) =>
  new Decimal(rate.numerator.toString()).div(rate.denominator.toString()).times(100).toDecimalPlaces(6).toNumber();

const rateAt = (bank: (typeof BANKS)[number], age: number) =>
  asPercent(termsOf(FROZEN_TABLES.banks[bank].at(-1)!).mipRates(age));

const market = marketMip('market-mip-2025', FROZEN_TABLES);

describe('mipRates', () => {
  test('mipBand returns bands of five completed years, of which the first is up to 20', () => {
    const ages = [0, 18, 20, 21, 25, 26, 30, 31, 75, 76, 80, 81];
    expect(ages.map(mipBand)).toEqual([0, 0, 0, 1, 1, 2, 2, 3, 11, 12, 12, 12]);
  });

  // Percent of the balance each month, by age. Between anchors that are two bands apart the rate is sqrt(a b). Above
  // the last anchor it grows by the ratio of the market's table (T1).
  test.each<[(typeof BANKS)[number], Record<number, number>]>([
    ['bradesco', { 18: 0.01568, 25: 0.01568, 26: 0.016884, 35: 0.01818, 38: 0.027633, 45: 0.042, 46: 0.060279 }],
    ['bradesco', { 53: 0.086512, 60: 0.124163, 61: 0.1782, 66: 0.19559, 80: 0.333379 }],
    ['itau', { 18: 0.0273, 36: 0.033902, 48: 0.05917, 51: 0.095439, 63: 0.237469, 71: 0.523974 }],
    ['santander', { 31: 0.026077, 65: 0.384, 70: 0.421473 }],
    ['brb', { 29: 0.015207, 55: 0.07136, 76: 0.313736 }],
    ['inter', { 30: 0.00929, 31: 0.01159, 77: 0.45716, 78: 0.46892 }],
    ['cashme', { 50: 0.0386, 51: 0.0676 }],
  ])('mipRates of %s by age are %j', (bank, expected) => {
    const ages = Object.keys(expected).map(Number);
    expect(Object.fromEntries(ages.map((age) => [age, rateAt(bank, age)]))).toEqual(expected);
  });

  test('mipRates use the market’s last rate above its last age, and throw for a market without bands', () => {
    expect(mipRates([], market)(81)).toEqual(percent('0.46892'));
    expect(() => mipRates([], { ...market, bands: [] })(35)).toThrow(new RangeError('market-mip-2025 has no bands'));
  });

  test('mipRates between two anchors are not rounded to a displayed figure', () => {
    const anchor = (age: number, value: string) => ({ age, rate: { value, date: '2025', source: 'a sheet' } });
    const { numerator, denominator } = mipRates([anchor(24, '0.02'), anchor(34, '0.04')], market)(28);
    const between = new (Decimal.clone({ precision: 50 }))(numerator.toString()).div(denominator.toString());
    expect(between.pow(2).minus('8e-8').abs().lt('1e-32')).toBe(true);
  });
});

test('dfiPremium returns the rate times the property’s value', () => {
  expect(dfiPremium(reais('400000.00'), percent('0.0071'))).toBe(reais('28.40'));
  expect(dfiPremium(reais('500000.00'), percent('0.01207'))).toBe(reais('60.35'));
});
