import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { differenceText } from '#shared/contract/simulation-notices.ts';
import { compareOffers } from '#shared/domain/simulations/comparison.ts';
import { quoteSystems } from '#shared/domain/simulations/pricing/quote.ts';
import {
  AMORTIZATION_SYSTEMS,
  type AmortizationSystem,
  type Offer,
  offersOf,
} from '#shared/domain/simulations/simulation.ts';
import { BANKS } from '#shared/domain/values/bank.ts';
import { cellText, comparisonRows, noticesOf } from '#shared/pdf/comparison-rows.ts';
import { FROZEN_TABLES } from '#test/makers/frozen-tables.ts';
import { COSTLY_CASES, likelyQuoteRequest, makeQuoteRequest } from '#test/makers/quote-request.ts';
import { makeOpportunity } from '#test/makers/simulation.ts';

/** Returns the cells of the comparison of these offers: the texts of each row, by its label. */
function cellsOf(offers: readonly Offer[]): ReadonlyMap<string, readonly string[]> {
  const [first] = offers;
  if (first === undefined) return new Map();
  const comparison = compareOffers(offers);
  const rows = comparisonRows({ ...makeOpportunity(first), offers }, noticesOf(offers));
  const cell = (row: (typeof rows)[number]) => (offer: Offer) =>
    cellText(row, offer, comparison).replaceAll('\u00a0', ' ');
  return new Map(rows.map((row) => [row.label, offers.map(cell(row))]));
}

const SYSTEMS: readonly (readonly AmortizationSystem[])[] = [['SAC'], ['SAC'], ['PRICE'], AMORTIZATION_SYSTEMS];

test('a comparison calls an amount menor only if all ranked offers have equal principal, term, system and cash', () => {
  let named = 0;
  const asked = fc.record({
    request: likelyQuoteRequest,
    banks: fc.subarray([...BANKS], { minLength: 1 }),
    systems: fc.constantFrom(...SYSTEMS),
  });
  fc.assert(
    fc.property(asked, ({ request, banks, systems }) => {
      const offers = offersOf(banks.flatMap((bank) => quoteSystems(bank, request, systems, FROZEN_TABLES)));
      fc.pre(offers.length > 0);
      const { ranked, groups } = compareOffers(offers);
      const valuesOf = (of: (offer: Offer) => unknown) => new Set(ranked.map(of)).size;
      const isNamed = Array.from(cellsOf(offers).values())
        .flat()
        .some((text) => text.includes('menor'));
      if (isNamed) {
        named += 1;
        expect(valuesOf(({ principal }) => principal)).toBe(1);
        expect(valuesOf(({ term }) => term)).toBe(1);
        expect(valuesOf(({ system }) => system)).toBe(1);
        expect(valuesOf(({ cashNeeded, appraisalFee }) => cashNeeded - appraisalFee)).toBe(1);
        expect(differenceText(compareOffers(offers))).toBeUndefined();
      } else if (groups.some(({ length }) => length > 1)) {
        expect(differenceText(compareOffers(offers))).toMatch(/^As ofertas diferem em .* não se comparam diretamente/);
      }
    }),
    { numRuns: COSTLY_CASES * 2 },
  );
  expect(named).toBeGreaterThan(0);
});

const offersAt = (banks: readonly (typeof BANKS)[number][], financeExpenses: boolean) =>
  offersOf(banks.flatMap((bank) => quoteSystems(bank, makeQuoteRequest({ financeExpenses }), ['SAC'], FROZEN_TABLES)));

test('a comparison marks the smaller principal and the higher cash of a bank that does not finance expenses', () => {
  const cells = cellsOf(offersAt(['bradesco', 'itau', 'brb'], true));
  expect(cells.get('Valor financiado')).toEqual(['R$ 320.000,00', 'R$ 320.000,00', 'R$ 300.000,00 *']);
  expect(cells.get('Dinheiro na contratação')).toEqual(['R$ 203.500,00', 'R$ 203.500,00', 'R$ 223.000,00 *']);
  expect(Array.from(cells.values()).flat().join()).not.toContain('menor');
});

test('a comparison marks the lowest sum of each kind of rate', () => {
  const cells = cellsOf(offersAt(['bradesco', 'itau', 'santander', 'inter', 'brb'], false));
  const isMarked = cells.get('Soma projetada, com a avaliação')?.map((text) => text.startsWith('menor: '));
  expect(isMarked).toEqual([true, false, true, false, false]);
});

test('a comparison of two equal loans marks the lower sum, and no value as unusual', () => {
  const texts = Array.from(cellsOf(offersAt(['bradesco', 'itau', 'cashme'], false)).values()).flat();
  expect(texts.filter((text) => text.startsWith('menor: '))).toHaveLength(1);
  expect(texts.filter((text) => text.endsWith('*'))).toEqual([]);
});
