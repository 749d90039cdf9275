import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { offerFor, rankOffers } from '../../../../../shared/domain/simulations/opportunity.ts';
import { oldestTableDays } from '../../../../../shared/domain/simulations/pricing/notices.ts';
import { quote, quoteSystems, scheduleOf } from '../../../../../shared/domain/simulations/pricing/quote.ts';
import { TABLES, type Tables } from '../../../../../shared/domain/simulations/pricing/tables/in-force.ts';
import type { SegmentTable } from '../../../../../shared/domain/simulations/pricing/tables/table.ts';
import {
  inflationBearer,
  type Offer,
  type QuoteRequest,
  SEGMENTS,
  type Segment,
} from '../../../../../shared/domain/simulations/simulation.ts';
import { BANKS, type Bank } from '../../../../../shared/domain/values/bank.ts';
import type { Day } from '../../../../../shared/domain/values/clock.ts';
import {
  COSTLY_CASES,
  likelyQuoteRequest,
  makeQuoteRequest,
  offerOf,
  reais,
  reasonOf,
} from '../../../../makers/quote-request.ts';
import { makeOpportunity } from '../../../../makers/simulation.ts';

const anyBank = fc.constantFrom(...BANKS);
const request = (overrides: Partial<QuoteRequest> = {}) =>
  makeQuoteRequest({ contractDay: '2026-12-15' as Day, ...overrides });

const inter = TABLES.banks.inter.at(-1) as SegmentTable;
const withInter = (change: Partial<SegmentTable>): Tables => ({
  ...TABLES,
  banks: { ...TABLES.banks, inter: [{ ...inter, ...change }] },
});

describe('offers of the tables of November 2026, to the centavo', () => {
  // Computed by a separate program in another language, from the published rules, in decimals of 60 digits:
  // first, last, total, income, IOF; CET; projected last and total; projected CET.
  type Row = readonly [Bank, 'SAC' | 'PRICE', number, readonly string[], number, readonly string[], number];
  const REFERENCE: readonly Row[] = [
    [
      'bradesco',
      'SAC',
      420,
      ['3879.27', '744.67', '1005345.19', '12930.90', '0.00'],
      13.89,
      ['1467.89', '1334609.75'],
      16.13,
    ],
    [
      'bradesco',
      'SAC',
      120,
      ['5664.98', '2550.20', '495728.51', '18883.27', '0.00'],
      14.02,
      ['3103.19', '541150.38'],
      16.26,
    ],
    [
      'bradesco',
      'PRICE',
      420,
      ['3210.43', '3125.20', '1398788.17', '10701.43', '0.00'],
      13.86,
      ['6163.72', '2014011.46'],
      16.11,
    ],
    [
      'bradesco',
      'PRICE',
      120,
      ['4461.75', '4345.28', '532573.80', '14872.50', '0.00'],
      13.92,
      ['5292.09', '588570.82'],
      16.17,
    ],
    [
      'itau',
      'SAC',
      420,
      ['4068.54', '720.15', '1043811.97', '12205.62', '0.00'],
      14.69,
      ['1443.85', '1390414.17'],
      16.96,
    ],
    [
      'itau',
      'SAC',
      120,
      ['5854.25', '2526.87', '505029.78', '17562.75', '0.00'],
      14.77,
      ['3080.23', '551342.09'],
      17.05,
    ],
    [
      'santander',
      'SAC',
      420,
      ['3665.46', '744.14', '980503.57', '10996.38', '0.00'],
      12.9,
      ['1466.82', '1310875.40'],
      15.12,
    ],
    [
      'santander',
      'SAC',
      120,
      ['5451.17', '2548.33', '482246.36', '16353.51', '0.00'],
      12.85,
      ['3100.91', '526718.62'],
      15.08,
    ],
    [
      'inter',
      'SAC',
      360,
      ['3327.36', '866.18', '778440.17', '11091.20', '0.00'],
      10.85,
      ['2596.48', '1275502.28'],
      14.97,
    ],
    [
      'inter',
      'SAC',
      120,
      ['4994.03', '2544.92', '454875.17', '16646.77', '0.00'],
      10.9,
      ['3683.97', '539711.95'],
      15.05,
    ],
    [
      'inter',
      'PRICE',
      360,
      ['2639.74', '2566.96', '980657.19', '8799.13', '0.00'],
      10.82,
      ['7787.69', '1801850.69'],
      14.96,
    ],
    [
      'inter',
      'PRICE',
      120,
      ['3995.84', '3916.08', '477902.20', '13319.47', '0.00'],
      10.83,
      ['5675.92', '578474.06'],
      14.98,
    ],
    [
      'brb',
      'SAC',
      420,
      ['3708.51', '744.25', '971184.64', '12361.70', '0.00'],
      13.08,
      ['1467.04', '1287571.57'],
      15.28,
    ],
    [
      'brb',
      'SAC',
      120,
      ['5494.22', '2548.72', '486514.62', '18314.07', '0.00'],
      13.25,
      ['3101.39', '531025.59'],
      15.46,
    ],
    [
      'brb',
      'PRICE',
      420,
      ['3049.17', '2940.69', '1325015.80', '10163.90', '0.00'],
      13.02,
      ['5827.87', '1903135.70'],
      15.23,
    ],
    [
      'brb',
      'PRICE',
      120,
      ['4346.00', '4222.40', '518922.72', '14486.67', '0.00'],
      13.13,
      ['5142.85', '573138.06'],
      15.35,
    ],
    [
      'cashme',
      'SAC',
      240,
      ['4599.08', '1263.63', '711842.59', '15330.27', '9912.98'],
      15.43,
      ['2664.20', '982996.25'],
      19.78,
    ],
    [
      'cashme',
      'SAC',
      120,
      ['5849.08', '2527.25', '505118.12', '19496.93', '9706.95'],
      15.85,
      ['3669.62', '597367.79'],
      20.22,
    ],
    [
      'cashme',
      'PRICE',
      240,
      ['3610.92', '3530.24', '871097.62', '12036.40', '10074.24'],
      15.24,
      ['7446.43', '1292731.81'],
      19.58,
    ],
    [
      'cashme',
      'PRICE',
      120,
      ['4572.57', '4493.24', '547326.66', '15241.90', '9909.83'],
      15.64,
      ['6524.65', '663396.39'],
      20.0,
    ],
  ];

  test.each(REFERENCE)('%s, %s, %d months', (bank, system, term, amounts, cost, projected, projectedCost) => {
    const offer = offerOf(quote(bank, request({ system, term })));
    const { first, lastTotal, total, requiredIncome, iof, projection } = offer;
    expect([first.total, lastTotal, total, requiredIncome, iof]).toEqual(amounts.map(reais));
    expect(offer.effectiveAnnualCost).toBe(cost);
    expect([projection?.lastTotal, projection?.total]).toEqual(projected.map(reais));
    expect(projection?.annualCost).toBe(projectedCost);
    expect(scheduleOf(offer)[0]).toEqual(first);
  });
});

describe('a segment', () => {
  const rateOf = (bank: Bank, segment?: Segment) => {
    const { annualRate, segment: priced, rateKind, rateDate, notices } = offerOf(quote(bank, request({ segment })));
    return { annualRate, priced, rateKind, rateDate, notices };
  };

  test.each([
    ['bradesco', [12.79, 12.19, 11.7], 'segmento'],
    ['itau', [13.69, 11.9, 11.7], 'segmento'],
  ] as const)('of %s has its own rate', (bank, rates, kind) => {
    expect(SEGMENTS.map((segment) => rateOf(bank, segment).annualRate)).toEqual(rates);
    expect(SEGMENTS.map((segment) => rateOf(bank, segment).priced)).toEqual(SEGMENTS);
    expect(rateOf(bank)).toEqual(rateOf(bank, 'padrao'));
    expect(rateOf(bank).rateKind).toBe(kind);
  });

  test('without a row gets everybody’s rate, and the offer says so', () => {
    for (const bank of ['santander', 'inter', 'brb', 'cashme'] as const)
      expect(rateOf(bank, 'intermediario')).toEqual({
        ...rateOf(bank),
        notices: [{ kind: 'segmentWithoutRate', asked: 'intermediario' }],
      });
    expect(rateOf('santander', 'alta_renda').annualRate).toBe(11.69);
    expect(rateOf('brb').rateKind).toBe('media');
    expect(rateOf('inter')).toMatchObject({ annualRate: 9.99, rateKind: 'a_partir_de', rateDate: '2026-07' });
  });

  test('is kept: the schedule of a stored offer is that of its segment', () => {
    fc.assert(
      fc.property(anyBank, likelyQuoteRequest, fc.constantFrom(...SEGMENTS), (bank, asked, segment) => {
        const quoted = quote(bank, { ...asked, segment });
        fc.pre('offer' in quoted);
        const stored = JSON.parse(JSON.stringify(offerOf(quoted))) as Offer;
        expect(scheduleOf(stored)[0]).toEqual(stored.first);
      }),
      { numRuns: COSTLY_CASES },
    );
  });

  test('a rate published by the month is charged as it stands', () => {
    const offer = offerOf(quote('cashme', request({ system: 'PRICE' })));
    expect(offer).toMatchObject({ annualRate: 13.89, monthlyRate: 1.09 });
    expect(offer.first.interest).toBe(reais('3270.00'));
    expect(offer.first.amortization + offer.first.interest).toBe(reais('3531.84'));
  });
});

describe('the SFH', () => {
  const sfh = (bank: Bank, overrides: Partial<QuoteRequest> = {}, tables = TABLES) =>
    offerOf(quote(bank, request(overrides), tables)).product;
  const withRate = (value: string, fee = '25.00') =>
    withInter({
      rates: inter.rates.map((row) => ({ ...row, rate: { ...row.rate, value } })),
      monthlyFee: { ...inter.monthlyFee, value: fee },
    });

  test('ends above 12 % a year and above its property', () => {
    expect([sfh('inter', {}, withRate('12.00')), sfh('inter', {}, withRate('12.01'))]).toEqual(['SFH', 'SFI']);
    expect([sfh('bradesco'), sfh('itau'), sfh('santander'), sfh('brb')]).toEqual(['SFI', 'SFI', 'SFH', 'SFH']);
    expect([
      sfh('brb', { propertyValue: reais('2250000.00') }),
      sfh('brb', { propertyValue: reais('2250000.01') }),
    ]).toEqual(['SFH', 'SFI']);
  });

  test('leaves a fee of up to 25.00 out of the rate, and counts what is above', () => {
    // 300,000.00 over 240 months at 11.90: an excess of 20.00 a month costs more than 0.10 a year, one of 5.00 less.
    expect(sfh('inter', {}, withRate('11.90', '25.00'))).toBe('SFH');
    expect(sfh('inter', {}, withRate('11.90', '30.00'))).toBe('SFH');
    expect(sfh('inter', {}, withRate('11.90', '45.00'))).toBe('SFI');
    expect(sfh('inter', {}, withRate('12.00', '25.01'))).toBe('SFH');
    expect(sfh('inter', {}, withRate('12.00', '30.00'))).toBe('SFI');
  });
});

describe('the comparison', () => {
  test('projects nothing where there is no indexer', () => {
    const fixed = withInter({ rates: inter.rates.map((row) => ({ ...row, indexer: 'PREFIXADO' as const })) });
    const { projection, effectiveAnnualCost, lastTotal, total, ...offer } = offerOf(quote('inter', request(), fixed));
    expect(projection).toMatchObject({ indexPercent: 0, annualCost: effectiveAnnualCost, lastTotal, total });
    expect(inflationBearer(offer)).toBe('bank');
    expect(inflationBearer(offerOf(quote('inter', request())))).toBe('borrower');
  });

  test('rises with the indexer, and without one differs by rounding alone', () => {
    const at = (value: string): Tables => {
      const [scenario] = TABLES.scenarios;
      const { indexers } = scenario!;
      return { ...TABLES, scenarios: [{ ...scenario!, indexers: { ...indexers, IPCA: { ...indexers.IPCA, value } } }] };
    };
    fc.assert(
      fc.property(fc.constantFrom('inter' as const, 'cashme' as const), likelyQuoteRequest, (bank, asked) => {
        const costs = ['0', '3.80', '9'].map((value) => quote(bank, asked, at(value)));
        fc.pre(costs.every((made) => 'offer' in made));
        const [none, some, much] = costs.map((made) => offerOf(made));
        expect(Math.abs(none!.projection!.annualCost - none!.effectiveAnnualCost)).toBeLessThanOrEqual(0.01);
        // Half a centavo a month, grown by the interest to the end of the term.
        expect(Math.abs(none!.projection!.total - none!.total)).toBeLessThanOrEqual(5 * none!.term);
        expect(some!.projection!.annualCost).toBeGreaterThan(none!.projection!.annualCost);
        expect(much!.projection!.annualCost).toBeGreaterThan(some!.projection!.annualCost);
        expect(some!.effectiveAnnualCost).toBe(none!.effectiveAnnualCost);
      }),
      { numRuns: COSTLY_CASES / 5 },
    );
  });

  test('ranks by the projected cost, then the official one, then the bank', () => {
    const offers = BANKS.map((bank) => offerOf(quote(bank, request())));
    expect(rankOffers(offers).map(({ bank }) => bank)).toEqual([
      'inter',
      'santander',
      'brb',
      'bradesco',
      'itau',
      'cashme',
    ]);
    const [first, ...others] = offers as [Offer, ...Offer[]];
    const tied = others.map((offer) => ({ ...offer, projection: first.projection }));
    const equal = tied.map((offer) => ({ ...offer, effectiveAnnualCost: 10 }));
    expect(rankOffers(tied.toReversed())[0]!.bank).toBe('inter');
    expect(rankOffers(equal.toReversed()).map(({ bank }) => bank)).toEqual(others.map(({ bank }) => bank));
    const opportunity = { ...makeOpportunity(first), offers };
    expect(offerFor(opportunity, opportunity.id)?.bank).toBe('inter');
  });

  test('ranks records without a projection by the official cost', () => {
    const old = BANKS.map((bank) => offerOf(quote(bank, makeQuoteRequest()))).map(
      ({ projection: _, ...offer }) => offer,
    );
    const costs = rankOffers(old).map(({ effectiveAnnualCost }) => effectiveAnnualCost);
    expect(costs).toEqual(costs.toSorted((a, b) => a - b));
  });

  test('of both systems is an entry for each', () => {
    const [sac, price] = quoteSystems('brb', request({ system: 'SAC' }), ['SAC', 'PRICE']);
    expect([offerOf(sac!).system, offerOf(price!).system]).toEqual(['SAC', 'PRICE']);
    const [, refused] = quoteSystems('itau', request(), ['SAC', 'PRICE']);
    expect(reasonOf(refused!).kind).toBe('systemNotOffered');
    expect('refusal' in refused! && refused.refusal.system).toBe('PRICE');
  });
});

describe('notices', () => {
  const kinds = (bank: Bank, overrides: Partial<QuoteRequest>) =>
    offerOf(quote(bank, request(overrides))).notices.map(({ kind }) => kind);

  test('name the housing programme up to its income and property', () => {
    const within = { propertyValue: reais('600000.00'), income: reais('13000.00') };
    expect(kinds('brb', within)).toEqual(['housingProgramme']);
    expect(kinds('cashme', within)).toEqual([]);
    expect(kinds('brb', { ...within, income: undefined })).toEqual([]);
    expect(kinds('brb', { ...within, income: reais('13000.01') })).toEqual([]);
    expect(kinds('brb', { ...within, propertyValue: reais('600000.01') })).toEqual([]);
    expect(kinds('brb', { ...within, purpose: 'comercial' })).toEqual(['housingRateAssumed']);
    expect(kinds('brb', { ...within, contractDay: '2026-04-21' as Day })).not.toContain('housingProgramme');
    expect(kinds('brb', { ...within, contractDay: '2026-04-22' as Day })).toContain('housingProgramme');
  });

  test('say where expenses are not financed', () => {
    expect(kinds('brb', { financeExpenses: true })).toEqual(['expensesNotFinanced']);
    expect(kinds('itau', { financeExpenses: true })).toEqual([]);
    expect(kinds('cashme', { financeExpenses: true })).toEqual([]);
  });

  test('count the days of the oldest table, whichever bank’s it is', () => {
    const first = (banks: readonly Bank[], versions: number) =>
      banks.map((bank) => [bank, TABLES.banks[bank].slice(0, versions)]);
    const days = (...entries: readonly unknown[][]) =>
      oldestTableDays('2026-12-21' as Day, { ...TABLES, banks: Object.fromEntries(entries) as Tables['banks'] });
    expect(days(...first(BANKS, 2))).toBe(30);
    expect(days(...first(BANKS, 2), ...first(['cashme'], 1))).toBe(354);
  });

  test('say that a table is older than 90 days', () => {
    expect(kinds('brb', { contractDay: '2027-02-19' as Day })).toEqual([]);
    expect(kinds('brb', { contractDay: '2027-02-20' as Day })).toEqual(['tableOld']);
  });
});
