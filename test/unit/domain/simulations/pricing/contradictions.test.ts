// The reasons of a refusal, checked against each other: over generated requests, at banks with other limits than today's.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { quote } from '#shared/domain/simulations/pricing/quote.ts';
import type { Tables } from '#shared/domain/simulations/pricing/tables/in-force.ts';
import type { BankTable, Figure } from '#shared/domain/simulations/pricing/tables/table.ts';
import type { QuoteRequest, RefusalReason } from '#shared/domain/simulations/simulation.ts';
import { BANKS, type Bank } from '#shared/domain/values/bank.ts';
import { dayOf } from '#shared/domain/values/clock.ts';
import { centavos } from '#shared/domain/values/money.ts';
import {
  anyAmount,
  anyQuoteRequest,
  likelyQuoteRequest,
  PRICING_CASES,
  withBankTable,
} from '#test/makers/quote-request.ts';

const made = (value: string): Figure => ({ value, date: '2026', source: 'a made-up limit' });
/** Changes to a bank's table, so that limits of every kind bind together with others. */
const CHANGES: readonly Partial<BankTable>[] = [
  {},
  { excludedStates: { values: ['SP'], date: '2026-11-20', address: 'https://made-up.example' } },
  { largestFinanced: made('600000.00') },
  { leastProperty: made('400000.00'), leastFinanced: made('200000.00') },
  { shortestTerm: made('180'), longestTerm: made('240') },
  { financesExpenses: true, largestFinanced: made('1000000.00') },
];
const LENDERS: readonly (readonly [Bank, Tables])[] = BANKS.flatMap((bank) =>
  CHANGES.map((change) => [bank, withBankTable(bank, change)] as const),
);

const anyAnswer = fc.constantFrom(true, true, true, false, undefined);
const anyFgts = fc.record({
  value: anyAmount(1, 300_000_000),
  threeYears: anyAnswer,
  noSfhLoan: anyAnswer,
  noPropertyInTown: anyAnswer,
  ownHome: anyAnswer,
});
const anySecond = fc.record({
  income: anyAmount(0, 3_000_000),
  birthDate: fc.integer({ min: 1945, max: 2012 }).map((year) => dayOf(`${year}-05-20`)),
});
const small = fc.record({
  propertyValue: fc.option(anyAmount(1_000_000, 60_000_000), { nil: undefined }),
  financedValue: fc.option(anyAmount(1_000_000, 50_000_000), { nil: undefined }),
  income: anyAmount(50_000, 5_000_000),
});
/** Requests with every field, whose values are often below and often above a bank's limits. */
const anyRequest: fc.Arbitrary<QuoteRequest> = fc
  .record({
    request: fc.oneof(
      anyQuoteRequest,
      likelyQuoteRequest,
      fc.tuple(anyQuoteRequest, small).map(([request, values]) => ({ ...request, ...values })),
    ),
    fgts: fc.option(anyFgts, { nil: undefined }),
    secondBorrower: fc.option(anySecond, { nil: undefined }),
    purpose: fc.constantFrom(
      'residencial' as const,
      'residencial' as const,
      'residencial' as const,
      'comercial' as const,
    ),
    state: fc.constantFrom('DF', 'SP', undefined),
    rateDays: fc.constantFrom(undefined, undefined, undefined, 365),
  })
  .map(({ request, ...more }) => ({ ...request, ...more }));

type Field = 'term' | 'propertyValue' | 'financedValue' | 'fgts' | 'income';
/** What a reason says about a field of the request: its lowest or highest value, or that no value of it helps. */
type Advice = { readonly field: Field } & (
  | { readonly least: number }
  | { readonly most: number }
  | { readonly none: true }
);

/** Every field on which a reason may give a figure of the bank's table. */
const FIELDS: readonly Field[] = ['term', 'propertyValue', 'financedValue', 'fgts', 'income'];

/** Returns what a reason says about the fields of the request. */
function adviceOf(reason: RefusalReason): readonly Advice[] {
  switch (reason.kind) {
    case 'termTooLong':
      return [{ field: 'term', most: reason.longest }];
    case 'termTooShort':
      return [{ field: 'term', least: reason.shortest }];
    case 'tooOldAtTheEnd':
      return [reason.longest > 0 ? { field: 'term', most: reason.longest } : { field: 'term', none: true }];
    case 'tooOld':
      return [{ field: 'term', none: true }];
    case 'propertyTooCheap':
      return [{ field: 'propertyValue', least: reason.least }];
    case 'leastLoanAboveShare':
      return [{ field: 'propertyValue', least: reason.property }];
    case 'financedTooLow':
      return [{ field: 'financedValue', least: reason.least }];
    case 'financedTooHigh':
      // Without room for the smallest loan, the reason asks to pay the expenses in cash, and names no value.
      return reason.most > 0 ? [{ field: 'financedValue', most: reason.most }] : [];
    case 'ltvExceeded':
      return [{ field: 'financedValue', most: reason.highest }];
    case 'fgtsTooHigh':
      return [{ field: 'fgts', most: reason.most }];
    case 'fgtsConditionMissing':
      return [{ field: 'fgts', none: true }];
    case 'fgtsOutsideSfh':
      return [{ field: 'fgts', none: true }];
    case 'incomeCarriesNothing':
      return [{ field: 'income', least: reason.least }];
    case 'rateTooOld':
      return [{ field: 'income', none: true }];
    case 'purposeNotPriced':
      return FIELDS.map((field) => ({ field, none: true }));
    case 'stateExcluded':
    case 'systemNotPriced':
    case 'tooYoung':
      return [];
  }
}

/** Whether a caller that follows one advice to its limit acts against the other advice. */
function contradicts(followed: Advice, other: Advice): boolean {
  if (followed.field !== other.field) return false;
  if ('none' in followed) return !('none' in other);
  const value = 'least' in followed ? followed.least : followed.most;
  if ('none' in other) return true;
  return 'least' in other ? value < other.least : value > other.most;
}

/** Returns a request that follows all of these reasons. Undefined if one of them is a fact that no request changes. */
function following(asked: QuoteRequest, reasons: readonly RefusalReason[]): QuoteRequest | undefined {
  let next: QuoteRequest = asked;
  for (const reason of reasons) {
    if (reason.kind === 'systemNotPriced') next = { ...next, system: reason.known[0] };
    if (reason.kind === 'financedTooHigh' && reason.most === 0) next = { ...next, financeExpenses: false };
    if (reason.kind === 'stateExcluded') next = { ...next, state: 'DF' };
    if (reason.kind === 'purposeNotPriced') next = { ...next, purpose: 'residencial' };
    if (reason.kind === 'tooYoung' || reason.kind === 'rateTooOld') return undefined;
    // A missing share makes the needed income depend on both incomes: refusals.test.ts follows that reason.
    if (reason.kind === 'incomeCarriesNothing') return undefined;
    if (reason.kind === 'purposeNotPriced') continue;
    for (const advice of adviceOf(reason)) {
      if (advice.field === 'fgts') {
        const fgts = 'most' in advice && next.fgts ? { ...next.fgts, value: centavos(advice.most) } : undefined;
        next = { ...next, fgts };
        continue;
      }
      if ('none' in advice) return undefined;
      const value = next[advice.field] ?? 0;
      const to = 'least' in advice ? Math.max(value, advice.least) : Math.min(value, advice.most);
      next = { ...next, [advice.field]: advice.field === 'term' ? to : centavos(to) };
    }
  }
  return next;
}

/** Checks `numRuns` refusals with several reasons, of any lender. */
function forReasons(
  numRuns: number,
  check: (reasons: readonly RefusalReason[], asked: QuoteRequest, bank: Bank, tables: Tables) => void,
): void {
  fc.assert(
    fc.property(fc.constantFrom(...LENDERS), anyRequest, ([bank, tables], asked) => {
      const quoted = quote(bank, asked, tables);
      fc.pre('refusal' in quoted && quoted.refusal.reasons.length > 1);
      if ('refusal' in quoted) check(quoted.refusal.reasons, asked, bank, tables);
    }),
    { numRuns },
  );
}

test('a caller that follows one reason of a refusal never acts against another reason', () => {
  const pairs = new Set<string>();
  forReasons(PRICING_CASES * 4, (reasons) => {
    for (const followed of reasons) {
      for (const other of reasons) {
        if (followed === other) continue;
        pairs.add([followed.kind, other.kind].sort().join(' and '));
        const against = adviceOf(followed).filter((one) => adviceOf(other).some((two) => contradicts(one, two)));
        expect(against, `${JSON.stringify(followed)} and ${JSON.stringify(other)}`).toEqual([]);
      }
    }
  });
  // More than 80 pairs are found. The test fails if far fewer are.
  expect(pairs.size).toBeGreaterThan(45);
});

test('a request that follows all reasons of its refusal gets an offer, or follows what the new refusal adds', () => {
  let offers = 0;
  forReasons(PRICING_CASES, (reasons, asked, bank, tables) => {
    let next = following(asked, reasons);
    for (let round = 0; round < 3 && next !== undefined; round++) {
      const quoted = quote(bank, next, tables);
      if ('offer' in quoted) {
        offers += 1;
        return;
      }
      // A reason that depends on what was followed may be new. A reason of the same kind means that following it was in vain.
      const isFollowed = (reason: RefusalReason) =>
        reasons.some((one) => JSON.stringify(one) === JSON.stringify(reason));
      expect(quoted.refusal.reasons.filter(isFollowed)).toEqual([]);
      next = following(next, quoted.refusal.reasons);
    }
    expect(next, 'three rounds do not lead to an offer').toBeUndefined();
  });
  expect(offers).toBeGreaterThan(PRICING_CASES / 10);
});

test('a refusal for a rate that is too old has no reason that follows from that rate', () => {
  let refusals = 0;
  forReasons(PRICING_CASES, (reasons) => {
    fc.pre(reasons.some(({ kind }) => kind === 'rateTooOld'));
    refusals += 1;
    const ofRate = reasons.filter(
      (reason) =>
        reason.kind === 'incomeCarriesNothing' || (reason.kind === 'fgtsOutsideSfh' && reason.barredBy === 'rate'),
    );
    expect(ofRate).toEqual([]);
  });
  expect(refusals).toBeGreaterThanOrEqual(PRICING_CASES);
});
