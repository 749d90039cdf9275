import * as fc from 'fast-check';
import { quote } from '#shared/domain/simulations/pricing/quote.ts';
import { portion, ratioOf } from '#shared/domain/simulations/pricing/ratio.ts';
import type { Tables } from '#shared/domain/simulations/pricing/tables/in-force.ts';
import type { BankTable } from '#shared/domain/simulations/pricing/tables/table.ts';
import type { Offer, Quote, QuoteRequest, Refusal, RefusalReason } from '#shared/domain/simulations/simulation.ts';
import { BANKS, type Bank } from '#shared/domain/values/bank.ts';
import { addMonths, type Day, dayParts, daysInMonth } from '#shared/domain/values/clock.ts';
import { type Centavos, centavos } from '#shared/domain/values/money.ts';
import { FROZEN_TABLES } from './frozen-tables.ts';

/** Number of cases for each property of the pricing engine. Few if each of thousands of mutants runs them again. */
export const PRICING_CASES = process.env['SOAK'] ? 5_000 : process.env['MUTANTS_OF'] ? 80 : 200;
/** Number of cases for properties that compute with decimals of 40 digits, or price each case several times. */
export const COSTLY_CASES = PRICING_CASES / 4;

/** Returns an amount that is written in reais. */
export function reais(text: string): Centavos {
  return portion(100, ratioOf(text));
}

/** Returns a request that every bank except one can serve: R$ 300,000 of R$ 500,000 over 20 years. */
export function makeQuoteRequest(overrides: Partial<QuoteRequest> = {}): QuoteRequest {
  return {
    propertyValue: reais('500000.00'),
    financedValue: reais('300000.00'),
    term: 240,
    birthDate: '1990-05-17' as Day,
    contractDay: '2026-12-15' as Day,
    financeExpenses: false,
    ...overrides,
  };
}

/** Returns the offer of a quote. Throws an Error with the reason if the quote is a refusal. */
export function offerOf(quoted: Quote): Offer {
  if ('refusal' in quoted) throw new Error(`refused: ${JSON.stringify(quoted.refusal.reason)}`);
  return quoted.offer;
}

/** Returns the frozen tables with one changed bank. The bank has only its newest version, with `change` in it. */
export function withBankTable(bank: Bank, change: Partial<BankTable>): Tables {
  return {
    ...FROZEN_TABLES,
    banks: { ...FROZEN_TABLES.banks, [bank]: [{ ...FROZEN_TABLES.banks[bank].at(-1)!, ...change }] },
  };
}

/** Returns the bank's offer for `makeQuoteRequest` by the frozen tables. Throws an Error with the reason if the bank refuses. */
export function offerOfBank(bank: Bank, overrides: Partial<QuoteRequest> = {}, tables: Tables = FROZEN_TABLES): Offer {
  return offerOf(quote(bank, makeQuoteRequest(overrides), tables));
}

/** Returns why a quote was refused. Throws an Error if it is an offer. */
export function reasonOf(quoted: Quote): RefusalReason {
  if ('offer' in quoted) throw new Error('an offer where a refusal was expected');
  return quoted.refusal.reason;
}

function dayOf(year: number, month: number, day: number): Day {
  const within = Math.min(day, daysInMonth(year, month));
  return `${year}-${String(month).padStart(2, '0')}-${String(within).padStart(2, '0')}` as Day;
}

/** Days of a month. The last four days are drawn as often as all others together. */
const anyDayOfMonth = fc.oneof(fc.integer({ min: 1, max: 31 }), fc.integer({ min: 28, max: 31 }));

/** Any day of these years. */
export function anyDay(fromYear: number, toYear: number): fc.Arbitrary<Day> {
  return fc
    .tuple(fc.integer({ min: fromYear, max: toYear }), fc.integer({ min: 1, max: 12 }), anyDayOfMonth)
    .map(([year, month, day]) => dayOf(year, month, day));
}

/** Amounts in centavos. Small amounts are as frequent as large ones. */
export function anyAmount(min: number, max: number): fc.Arbitrary<Centavos> {
  return fc
    .oneof(fc.integer({ min, max }), fc.integer({ min, max: Math.min(max, min * 2 + 100_000) }))
    .map((amount) => centavos(amount));
}

/** Terms of all lengths. The banks' limits are frequent. */
export const anyTerm = fc.oneof(
  fc.integer({ min: 1, max: 420 }),
  fc.constantFrom(1, 2, 24, 36, 60, 120, 240, 360, 419, 420),
);

/** Ranges of what a request asks for: amounts in centavos, shares in thousandths, ages in months. */
interface Ranges {
  readonly property: readonly [number, number];
  readonly share: readonly [number, number];
  readonly financed: readonly [number, number];
  readonly term: fc.Arbitrary<number>;
  readonly age: readonly [number, number];
}

/**
 * Requests that have or lack each optional value. Each has at least one of property value, financed value and income.
 */
function requests(ranges: Ranges): fc.Arbitrary<QuoteRequest> {
  const integerIn = ([min, max]: readonly [number, number]) => fc.integer({ min, max });
  return fc
    .record({
      propertyValue: fc.option(anyAmount(...ranges.property), { nil: undefined }),
      share: fc.option(integerIn(ranges.share), { nil: undefined }),
      amountWithoutProperty: anyAmount(...ranges.financed),
      term: fc.option(ranges.term, { nil: undefined }),
      income: fc.option(anyAmount(0, 20_000_000), { nil: undefined }),
      system: fc.constantFrom('SAC' as const, 'PRICE' as const, undefined),
      financeExpenses: fc.boolean(),
      contractDay: anyDay(2027, 2040),
      age: fc.option(integerIn(ranges.age), { nil: undefined }),
      birthDay: anyDayOfMonth,
    })
    .map(({ share, amountWithoutProperty, age, birthDay, ...request }) => {
      const { propertyValue, income, contractDay } = request;
      const birth = age === undefined ? undefined : dayParts(addMonths(contractDay, -age));
      const needsAmount = propertyValue === undefined && (share !== undefined || income === undefined);
      const shareOfProperty =
        propertyValue === undefined || share === undefined ? undefined : Math.floor((propertyValue * share) / 1000);
      const financedValue = needsAmount ? amountWithoutProperty : shareOfProperty;
      return {
        ...request,
        financedValue: financedValue === undefined ? undefined : centavos(financedValue),
        birthDate: birth && dayOf(birth.year, birth.month, birthDay),
      };
    });
}

/** Any request that the contract allows. Banks refuse nearly all of them. */
export const anyQuoteRequest = requests({
  property: [0, 2_000_000_000],
  share: [1, 900],
  financed: [0, 1_500_000_000],
  term: fc.oneof(anyTerm, fc.integer({ min: 421, max: 600 })),
  age: [17 * 12, 82 * 12],
});

/**
 * Requests like those of real people, up to the banks' limits and a little beyond. About half of them become offers.
 */
export const likelyQuoteRequest = requests({
  property: [15_000_000, 2_000_000_000],
  share: [250, 810],
  financed: [9_000_000, 1_100_000_000],
  term: fc.oneof(fc.integer({ min: 55, max: 425 }), fc.constantFrom(60, 120, 240, 360, 420)),
  age: [17 * 12, 60 * 12],
});

/** Checks `numRuns` offers of any bank by the frozen tables. Requests that are refused do not count. */
export function forOffers<T extends QuoteRequest>(
  requests: fc.Arbitrary<T>,
  numRuns: number,
  check: (offer: Offer, request: T, bank: Bank) => void,
): void {
  fc.assert(
    fc.property(fc.constantFrom(...BANKS), requests, (bank, request) => {
      const quoted = quote(bank, request, FROZEN_TABLES);
      fc.pre('offer' in quoted);
      check(quoted.offer, request, bank);
    }),
    { numRuns },
  );
}

/** Checks `numRuns` refusals of any bank by the frozen tables. Requests that become offers do not count. */
export function forRefusals<T extends QuoteRequest>(
  requests: fc.Arbitrary<T>,
  numRuns: number,
  check: (refusal: Refusal, request: T, bank: Bank) => void,
): void {
  fc.assert(
    fc.property(fc.constantFrom(...BANKS), requests, (bank, request) => {
      const quoted = quote(bank, request, FROZEN_TABLES);
      fc.pre('refusal' in quoted);
      check(quoted.refusal, request, bank);
    }),
    { numRuns },
  );
}
