import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assumedBirthDate } from '#shared/domain/simulations/pricing/borrowers.ts';
import { quote, scheduleOf } from '#shared/domain/simulations/pricing/quote.ts';
import type { Tables } from '#shared/domain/simulations/pricing/tables/in-force.ts';
import {
  type AmortizationSystem,
  type Offer,
  type QuoteRequest,
  SEGMENTS,
} from '#shared/domain/simulations/simulation.ts';
import type { Bank } from '#shared/domain/values/bank.ts';
import { addMonths, type Day } from '#shared/domain/values/clock.ts';
import { centavos } from '#shared/domain/values/money.ts';
import { FROZEN_TABLES } from '#test/makers/frozen-tables.ts';
import {
  forOffers,
  likelyQuoteRequest,
  makeQuoteRequest,
  offerOf,
  offerOfBank,
  PRICING_CASES,
  reais,
} from '#test/makers/quote-request.ts';

const inReais = (amount: number) => amount / 100;

/** Expects an offer with the values that were asked for, whose last due date keeps the limit of age of 966 months. */
function expectAsAsked(request: QuoteRequest, offer: Offer): void {
  const financed = offer.principal - offer.expenses;
  const birthDate = request.birthDate ?? assumedBirthDate(request.contractDay);
  expect(addMonths(offer.contractDay, offer.term) <= addMonths(birthDate, 966)).toBe(true);
  expect(offer.system).toBe(request.system ?? 'SAC');
  expect(offer.term).toBe(request.term ?? offer.term);
  expect(offer.propertyValue).toBe(request.propertyValue ?? offer.propertyValue);
  expect(financed).toBe(request.financedValue ?? financed);
}

test('quote of any request keeps its values and the limit of age, and agrees with scheduleOf', () => {
  const requests = fc
    .tuple(likelyQuoteRequest, fc.constantFrom(...SEGMENTS))
    .map(([request, segment]) => ({ ...request, segment }));
  forOffers(requests, PRICING_CASES, (offer, request) => {
    expectAsAsked(request, offer);
    const rows = scheduleOf(offer);
    expect(rows).toHaveLength(offer.term);
    expect(rows[0]).toEqual(offer.first);
    expect(rows.at(-1)).toMatchObject({ total: offer.lastTotal, balance: 0, mip: 0, dfi: 0 });
    expect(rows.reduce((sum, row) => sum + row.total, 0)).toBe(offer.total);
    expect(rows.reduce((sum, row) => sum + row.amortization, 0)).toBe(offer.principal);
    expect(offer.effectiveAnnualCost).toBeGreaterThan(offer.annualRate);
    const stored = JSON.parse(JSON.stringify(offer)) as Offer;
    expect(JSON.stringify(scheduleOf(stored))).toBe(JSON.stringify(rows));
  });
});

test('quote of a request with values makes the same offer, however small the income is', () => {
  const { income: _, ...without } = offerOfBank('itau');
  for (const income of ['0.00', '1000.00']) {
    const { income: standing, ...offer } = offerOfBank('itau', { income: reais(income) });
    expect({ ...offer, notices: without.notices }).toEqual(without);
    expect(standing).toEqual({ sufficient: false });
  }
});

test('quote without a birth date assumes an age of 35 on the contract’s day, and says so', () => {
  const contractDay = '2028-02-29' as Day;
  const { birthDate: _, ...ageless } = makeQuoteRequest({ contractDay });
  const birthDate = assumedBirthDate(contractDay);
  const { birthDate: shown, notices, ...offer } = offerOf(quote('brb', ageless, FROZEN_TABLES));
  expect(shown).toBeUndefined();
  expect(notices).toContainEqual({ kind: 'ageAssumed', years: 35 });
  const { notices: others, ...known } = offerOf(quote('brb', { ...ageless, birthDate }, FROZEN_TABLES));
  expect({ ...offer, birthDate }).toEqual(known);
  expect(others).not.toContainEqual({ kind: 'ageAssumed', years: 35 });
  expect(assumedBirthDate('2028-02-29' as Day)).toBe('1993-02-28');
});

test('quote throws if neither values nor an income are known', () => {
  const nothing = makeQuoteRequest({ propertyValue: undefined, financedValue: undefined });
  expect(() => quote('itau', nothing, FROZEN_TABLES)).toThrow(RangeError);
});

// A separate program in another language computed these figures from the published rules, with decimals of 60 digits.
// The columns are bank, system, months; first, last and total instalments, income, IOF; CET; projected last and total
// instalments; projected CET.
const REFERENCE = `
  bradesco SAC 420 3879.27 744.67 1005345.19 12930.90 0.00 13.89 1467.89 1334609.75 16.13
  bradesco SAC 120 5664.98 2550.20 495728.51 18883.27 0.00 14.02 3103.19 541150.38 16.26
  bradesco PRICE 420 3210.43 3125.20 1398788.17 10701.43 0.00 13.86 6163.72 2014011.46 16.11
  bradesco PRICE 120 4461.75 4345.28 532573.80 14872.50 0.00 13.92 5292.09 588570.82 16.17
  itau SAC 420 4068.54 720.15 1043811.97 12205.62 0.00 14.69 1443.85 1390414.17 16.96
  itau SAC 120 5854.25 2526.87 505029.78 17562.75 0.00 14.77 3080.23 551342.09 17.05
  santander SAC 420 3665.46 744.14 980503.57 10996.38 0.00 12.9 1466.82 1310875.40 15.12
  santander SAC 120 5451.17 2548.33 482246.36 16353.51 0.00 12.85 3100.91 526718.62 15.08
  inter SAC 360 3327.36 866.18 778440.17 11091.20 0.00 10.85 2596.48 1275502.28 14.97
  inter SAC 120 4994.03 2544.92 454875.17 16646.77 0.00 10.9 3683.97 539711.95 15.05
  inter PRICE 360 2639.74 2566.96 980657.19 8799.13 0.00 10.82 7787.69 1801850.69 14.96
  inter PRICE 120 3995.84 3916.08 477902.20 13319.47 0.00 10.83 5675.92 578474.06 14.98
  brb SAC 420 3708.51 744.25 971184.64 12361.70 0.00 13.08 1467.04 1287571.57 15.28
  brb SAC 120 5494.22 2548.72 486514.62 18314.07 0.00 13.25 3101.39 531025.59 15.46
  brb PRICE 420 3049.17 2940.69 1325015.80 10163.90 0.00 13.02 5827.87 1903135.70 15.23
  brb PRICE 120 4346.00 4222.40 518922.72 14486.67 0.00 13.13 5142.85 573138.06 15.35
  cashme SAC 240 4599.08 1263.63 711842.59 15330.27 9912.98 15.43 2664.20 982996.25 19.78
  cashme SAC 120 5849.08 2527.25 505118.12 19496.93 9706.95 15.85 3669.62 597367.79 20.22
  cashme PRICE 240 3610.92 3530.24 871097.62 12036.40 10074.24 15.24 7446.43 1292731.81 19.58
  cashme PRICE 120 4572.57 4493.24 547326.66 15241.90 9909.83 15.64 6524.65 663396.39 20.0
`;

const REFERENCES = REFERENCE.trim()
  .split('\n')
  .map((line) => line.trim().split(' '));

test.each(REFERENCES)('quote at %s under %s over %s months equals the reference to the centavo', (...line) => {
  const [bank, system, term, ...figures] = line;
  const offer = offerOfBank(bank as Bank, { system: system as AmortizationSystem, term: Number(term) });
  expect(figures).toHaveLength(9);
  const [first, last, total, income, iof, cost, projectedLast, projectedTotal, projectedCost] = figures.map(Number);
  expect(inReais(offer.first.total)).toBe(first);
  expect(inReais(offer.lastTotal)).toBe(last);
  expect(inReais(offer.total)).toBe(total);
  expect(inReais(offer.requiredIncome)).toBe(income);
  expect(inReais(offer.iof)).toBe(iof);
  expect(offer.effectiveAnnualCost).toBe(cost);
  expect(inReais(offer.projection.lastTotal)).toBe(projectedLast);
  expect(inReais(offer.projection.total)).toBe(projectedTotal);
  expect(offer.projection.annualCost).toBe(projectedCost);
});

describe('scheduleOf', () => {
  const offer = offerOfBank('itau');
  const other = new Error('the schedule of table itau-2026-11 is not the one that was offered');

  test.each<[string, Partial<Offer>]>([
    ['total', { total: centavos(offer.total + 1) }],
    ['first instalment', { first: { ...offer.first, total: centavos(offer.first.total - 1) } }],
    ['last instalment', { lastTotal: centavos(offer.lastTotal + 1) }],
    ['rate', { rateValue: '11.70' }],
  ])('scheduleOf throws if the %s of a stored offer does not agree with its schedule', (_, change) => {
    expect(() => scheduleOf({ ...offer, ...change })).toThrow(other);
  });

  test('scheduleOf throws if the table does not exist or lacks the offer’s system', () => {
    const noRate = new RangeError('itau-2026-11 has no rate for PRICE');
    expect(() => scheduleOf({ ...offer, system: 'PRICE' })).toThrow(noRate);
    const noTable = new RangeError('there is no table itau-1999-01');
    expect(() => scheduleOf({ ...offer, tableVersion: 'itau-1999-01' })).toThrow(noTable);
  });
});

describe('quote after a new table', () => {
  const [santander] = FROZEN_TABLES.banks.santander;
  const at = (value: string, basis: 'effective' | 'nominal' = 'effective') => ({
    ...santander!,
    rates: santander!.rates.map((row) => ({ ...row, basis, rate: { ...row.rate, value } })),
  });
  const withSantander = (...versions: Tables['banks']['santander']): Tables => ({
    ...FROZEN_TABLES,
    banks: { ...FROZEN_TABLES.banks, santander: versions },
  });

  test('quote uses a new table from its first day on, and scheduleOf keeps the old one for old offers', () => {
    const next = { ...at('10.99'), version: 'santander-2027-01', validFrom: '2027-01-01' };
    const renewed = withSantander(santander!, next);
    const on = (day: string) => offerOfBank('santander', { contractDay: day as Day }, renewed);
    const [before, after] = [on('2026-12-31'), on('2027-01-01')];
    expect(before.tableVersion).toBe('santander-2026-11');
    expect(before.annualRate).toBe(11.79);
    expect(after.tableVersion).toBe('santander-2027-01');
    expect(after.annualRate).toBe(10.99);
    expect(scheduleOf(before, renewed)[0]).toEqual(before.first);
    expect(scheduleOf(after, renewed)[0]).toEqual(after.first);
    expect(() => scheduleOf(after)).toThrow(RangeError);
  });

  test('quote charges a twelfth of a nominal rate each month, and shows the effective rate', () => {
    const offer = offerOfBank('santander', {}, withSantander(at('8.1858', 'nominal')));
    expect(offer).toMatchObject({ annualRate: 8.5, monthlyRate: 0.6822, first: { interest: reais('2046.45') } });
  });
});
