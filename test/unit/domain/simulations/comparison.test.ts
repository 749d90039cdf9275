import { expect, test } from 'vitest';
import {
  closeCalls,
  comparedSum,
  compareOffers,
  hasUnusual,
  isLowest,
  isUnusual,
  placeOf,
} from '#shared/domain/simulations/comparison.ts';
import type { Offer } from '#shared/domain/simulations/simulation.ts';
import type { Bank } from '#shared/domain/values/bank.ts';
import { centavos } from '#shared/domain/values/money.ts';
import { offerOfBank, reais } from '#test/makers/quote-request.ts';

/** Returns an offer with these costs. */
const costing = (bank: Bank, official: number, projected: number): Offer => {
  const { projection, ...offer } = offerOfBank(bank);
  return { ...offer, effectiveAnnualCost: official, projection: { ...projection, annualCost: projected } };
};
const banksOf = (offers: readonly Offer[]) => offers.map(({ bank }) => bank);
const [bradesco, itau] = [offerOfBank('bradesco'), offerOfBank('itau')];
const [santander, inter, brb] = [offerOfBank('santander'), offerOfBank('inter'), offerOfBank('brb')];

test('compareOffers ranks offers by the projected CET, not by the official CETs of different indexers', () => {
  const { ranked } = compareOffers([costing('santander', 11, 14), costing('inter', 13, 13.5)]);
  expect(banksOf(ranked)).toEqual(['inter', 'santander']);
});

test('compareOffers ranks offers of equal projected CET by the official CET, then by the bank’s number', () => {
  const atInter = { ...costing('inter', 11.99, 14), rateKind: 'segmento' as const };
  const { ranked } = compareOffers([costing('itau', 12, 14), costing('bradesco', 12, 14), atInter]);
  expect(banksOf(ranked)).toEqual(['inter', 'bradesco', 'itau']);
});

test('compareOffers ranks offers within their kind of rate, and a rate of the segment comes first', () => {
  const { groups } = compareOffers([inter, brb, itau, santander, bradesco]);
  expect(groups.map(banksOf)).toEqual([['bradesco', 'itau'], ['brb'], ['inter', 'santander']]);
});

test('compareOffers does not compare the rate of one segment with the rate of another', () => {
  const { groups } = compareOffers([itau, offerOfBank('bradesco', { segment: 'alta_renda' })]);
  expect(groups.map(banksOf)).toEqual([['itau'], ['bradesco']]);
});

test('placeOf counts within the kind of rate, and gives no place to the only offer of a kind', () => {
  const comparison = compareOffers([inter, brb, itau, santander, bradesco]);
  const places = comparison.ranked.map((offer) => placeOf(comparison, offer));
  expect(places).toEqual([1, 2, undefined, 1, 2]);
});

test('compareOffers puts home equity apart from purchases, and ranks it if there are no purchases', () => {
  const equity = costing('cashme', 10, 11);
  const both = compareOffers([equity, costing('brb', 11, 14)]);
  expect(banksOf(both.ranked)).toEqual(['brb']);
  expect(banksOf(both.apart)).toEqual(['cashme']);
  expect(both.differing).toEqual([]);
  const only = compareOffers([equity]);
  expect(banksOf(only.ranked)).toEqual(['cashme']);
  expect(only.apart).toEqual([]);
});

/** Returns the banks whose compared sum is the lowest. */
const lowestOf = (...offers: readonly Offer[]) => {
  const comparison = compareOffers(offers);
  return banksOf(comparison.ranked.filter((offer) => isLowest(comparison, offer, comparedSum)));
};

test('isLowest finds the lowest sum of equal loans in each kind of rate, and nothing for a single offer', () => {
  expect(lowestOf(bradesco, itau, santander, inter, brb)).toEqual(['bradesco', 'santander']);
  expect(lowestOf(itau)).toEqual([]);
  expect(lowestOf(itau, offerOfBank('cashme'))).toEqual([]);
});

test('the appraisal fee is part of the compared sum, and not of the cash that must be equal', () => {
  const dearer = { ...itau, projection: { ...itau.projection, total: centavos(itau.projection.total + 1) } };
  const fee = { appraisalFee: centavos(itau.appraisalFee - 2), cashNeeded: centavos(itau.cashNeeded - 2) };
  expect(compareOffers([itau, { ...dearer, ...fee }]).differing).toEqual([]);
  expect(comparedSum({ ...dearer, ...fee })).toBe(comparedSum(itau) - 1);
});

test.each<[string, Partial<Offer>]>([
  ['principal', { principal: reais('300000.01') }],
  ['term', { term: 241 }],
  ['system', { system: 'PRICE' }],
  ['cash', { cashNeeded: centavos(itau.cashNeeded + 1) }],
])('isLowest finds nothing among offers of another %s, and compareOffers names it', (property, other) => {
  expect(compareOffers([bradesco, { ...itau, ...other }]).differing).toEqual([property]);
  expect(lowestOf(bradesco, { ...itau, ...other })).toEqual([]);
});

test('closeCalls finds offers of another indexer that half a point of an indexer may put first', () => {
  const at = (gap: number) => [costing('inter', 10, 14), costing('santander', 12, 14 + gap), itau];
  expect(closeCalls(compareOffers(at(0.56))).map(banksOf)).toEqual([['inter', 'santander']]);
  expect(closeCalls(compareOffers(at(0.57)))).toEqual([]);
  expect(closeCalls(compareOffers([bradesco, itau]))).toEqual([]);
});

test('isUnusual finds the values other than that of more than half of the ranked offers, if there is one', () => {
  const shorter = { ...itau, term: 180 };
  const equity = { ...offerOfBank('cashme'), term: 120 };
  const unusual = (offers: readonly Offer[]) => {
    const comparison = compareOffers(offers);
    return offers.filter((offer) => isUnusual(comparison, 'term', offer)).map(({ term }) => term);
  };
  expect(unusual([bradesco, itau, shorter, equity])).toEqual([180]);
  expect(unusual([bradesco, shorter])).toEqual([]);
  expect(unusual([bradesco, shorter, itau, { ...itau, term: 60 }])).toEqual([]);
  expect(unusual([bradesco, itau])).toEqual([]);
  expect(hasUnusual(compareOffers([bradesco, itau, shorter]))).toBe(true);
  expect(hasUnusual(compareOffers([bradesco, shorter]))).toBe(false);
});
