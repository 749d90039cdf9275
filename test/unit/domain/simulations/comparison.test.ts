import { expect, test } from 'vitest';
import { compareOffers, hasUnusual, isUnusual, lowestAmount } from '#shared/domain/simulations/comparison.ts';
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
const first = ({ first: { total } }: Offer) => total;
/** Bradesco and Itaú ask for the same appraisal fee, so their loans are equal in everything that is compared. */
const [bradesco, itau] = [offerOfBank('bradesco'), offerOfBank('itau')];

test('compareOffers ranks offers by the projected CET, not by the official CETs of different indexers', () => {
  const offers = [costing('brb', 11, 14), costing('inter', 13, 13.5), costing('itau', 12, 13.6)];
  expect(banksOf(compareOffers(offers).ranked)).toEqual(['inter', 'itau', 'brb']);
});

test('compareOffers ranks offers of equal projected CET by the official CET, then by the bank’s number', () => {
  const offers = [costing('santander', 12, 14), costing('itau', 12, 14), costing('inter', 11.99, 14)];
  expect(banksOf(compareOffers(offers).ranked)).toEqual(['inter', 'itau', 'santander']);
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

test('lowestAmount returns the lowest amount of equal loans, and nothing for a single offer', () => {
  const comparison = compareOffers([bradesco, itau]);
  expect(comparison.differing).toEqual([]);
  expect(lowestAmount(comparison, first)).toBe(Math.min(first(bradesco), first(itau)));
  expect(lowestAmount(compareOffers([itau]), first)).toBeUndefined();
  expect(lowestAmount(compareOffers([itau, offerOfBank('cashme')]), first)).toBeUndefined();
});

test.each<[string, Partial<Offer>]>([
  ['principal', { principal: reais('300000.01') }],
  ['term', { term: 241 }],
  ['system', { system: 'PRICE' }],
  ['cashNeeded', { cashNeeded: centavos(itau.cashNeeded + 1) }],
])('lowestAmount returns nothing for offers of another %s, and compareOffers names it', (property, other) => {
  const comparison = compareOffers([bradesco, { ...itau, ...other }]);
  expect(comparison.differing).toEqual([property]);
  expect(lowestAmount(comparison, first)).toBeUndefined();
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
