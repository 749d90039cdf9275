import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assumedBirthDate } from '../../../../../shared/domain/simulations/pricing/borrowers.ts';
import { quote, scheduleOf } from '../../../../../shared/domain/simulations/pricing/quote.ts';
import { portionDown, ratio } from '../../../../../shared/domain/simulations/pricing/ratio.ts';
import { TABLES, type Tables } from '../../../../../shared/domain/simulations/pricing/tables/in-force.ts';
import type { SingleRateTable } from '../../../../../shared/domain/simulations/pricing/tables/table.ts';
import type { Offer, QuoteRequest, RefusalReason } from '../../../../../shared/domain/simulations/simulation.ts';
import { BANKS, type Bank } from '../../../../../shared/domain/values/bank.ts';
import { addMonths, type Day, monthsBetween } from '../../../../../shared/domain/values/clock.ts';
import { type Centavos, centavos } from '../../../../../shared/domain/values/money.ts';
import {
  anyAmount,
  anyQuoteRequest,
  COSTLY_CASES,
  likelyQuoteRequest,
  makeQuoteRequest,
  offerOf,
  PRICING_CASES,
  reais,
  reasonOf,
} from '../../../../makers/quote-request.ts';

const anyBank = fc.constantFrom(...BANKS);
const born = (day: string) => ({ birthDate: day as Day });

/** Shares in percent and other limits since November 2026, as the banks publish them. */
const LIMITS: Record<
  Bank,
  { SAC: number; PRICE: number; months: [number, number]; financed: string; most: string; property: string }
> = {
  bradesco: { SAC: 80, PRICE: 70, months: [120, 420], financed: '100000.00', most: '10000000.00', property: '0.00' },
  itau: { SAC: 80, PRICE: 0, months: [60, 420], financed: '98000.00', most: '10000000.00', property: '0.00' },
  santander: { SAC: 80, PRICE: 0, months: [60, 420], financed: '98000.00', most: '10000000.00', property: '0.00' },
  inter: { SAC: 75, PRICE: 75, months: [24, 360], financed: '50000.00', most: '10000000.00', property: '200000.00' },
  brb: { SAC: 80, PRICE: 80, months: [60, 420], financed: '50000.00', most: '10000000.00', property: '0.00' },
  cashme: { SAC: 60, PRICE: 60, months: [36, 240], financed: '50000.00', most: '15000000.00', property: '0.00' },
};

function expectWithinLimits(bank: Bank, request: QuoteRequest, offer: Offer): void {
  const limits = LIMITS[bank];
  const financed = offer.principal - offer.expenses;
  expect(offer.principal * 100).toBeLessThanOrEqual(offer.propertyValue * limits[offer.system]);
  expect(financed).toBeGreaterThanOrEqual(reais(limits.financed));
  expect(offer.principal).toBeLessThanOrEqual(reais(limits.most));
  expect(offer.propertyValue).toBeGreaterThanOrEqual(reais(limits.property));
  expect(offer.term).toBeGreaterThanOrEqual(limits.months[0]);
  expect(offer.term).toBeLessThanOrEqual(limits.months[1]);
  const birthDate = request.birthDate ?? assumedBirthDate(request.contractDay);
  expect(addMonths(offer.contractDay, offer.term) <= addMonths(birthDate, 966)).toBe(true);
  expect(offer.system).toBe(request.system ?? 'SAC');
  expect(offer.term).toBe(request.term ?? offer.term);
  expect(offer.propertyValue).toBe(request.propertyValue ?? offer.propertyValue);
  expect(financed).toBe(request.financedValue ?? financed);
}

/** The request changed as far as the refusal says that it must. */
function cured(request: QuoteRequest, reason: RefusalReason): QuoteRequest | undefined {
  switch (reason.kind) {
    case 'termTooLong':
      return { ...request, term: reason.longest };
    case 'termTooShort':
      return { ...request, term: reason.shortest };
    case 'tooOldAtTheEnd':
      return reason.longest === 0 ? undefined : { ...request, term: reason.longest };
    case 'ltvExceeded':
      return { ...request, financedValue: reason.highest };
    case 'propertyTooCheap':
      return { ...request, propertyValue: reason.least };
    case 'financedTooLow':
      return { ...request, financedValue: reason.least };
    case 'systemNotOffered':
      return { ...request, system: reason.offered[0] };
    case 'incomeCarriesNothing':
      return { ...request, income: reason.least };
    case 'tooYoung':
      return { ...request, birthDate: addMonths(request.contractDay, -reason.youngest * 12) };
    case 'leastLoanAboveShare':
      return { ...request, propertyValue: reason.property };
    case 'financedTooHigh':
      return { ...request, financedValue: reason.most };
    default:
      return undefined;
  }
}

describe('whatever is asked of whatever bank', () => {
  test('an offer keeps the bank’s limits and what was asked, and agrees with its schedule', () => {
    fc.assert(
      fc.property(anyBank, likelyQuoteRequest, (bank, request) => {
        const quoted = quote(bank, request);
        fc.pre('offer' in quoted);
        const offer = offerOf(quoted);
        expectWithinLimits(bank, request, offer);
        const rows = scheduleOf(offer);
        expect(rows).toHaveLength(offer.term);
        expect(rows[0]).toEqual(offer.first);
        expect(rows.at(-1)).toMatchObject({ total: offer.lastTotal, balance: 0, mip: 0, dfi: 0 });
        expect(rows.reduce((sum, row) => sum + row.total, 0)).toBe(offer.total);
        expect(rows.reduce((sum, row) => sum + row.amortization, 0)).toBe(offer.principal);
        expect(offer.effectiveAnnualCost).toBeGreaterThan(offer.annualRate);
        const stored = JSON.parse(JSON.stringify(offer)) as Offer;
        expect(JSON.stringify(scheduleOf(stored))).toBe(JSON.stringify(rows));
      }),
      { numRuns: PRICING_CASES },
    );
  });

  test('a refusal’s limit cures it', () => {
    fc.assert(
      fc.property(anyBank, anyQuoteRequest, (bank, request) => {
        const seen = new Set<string>();
        let quoted = quote(bank, request);
        let asked = request;
        while ('refusal' in quoted) {
          const { reason } = quoted.refusal;
          expect(seen.has(reason.kind), `${reason.kind} again`).toBe(false);
          seen.add(reason.kind);
          const next = cured(asked, reason);
          if (next === undefined) return;
          asked = next;
          quoted = quote(bank, asked);
        }
        expectWithinLimits(bank, asked, quoted.offer);
      }),
      { numRuns: PRICING_CASES },
    );
  });

  test('an income carries exactly as much as it can: one centavo more needs more income', () => {
    const incomes = fc.record({ request: likelyQuoteRequest, income: anyAmount(100_000, 50_000_000) });
    fc.assert(
      fc.property(anyBank, incomes, (bank, { request, income }) => {
        const asked = { ...request, income, propertyValue: undefined, financedValue: undefined };
        const quoted = quote(bank, asked);
        fc.pre('offer' in quoted);
        const offer = offerOf(quoted);
        expect(offer.requiredIncome).toBeLessThanOrEqual(income);
        const dearer = quote(bank, { ...asked, financedValue: centavos(offer.principal - offer.expenses + 1) });
        if ('refusal' in dearer) expect(dearer.refusal.reason.kind).toBe('financedTooHigh');
        else expect(dearer.offer.requiredIncome).toBeGreaterThan(income);
      }),
      { numRuns: COSTLY_CASES },
    );
  });

  test('the least property is the least: one centavo less does not carry the loan', () => {
    fc.assert(
      fc.property(anyBank, likelyQuoteRequest, anyAmount(5_000_000, 1_000_000_000), (bank, request, financedValue) => {
        const asked = { ...request, financedValue, propertyValue: undefined };
        const quoted = quote(bank, asked);
        fc.pre('offer' in quoted);
        const offer = offerOf(quoted);
        const reason = reasonOf(quote(bank, { ...asked, propertyValue: centavos(offer.propertyValue - 1) }));
        expect(['ltvExceeded', 'propertyTooCheap', 'leastLoanAboveShare']).toContain(reason.kind);
      }),
      { numRuns: COSTLY_CASES },
    );
  });

  test('the longest term is the longest: one month more is refused', () => {
    fc.assert(
      fc.property(anyBank, likelyQuoteRequest, (bank, request) => {
        const asked = { ...request, term: undefined };
        const quoted = quote(bank, asked);
        fc.pre('offer' in quoted);
        const { term } = offerOf(quoted);
        const reason = reasonOf(quote(bank, { ...asked, term: term + 1 }));
        expect(reason).toEqual({
          kind: term === LIMITS[bank].months[1] ? 'termTooLong' : 'tooOldAtTheEnd',
          longest: term,
        });
      }),
      { numRuns: COSTLY_CASES },
    );
  });
});

describe('what is left out', () => {
  test('the system is SAC, the term the longest', () => {
    const { term: _, ...open } = makeQuoteRequest();
    for (const bank of BANKS) {
      const offer = offerOf(quote(bank, open));
      expect(offer).toMatchObject({ system: 'SAC', term: LIMITS[bank].months[1] });
    }
  });

  test('the financed value is the bank’s highest share', () => {
    const request = makeQuoteRequest({ financedValue: undefined, propertyValue: reais('333333.33') });
    const financed = (bank: Bank) => offerOf(quote(bank, request)).principal;
    expect(BANKS.map(financed)).toEqual(
      ['266666.66', '266666.66', '266666.66', '249999.99', '266666.66', '199999.99'].map(reais),
    );
  });

  test('the property is the least that carries the financed value, and satisfies the bank', () => {
    const request = makeQuoteRequest({ propertyValue: undefined, financedValue: reais('100000.01') });
    const property = (bank: Bank) => offerOf(quote(bank, request)).propertyValue;
    expect(BANKS.map(property)).toEqual(
      ['125000.02', '125000.02', '125000.02', '200000.00', '125000.02', '166666.69'].map(reais),
    );
  });

  test('an income alone carries the loan that it needs', () => {
    const request = makeQuoteRequest({
      propertyValue: undefined,
      financedValue: undefined,
      term: undefined,
      income: reais('15000.00'),
    });
    const offer = offerOf(quote('bradesco', request));
    expect(offer.first.total).toBe(reais('4500.00'));
    expect(offer.propertyValue).toBe(portionDown(offer.principal, ratio(10n, 8n)) + (offer.principal % 4 ? 1 : 0));
  });

  test('an income beside values limits nothing', () => {
    const { income: _, ...without } = offerOf(quote('itau', makeQuoteRequest()));
    for (const income of ['0.00', '1000.00']) {
      const { income: standing, ...offer } = offerOf(quote('itau', makeQuoteRequest({ income: reais(income) })));
      expect({ ...offer, notices: without.notices }).toEqual(without);
      expect(standing).toEqual({ sufficient: false });
    }
  });

  test('the age is 35 on the contract’s day', () => {
    for (const contractDay of ['2026-06-15', '2028-02-29', '2026-12-31'] as Day[]) {
      const { birthDate: _, ...ageless } = makeQuoteRequest({ contractDay });
      const birthDate = assumedBirthDate(contractDay);
      const { birthDate: shown, notices, ...offer } = offerOf(quote('brb', ageless));
      expect(shown).toBeUndefined();
      expect(notices).toContainEqual({ kind: 'ageAssumed', years: 35 });
      const { notices: others, ...known } = offerOf(quote('brb', { ...ageless, birthDate }));
      expect({ ...offer, birthDate }).toEqual(known);
      expect(others).not.toContainEqual({ kind: 'ageAssumed', years: 35 });
    }
    expect(assumedBirthDate('2026-06-15' as Day)).toBe('1991-06-15');
    expect(assumedBirthDate('2028-02-29' as Day)).toBe('1993-02-28');
  });

  test('without values and income there is nothing to quote', () => {
    const nothing = makeQuoteRequest({ propertyValue: undefined, financedValue: undefined });
    expect(() => quote('itau', nothing)).toThrow(RangeError);
  });
});

describe('limits', () => {
  test('a share too high names the highest financed value', () => {
    const request = makeQuoteRequest({ financedValue: reais('400000.01') });
    const highest = (bank: Bank) => reasonOf(quote(bank, request));
    expect(highest('bradesco')).toEqual({ kind: 'ltvExceeded', share: 80, highest: reais('400000.00'), expenses: 0 });
    expect(highest('inter')).toEqual({ kind: 'ltvExceeded', share: 75, highest: reais('375000.00'), expenses: 0 });
    expect(highest('cashme')).toEqual({ kind: 'ltvExceeded', share: 60, highest: reais('300000.00'), expenses: 0 });
    expect(reasonOf(quote('bradesco', { ...request, system: 'PRICE' }))).toEqual({
      kind: 'ltvExceeded',
      share: 70,
      highest: reais('350000.00'),
      expenses: 0,
    });
    expect(offerOf(quote('bradesco', makeQuoteRequest({ financedValue: reais('400000.00') }))).principal).toBe(
      reais('400000.00'),
    );
  });

  test('born in 1956, 420 months: the longest term that the age allows', () => {
    const request = makeQuoteRequest({ ...born('1956-08-20'), term: 420 });
    // 80 years and 6 months on 2037-02-20: 128 months after 2026-06-15.
    for (const bank of BANKS)
      expect(reasonOf(quote(bank, request)), bank).toEqual({ kind: 'tooOldAtTheEnd', longest: 128 });
    expect(offerOf(quote('itau', { ...request, term: 128 })).term).toBe(128);
    expect(offerOf(quote('itau', { ...request, term: undefined })).term).toBe(128);
  });

  test('75 years old: 66 months, to the day', () => {
    const longest = (birthDate: string, contractDay: string) =>
      offerOf(quote('itau', makeQuoteRequest({ ...born(birthDate), contractDay: contractDay as Day, term: undefined })))
        .term;
    expect(longest('1951-06-15', '2026-06-15')).toBe(66);
    expect(longest('1951-06-16', '2026-06-15')).toBe(66);
    expect(longest('1951-06-14', '2026-06-15')).toBe(65);
    expect(longest('1951-08-31', '2026-08-31')).toBe(66);
    expect(longest('1952-02-29', '2027-02-28')).toBe(66);
    expect(longest('1952-02-28', '2027-03-01')).toBe(65);
  });

  test('an age whose longest term is below the bank’s shortest has none', () => {
    const request = makeQuoteRequest({ ...born('1952-06-15'), term: undefined });
    expect(monthsBetween(request.contractDay, '2032-12-15' as Day)).toBe(78);
    expect(reasonOf(quote('bradesco', request))).toEqual({ kind: 'tooOldAtTheEnd', longest: 0 });
    expect(offerOf(quote('itau', request)).term).toBe(78);
  });

  test.each([
    ['2008-06-15', undefined],
    ['2008-06-16', { kind: 'tooYoung', youngest: 18 }],
    ['1945-06-16', { kind: 'tooOldAtTheEnd', longest: 0 }],
    ['1945-06-15', { kind: 'tooOld', oldest: 80 }],
  ] as const)('born on %s, on 15 June 2026', (birthDate, reason) => {
    for (const bank of BANKS) {
      const quoted = quote(bank, makeQuoteRequest(born(birthDate)));
      expect('refusal' in quoted ? quoted.refusal.reason : undefined).toEqual(reason);
    }
  });

  test('a term outside the bank’s names the nearest one inside', () => {
    const reason = (bank: Bank, term: number) => reasonOf(quote(bank, makeQuoteRequest({ term })));
    expect(reason('inter', 361)).toEqual({ kind: 'termTooLong', longest: 360 });
    expect(reason('cashme', 420)).toEqual({ kind: 'termTooLong', longest: 240 });
    expect(reason('bradesco', 421)).toEqual({ kind: 'termTooLong', longest: 420 });
    expect(reason('bradesco', 119)).toEqual({ kind: 'termTooShort', shortest: 120 });
    expect(reason('inter', 1)).toEqual({ kind: 'termTooShort', shortest: 24 });
  });

  test('a term beyond both bank and age names the lower of the two', () => {
    // Born on 2 July 1987: 498 months from 15 June 2026 to 80 years and 6 months.
    const reason = (bank: Bank, birthDate: string) =>
      reasonOf(quote(bank, makeQuoteRequest({ ...born(birthDate), term: 600 })));
    expect(reason('inter', '1987-07-02')).toEqual({ kind: 'termTooLong', longest: 360 });
    expect(reason('itau', '1987-07-02')).toEqual({ kind: 'termTooLong', longest: 420 });
    expect(reason('itau', '1980-12-15')).toEqual({ kind: 'termTooLong', longest: 420 });
    expect(reason('itau', '1980-12-14')).toEqual({ kind: 'tooOldAtTheEnd', longest: 419 });
  });

  test('a property worth too little names the least', () => {
    const reason = (bank: Bank, property: string, financed: string | undefined) =>
      reasonOf(
        quote(
          bank,
          makeQuoteRequest({ propertyValue: reais(property), financedValue: financed ? reais(financed) : undefined }),
        ),
      );
    expect(reason('inter', '199999.99', '100000.00')).toEqual({
      kind: 'propertyTooCheap',
      least: reais('200000.00'),
    });
  });

  test('where the bank names no least property, its least loan is named, and the property that carries it', () => {
    const reason = (bank: Bank, property: string) =>
      reasonOf(quote(bank, makeQuoteRequest({ propertyValue: reais(property), financedValue: undefined })));
    const leastLoan = (loan: string, share: number, property: string) => ({
      kind: 'leastLoanAboveShare',
      leastLoan: reais(loan),
      share,
      property: reais(property),
    });
    expect(reason('bradesco', '124999.99')).toEqual(leastLoan('100000.00', 80, '125000.00'));
    expect(reason('cashme', '0.00')).toEqual(leastLoan('50000.00', 60, '83333.34'));
  });

  test('a loan too small names the least', () => {
    const reason = (bank: Bank, financed: string) =>
      reasonOf(quote(bank, makeQuoteRequest({ financedValue: reais(financed) })));
    expect(reason('bradesco', '99999.99')).toEqual({ kind: 'financedTooLow', least: reais('100000.00') });
    expect(reason('itau', '0.00')).toEqual({ kind: 'financedTooLow', least: reais('98000.00') });
    expect(
      reasonOf(quote('brb', makeQuoteRequest({ propertyValue: undefined, financedValue: reais('49999.99') }))),
    ).toEqual({ kind: 'financedTooLow', least: reais('50000.00') });
  });

  test('an income of nothing carries nothing, and the least income does', () => {
    const request = makeQuoteRequest({ propertyValue: undefined, financedValue: undefined, income: reais('0.00') });
    for (const bank of BANKS) {
      const reason = reasonOf(quote(bank, request));
      if (reason.kind !== 'incomeCarriesNothing') throw new Error(reason.kind);
      const withLess = { ...request, income: centavos(reason.least - 1) };
      expect(reasonOf(quote(bank, withLess))).toEqual(reason);
      const offer = offerOf(quote(bank, { ...request, income: reason.least }));
      expect(offer.requiredIncome).toBe(reason.least);
    }
  });

  test('a system that the bank lacks names those that it has', () => {
    expect(reasonOf(quote('itau', makeQuoteRequest({ system: 'PRICE' })))).toEqual({
      kind: 'systemNotOffered',
      offered: ['SAC'],
    });
  });

  test('the first limit passed is named: system, age, property, term, least loan, share', () => {
    const wrong = makeQuoteRequest({
      system: 'PRICE',
      ...born('1945-01-01'),
      propertyValue: reais('50000.00'),
      financedValue: reais('60000.00'),
      term: 500,
    });
    const kinds: string[] = [];
    const ask = (request: QuoteRequest) => kinds.push(reasonOf(quote('itau', request)).kind);
    ask(wrong);
    ask({ ...wrong, system: 'SAC' });
    const adult = { ...wrong, system: 'SAC' as const, ...born('1990-01-01') };
    ask(adult);
    ask({ ...adult, propertyValue: reais('122500.00') });
    ask({ ...adult, propertyValue: reais('122500.00'), term: 120 });
    ask({ ...adult, propertyValue: reais('122500.00'), term: 120, financedValue: reais('98000.01') });
    expect(kinds).toEqual([
      'systemNotOffered',
      'tooOld',
      'leastLoanAboveShare',
      'termTooLong',
      'financedTooLow',
      'ltvExceeded',
    ]);
  });

  test('of six banks four may refuse', () => {
    const request = makeQuoteRequest({
      system: 'PRICE',
      propertyValue: reais('150000.00'),
      financedValue: reais('110000.00'),
      term: 300,
    });
    expect(BANKS.map((bank) => quote(bank, request)).map((quoted) => 'offer' in quoted)).toEqual([
      false,
      false,
      true,
      false,
      true,
      false,
    ]);
  });
});

describe('expenses', () => {
  const withExpenses = makeQuoteRequest({ financeExpenses: true });

  test('are 4 % of the property, financed by the banks that do', () => {
    const expenses = (bank: Bank) => offerOf(quote(bank, withExpenses));
    for (const bank of ['bradesco', 'itau', 'santander'] as const)
      expect(expenses(bank)).toMatchObject({ expenses: reais('20000.00'), principal: reais('320000.00') });
    for (const bank of ['inter', 'brb', 'cashme'] as const)
      expect(expenses(bank)).toMatchObject({ expenses: 0, principal: reais('300000.00') });
  });

  test('count inside the share', () => {
    const request = { ...withExpenses, financedValue: reais('380000.01') };
    expect(reasonOf(quote('itau', request))).toEqual({
      kind: 'ltvExceeded',
      share: 80,
      highest: reais('380000.00'),
      expenses: reais('20000.00'),
    });
    const most = offerOf(quote('itau', { ...request, financedValue: undefined }));
    expect(most).toMatchObject({ expenses: reais('20000.00'), principal: reais('400000.00') });
  });

  test('are carried by the property that is found for a loan', () => {
    const { propertyValue, expenses, principal } = offerOf(
      quote('itau', { ...withExpenses, propertyValue: undefined, financedValue: reais('380000.00') }),
    );
    // Half a centavo of expenses rounds down and gives the share room: a centavo or two below 500,000.00.
    expect(propertyValue).toBeLessThanOrEqual(reais('500000.00'));
    expect(propertyValue).toBeGreaterThan(reais('499999.95'));
    expect(expenses).toBe(principal - reais('380000.00'));
  });
});

describe('product and indexer', () => {
  const dear = (property: string): Partial<QuoteRequest> => ({ propertyValue: reais(property) });

  test.each([
    ['bradesco', '2250000.00', 'SFH'],
    ['bradesco', '2250000.01', 'SFI'],
    ['brb', '2250000.00', 'SFH'],
    ['inter', '2250000.01', 'SFI'],
    ['cashme', '500000.00', 'HOME_EQUITY'],
    ['cashme', '3000000.00', 'HOME_EQUITY'],
  ] as const)('%s on a property of %s: %s', (bank, property, product) => {
    expect(offerOf(quote(bank, makeQuoteRequest(dear(property)))).product).toBe(product);
  });

  test('a rate above 12 % is SFI', () => {
    const itau = TABLES.banks.itau[0] as SingleRateTable;
    const at = (value: string): Tables => ({
      ...TABLES,
      banks: { ...TABLES.banks, itau: [{ ...itau, annualRate: { ...itau.annualRate, value } }] },
    });
    expect(offerOf(quote('itau', makeQuoteRequest(), at('12.00'))).product).toBe('SFH');
    expect(offerOf(quote('itau', makeQuoteRequest(), at('12.01'))).product).toBe('SFI');
  });

  test.each([
    ['bradesco', 'SAC', 'TR'],
    ['bradesco', 'PRICE', 'TR'],
    ['itau', 'SAC', 'TR'],
    ['santander', 'SAC', 'TR'],
    ['santander', 'PRICE', 'PREFIXADO'],
    ['inter', 'SAC', 'IPCA'],
    ['inter', 'PRICE', 'IPCA'],
    ['brb', 'PRICE', 'TR'],
    ['cashme', 'PRICE', 'IPCA'],
  ] as const)('%s %s is indexed by %s', (bank, system, indexer) => {
    expect(offerOf(quote(bank, makeQuoteRequest({ system }))).indexer).toBe(indexer);
  });
});

describe('offers to the centavo', () => {
  // Computed by a separate program in another language, from the published rules, in decimals of 50 digits.
  const REFERENCE: readonly (readonly [Bank, 'SAC' | 'PRICE', number, readonly string[], number])[] = [
    ['bradesco', 'SAC', 420, ['3634.15', '744.09', '952359.10', '12113.83'], 12.79],
    ['bradesco', 'SAC', 120, ['5419.86', '2548.16', '480747.28', '18066.20'], 12.9],
    ['bradesco', 'PRICE', 420, ['2978.90', '2843.53', '1296561.46', '9929.67'], 12.76],
    ['bradesco', 'PRICE', 120, ['4293.09', '4177.96', '512040.78', '14310.30'], 12.81],
    ['itau', 'SAC', 420, ['3600.06', '719.04', '943171.03', '10800.18'], 12.58],
    ['itau', 'SAC', 120, ['5385.77', '2522.97', '476595.67', '16157.31'], 12.64],
    ['santander', 'SAC', 420, ['3665.46', '744.14', '977657.06', '10996.38'], 12.88],
    ['santander', 'SAC', 120, ['5451.17', '2548.33', '482151.31', '16353.51'], 12.85],
    ['santander', 'PRICE', 420, ['3008.95', '2896.57', '1356180.02', '9026.85'], 12.92],
    ['santander', 'PRICE', 120, ['4317.93', '4191.92', '513917.75', '12953.79'], 12.77],
    ['inter', 'SAC', 360, ['3214.87', '865.87', '756782.20', '8037.18'], 10.34],
    ['inter', 'SAC', 120, ['4881.54', '2543.98', '447965.33', '12203.85'], 10.4],
    ['inter', 'PRICE', 360, ['2541.70', '2455.03', '942009.22', '6354.25'], 10.31],
    ['inter', 'PRICE', 120, ['3922.21', '3843.19', '468911.18', '9805.53'], 10.33],
    ['brb', 'SAC', 420, ['3708.51', '744.25', '969907.98', '12361.70'], 13.07],
    ['brb', 'SAC', 120, ['5494.22', '2548.72', '486446.11', '18314.07'], 13.24],
    ['brb', 'PRICE', 420, ['3049.17', '2940.69', '1322646.15', '10163.90'], 13.01],
    ['brb', 'PRICE', 120, ['4346.00', '4222.40', '518832.61', '14486.67'], 13.12],
    ['cashme', 'SAC', 240, ['4598.34', '1263.62', '711331.09', '11495.85'], 15.42],
    ['cashme', 'SAC', 120, ['5848.34', '2527.24', '504969.04', '14620.85'], 15.84],
    ['cashme', 'PRICE', 240, ['3610.28', '3533.96', '870251.27', '9025.70'], 15.22],
    ['cashme', 'PRICE', 120, ['4572.04', '4493.51', '547125.69', '11430.10'], 15.63],
  ];

  test.each(REFERENCE)('%s, %s, %d months', (bank, system, term, [first, last, total, income], cost) => {
    const offer = offerOf(quote(bank, makeQuoteRequest({ system, term })));
    const amounts: Centavos[] = [offer.first.total, offer.lastTotal, offer.total, offer.requiredIncome];
    expect(amounts).toEqual([first, last, total, income].map((amount) => reais(amount!)));
    expect(offer.effectiveAnnualCost).toBe(cost);
  });

  test('every figure of one record', () => {
    expect(offerOf(quote('bradesco', makeQuoteRequest({ term: 360 })))).toEqual({
      bank: 'bradesco',
      tableVersion: 'bradesco-2026-01',
      product: 'SFH',
      indexer: 'TR',
      system: 'SAC',
      term: 360,
      contractDay: '2026-06-15',
      birthDate: '1990-05-17',
      propertyValue: reais('500000.00'),
      principal: reais('300000.00'),
      expenses: 0,
      annualRate: 11.7,
      monthlyRate: 0.9263,
      effectiveAnnualCost: 12.78,
      first: {
        number: 1,
        dueDate: '2026-07-15',
        amortization: reais('833.33'),
        interest: reais('2778.96'),
        mip: reais('82.90'),
        dfi: reais('33.00'),
        fee: reais('25.00'),
        total: reais('3753.19'),
        balance: reais('299166.67'),
      },
      lastTotal: reais('867.26'),
      total: reais('854064.06'),
      requiredIncome: reais('12510.63'),
      appraisalFee: reais('3500.00'),
      dfiRate: 0.0066,
      monthlyFee: reais('25.00'),
      segment: 'padrao',
      rateKind: 'a_partir_de',
      rateDate: '2025-11',
      rateSource: 'Banco Central do Brasil, published rates, November 2025',
      purpose: 'residencial',
      iof: 0,
      fgts: 0,
      downPayment: reais('200000.00'),
      cashExpenses: reais('20000.00'),
      cashNeeded: reais('223500.00'),
      projection: undefined,
      income: undefined,
      notices: [{ kind: 'tableOld', days: 165 }],
    });
  });
});

describe('a new table', () => {
  const santander = TABLES.banks.santander[0] as SingleRateTable;
  const renewed: Tables = {
    ...TABLES,
    banks: {
      ...TABLES.banks,
      santander: [
        santander,
        {
          ...santander,
          version: 'santander-2026-07',
          validFrom: '2026-07-01',
          annualRate: { ...santander.annualRate, value: '10.99' },
        },
      ],
    },
  };

  test('prices what is asked from its day on, and leaves old records alone', () => {
    const before = offerOf(quote('santander', makeQuoteRequest({ contractDay: '2026-06-30' as Day }), renewed));
    const after = offerOf(quote('santander', makeQuoteRequest({ contractDay: '2026-07-01' as Day }), renewed));
    expect([before.tableVersion, before.annualRate]).toEqual(['santander-2026-01', 11.79]);
    expect([after.tableVersion, after.annualRate]).toEqual(['santander-2026-07', 10.99]);
    expect(scheduleOf(before, renewed)[0]).toEqual(before.first);
    expect(scheduleOf(after, renewed)[0]).toEqual(after.first);
    expect(() => scheduleOf(after)).toThrow(RangeError);
  });

  test('that states a nominal rate is charged a twelfth a month and shows the effective one', () => {
    const nominal: Tables = {
      ...TABLES,
      banks: {
        ...TABLES.banks,
        santander: [{ ...santander, rateBasis: 'nominal', annualRate: { ...santander.annualRate, value: '8.1858' } }],
      },
    };
    const offer = offerOf(quote('santander', makeQuoteRequest(), nominal));
    expect(offer).toMatchObject({ annualRate: 8.5, monthlyRate: 0.6822, first: { interest: reais('2046.45') } });
  });

  test('is needed on the contract’s day', () => {
    expect(() => quote('itau', makeQuoteRequest({ contractDay: '2025-12-31' as Day }))).toThrow(RangeError);
  });
});
