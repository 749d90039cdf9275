import { describe, expect, test } from 'vitest';
import {
  creditTaxRates,
  isTaxed,
  principalWithTax,
} from '../../../../../shared/domain/simulations/pricing/credit-tax.ts';
import { effectiveAnnualCost } from '../../../../../shared/domain/simulations/pricing/effective-cost.ts';
import { mipRates } from '../../../../../shared/domain/simulations/pricing/insurance.ts';
import { indexOf } from '../../../../../shared/domain/simulations/pricing/projection.ts';
import { quote, scheduleOf } from '../../../../../shared/domain/simulations/pricing/quote.ts';
import { monthlyRate } from '../../../../../shared/domain/simulations/pricing/rate.ts';
import { percent, ratio, ratioOf } from '../../../../../shared/domain/simulations/pricing/ratio.ts';
import { TABLES } from '../../../../../shared/domain/simulations/pricing/tables/in-force.ts';
import type { SegmentTable } from '../../../../../shared/domain/simulations/pricing/tables/table.ts';
import { limitsOf, rateTermsOf, termsOf } from '../../../../../shared/domain/simulations/pricing/terms.ts';
import type { NewOffer, Offer } from '../../../../../shared/domain/simulations/simulation.ts';
import type { Day } from '../../../../../shared/domain/values/clock.ts';
import { type Centavos, centavos } from '../../../../../shared/domain/values/money.ts';
import { makeQuoteRequest, offerOf, reais } from '../../../../makers/quote-request.ts';

const market = TABLES.marketMip[0]!;
const figure = (value: string) => ({ value, date: '2026', source: 'a sheet' });

describe('what cannot be computed is refused with its reason', () => {
  test('a ratio over nothing, or of a text that is none', () => {
    for (const denominator of [0n, -1n])
      expect(() => ratio(1n, denominator)).toThrow(new RangeError('the denominator of a ratio must be above zero'));
    expect(() => ratioOf('11,70')).toThrow(new RangeError('not a decimal or a fraction: 11,70'));
  });

  test('a rate of zero', () => {
    for (const basis of ['effective', 'nominal', 'monthly'] as const)
      expect(() => monthlyRate('0.00', basis)).toThrow(new RangeError('a rate must be above zero'));
  });

  test('a cost of a loan of which nothing is received, or paid back', () => {
    expect(() => effectiveAnnualCost(centavos(0), [centavos(1)])).toThrow(
      new RangeError('nothing is received: fees withheld take up the principal'),
    );
    expect(() => effectiveAnnualCost(centavos(1), [centavos(0), centavos(0)])).toThrow(
      new RangeError('nothing is paid back'),
    );
  });

  test('a premium of a market without bands', () => {
    expect(() => mipRates([], { ...market, bands: [] })(35)).toThrow(new RangeError('market-mip-2025 has no bands'));
  });

  test('a principal that no tax leaves over, after a hundred steps', () => {
    let steps = 0;
    const never = (principal: Centavos) => {
      steps += 1;
      return centavos(principal % 2 === 0 ? 1 : 2);
    };
    expect(() => principalWithTax(centavos(10), never)).toThrow(
      new RangeError('no principal leaves so much after the tax'),
    );
    expect(steps).toBe(100);
    expect(principalWithTax(centavos(10), () => centavos(5))).toBe(15);
  });
});

describe('a stored offer', () => {
  const offer: NewOffer = offerOf(quote('itau', makeQuoteRequest({ contractDay: '2026-12-15' as Day })));
  const other = new Error('the schedule of table itau-2026-11 is not the one that was offered');

  test('is its schedule’s: a total, a first or a last instalment one centavo off is refused, each alone', () => {
    expect(scheduleOf(offer)).toHaveLength(240);
    const changed: readonly Offer[] = [
      { ...offer, total: centavos(offer.total + 1) },
      { ...offer, first: { ...offer.first, total: centavos(offer.first.total - 1) } },
      { ...offer, lastTotal: centavos(offer.lastTotal + 1) },
    ];
    for (const each of changed) expect(() => scheduleOf(each)).toThrow(other);
  });

  test('of a system that its table lacks, or of a table that is not there, has no schedule', () => {
    expect(() => scheduleOf({ ...offer, system: 'PRICE' })).toThrow(
      new RangeError('itau-2026-11 has no rate for PRICE'),
    );
    expect(() => scheduleOf({ ...offer, tableVersion: 'itau-1999-01' })).toThrow(
      new RangeError('there is no table itau-1999-01'),
    );
  });

  test('without a segment is everybody’s', () => {
    const { segment: _, ...old } = offer;
    expect(scheduleOf(old)).toEqual(scheduleOf(offer));
    expect(() => scheduleOf({ ...offer, segment: 'alta_renda' })).toThrow(other);
  });
});

describe('figures of a table', () => {
  test('an anchor’s premium stands on its band exactly as it is published', () => {
    for (const [bank, age] of [
      ['bradesco', 24],
      ['bradesco', 43],
      ['bradesco', 64],
      ['itau', 47],
      ['santander', 65],
    ] as const) {
      const table = TABLES.banks[bank].at(-1)!;
      const near = table.mip.anchors.find((anchor) => Math.ceil(anchor.age / 5) === Math.ceil(age / 5))!;
      expect(mipRates(table.mip.anchors, market)(age)).toEqual(percent(near.rate.value));
    }
  });

  test('are made once', () => {
    const table = TABLES.banks.bradesco.at(-1) as SegmentTable;
    expect(termsOf(table)).toBe(termsOf(table));
    expect(rateTermsOf(table.rates[0]!)).toBe(rateTermsOf(table.rates[0]!));
    const { mipRates: rates } = termsOf(TABLES.banks.bradesco.at(-1)!);
    expect(rates(30)).toBe(rates(29));
    const inflation = figure('3.80');
    expect(indexOf(inflation)).toBe(indexOf(inflation));
  });

  test('of the housing programme count where income and property are both known', () => {
    const rules = TABLES.housingRules.at(-1)!;
    expect(limitsOf(rules).programme).toEqual({ income: reais('13000.00'), property: reais('600000.00') });
    const { programmeIncome: _, ...withoutIncome } = rules;
    const { programmeProperty: __, ...withoutProperty } = rules;
    for (const some of [withoutIncome, withoutProperty]) expect(limitsOf(some).programme).toBeUndefined();
  });

  test('of an indexer stand beside the projection with date and source, and none of a fixed rate', () => {
    const day = { contractDay: '2026-12-15' as Day };
    const inter = TABLES.banks.inter.at(-1) as SegmentTable;
    const rates = inter.rates.map((row) => ({ ...row, indexer: 'PREFIXADO' as const }));
    const fixed = { ...TABLES, banks: { ...TABLES.banks, inter: [{ ...inter, rates }] } };
    expect(offerOf(quote('inter', makeQuoteRequest(day))).projection).toMatchObject({
      scenario: 'scenario-2026-07',
      indexPercent: 3.8,
      date: '2026-02-18',
      source: 'Banco Central do Brasil, Focus de 18/02/2026, IPCA de 2027',
    });
    expect(offerOf(quote('inter', makeQuoteRequest(day), fixed)).projection).toMatchObject({
      scenario: 'scenario-2026-07',
      indexPercent: 0,
      date: '',
      source: '',
    });
  });

  test('above all bands the last one of the market holds', () => {
    expect(mipRates([], market)(81)).toEqual(percent('0.46892'));
  });

  test('an indexer’s month is the twelfth root of its year, and that of none is nothing', () => {
    expect(indexOf(figure('3.80'))).toEqual(monthlyRate('3.80', 'effective'));
    expect(indexOf(figure('0.0'))).toEqual(ratio(0n, 1n));
  });

  test('the tax is 0.0082 % a day for a year at most, and 0.38 % once; homes alone are exempt', () => {
    const { daily, longest, additional } = creditTaxRates(TABLES.creditTax[0]!);
    expect([daily, longest, additional]).toEqual([percent('0.0082'), 365, percent('0.38')]);
    expect(
      (['SFH', 'SFI', 'HOME_EQUITY'] as const).map((product) => [
        isTaxed(product, 'residencial'),
        isTaxed(product, 'comercial'),
      ]),
    ).toEqual([
      [false, true],
      [false, true],
      [true, true],
    ]);
  });

  test('amounts are read in reais, and a bank that names no largest loan has none', () => {
    const terms = termsOf(TABLES.banks.inter.at(-1)!);
    expect([terms.leastProperty, terms.leastFinanced, terms.largestFinanced]).toEqual([
      reais('200000.00'),
      reais('50000.00'),
      undefined,
    ]);
    expect(termsOf(TABLES.banks.cashme.at(-1)!).largestFinanced).toBe(reais('15000000.00'));
  });
});
