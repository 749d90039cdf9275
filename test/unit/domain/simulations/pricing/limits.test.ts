import { describe, expect, test } from 'vitest';
import { quote } from '../../../../../shared/domain/simulations/pricing/quote.ts';
import { TABLES, type Tables } from '../../../../../shared/domain/simulations/pricing/tables/in-force.ts';
import type { SegmentTable } from '../../../../../shared/domain/simulations/pricing/tables/table.ts';
import type { QuoteRequest, RefusalReason } from '../../../../../shared/domain/simulations/simulation.ts';
import type { Bank } from '../../../../../shared/domain/values/bank.ts';
import type { Day } from '../../../../../shared/domain/values/clock.ts';
import { type Centavos, centavos } from '../../../../../shared/domain/values/money.ts';
import { makeQuoteRequest, offerOf, reais } from '../../../../makers/quote-request.ts';

const request = (overrides: Partial<QuoteRequest> = {}) =>
  makeQuoteRequest({ contractDay: '2026-12-15' as Day, ...overrides });
const reasonsOf = (bank: Bank, overrides: Partial<QuoteRequest>, tables?: Tables): readonly RefusalReason[] => {
  const quoted = quote(bank, request(overrides), tables);
  return 'refusal' in quoted ? quoted.refusal.reasons : [];
};
const proposalOf = (bank: Bank, overrides: Partial<QuoteRequest>, tables?: Tables) => {
  const quoted = quote(bank, request(overrides), tables);
  return 'refusal' in quoted ? quoted.refusal.proposal : undefined;
};

describe('an age', () => {
  test('that allows just the bank’s shortest term gets it, one day older gets none', () => {
    // 966 months of age at the end: born on 15 June 1951, that is 60 months from 15 December 2026.
    expect(offerOf(quote('itau', request({ birthDate: '1951-06-15' as Day, term: undefined }))).term).toBe(60);
    expect(reasonsOf('itau', { birthDate: '1951-06-14' as Day, term: undefined })).toEqual([
      { kind: 'tooOldAtTheEnd', longest: 0 },
    ]);
  });

  test('is on its last day 80, and on its first 18', () => {
    expect(reasonsOf('itau', { birthDate: '2008-12-15' as Day })).toEqual([]);
    expect(reasonsOf('itau', { birthDate: '2008-12-16' as Day })).toEqual([{ kind: 'tooYoung', youngest: 18 }]);
    expect(reasonsOf('itau', { birthDate: '1946-12-15' as Day }).map(({ kind }) => kind)).toEqual(['tooOldAtTheEnd']);
    expect(reasonsOf('itau', { birthDate: '1945-12-15' as Day })).toEqual([{ kind: 'tooOld', oldest: 80 }]);
  });

  test('that allows more than the bank does not bind: the bank’s longest term is named alone', () => {
    // Born on 15 October 1979: 400 months are allowed; Inter's longest are 360.
    expect(reasonsOf('inter', { birthDate: '1979-10-15' as Day, term: 410 })).toEqual([
      { kind: 'termTooLong', longest: 360 },
    ]);
    expect(reasonsOf('inter', { birthDate: '1979-10-15' as Day, term: 360 })).toEqual([]);
  });

  test('that allows just what is asked, or just what the bank does, does not bind', () => {
    // Born on 15 June 1966: 240 months.
    expect(reasonsOf('itau', { birthDate: '1966-06-15' as Day, term: 240 })).toEqual([]);
    expect(reasonsOf('itau', { birthDate: '1966-06-15' as Day, term: 241 })).toEqual([
      { kind: 'tooOldAtTheEnd', longest: 240 },
    ]);
    // Cashme's longest are 240 too.
    expect(reasonsOf('cashme', { birthDate: '1966-06-15' as Day, term: 241 })).toEqual([
      { kind: 'termTooLong', longest: 240 },
    ]);
  });
});

describe('a term', () => {
  test('is within the bank’s and the law’s, both ends allowed', () => {
    for (const term of [60, 420]) expect(reasonsOf('itau', { term })).toEqual([]);
    expect(reasonsOf('itau', { term: 59 })).toEqual([{ kind: 'termTooShort', shortest: 60 }]);
    expect(reasonsOf('itau', { term: 421 })).toEqual([{ kind: 'termTooLong', longest: 420 }]);
    const short = {
      ...TABLES.housingRules.at(-1)!,
      longestTerm: { ...TABLES.housingRules.at(-1)!.longestTerm, value: '120' },
    };
    const tables: Tables = { ...TABLES, housingRules: [short] };
    expect(reasonsOf('itau', { term: 121 }, tables)).toEqual([{ kind: 'termTooLong', longest: 120 }]);
    expect(offerOf(quote('itau', request({ term: undefined }), tables)).term).toBe(120);
  });
});

describe('FGTS without a property named', () => {
  const fgts = { value: reais('1000.00'), threeYears: true, noSfhLoan: true, noPropertyInTown: true, ownHome: true };
  const outside = (because: 'product' | 'rate' | 'property') => ({
    kind: 'fgtsOutsideSfh' as const,
    because,
    highestProperty: reais('2250000.00'),
  });

  test('is measured on the dearest property of the SFH: 80 % of it may be lent, to the centavo', () => {
    const asked = { propertyValue: undefined, fgts };
    expect(offerOf(quote('brb', request({ ...asked, financedValue: reais('1800000.00') })))).toMatchObject({
      product: 'SFH',
      propertyValue: reais('2250000.00'),
      downPayment: reais('449000.00'),
    });
    expect(reasonsOf('brb', { ...asked, financedValue: reais('1800000.01') })).toEqual([outside('property')]);
  });

  test('is out by the rate or the product first, however large the loan', () => {
    const asked = { propertyValue: undefined, financedValue: reais('1900000.00'), fgts };
    expect(reasonsOf('itau', asked)).toEqual([outside('rate')]);
    expect(reasonsOf('cashme', asked)).toEqual([outside('product')]);
  });

  test('of a property that is named is not out by what its loan would need', () => {
    expect(reasonsOf('brb', { propertyValue: reais('2000000.00'), financedValue: reais('1900000.00'), fgts })).toEqual([
      { kind: 'ltvExceeded', share: 80, highest: reais('1600000.00'), expenses: 0 },
    ]);
  });
});

describe('a known income', () => {
  const needed = offerOf(quote('itau', request({ financeExpenses: true }))).requiredIncome;
  const standing = (income: Centavos, overrides: Partial<QuoteRequest> = {}) =>
    offerOf(quote('itau', request({ financeExpenses: true, income, ...overrides }))).income;

  test('is sufficient from the centavo on that the first instalment needs, expenses financed', () => {
    // A few centavos of loan more need the same income, which is rounded.
    expect(standing(needed)).toEqual({ sufficient: true, highest: reais('300000.39') });
    expect(standing(centavos(needed - 1))).toEqual({ sufficient: false, highest: expect.any(Number) });
    expect(standing(centavos(needed - 1))!.highest).toBeLessThan(reais('300000.00'));
  });

  test('carries what the property does at most, and without a property what the bank lends', () => {
    const rich = reais('5000000.00');
    expect(standing(rich)).toEqual({ sufficient: true, highest: reais('380000.00') });
    expect(standing(rich, { financedValue: undefined })).toEqual({ sufficient: true, highest: reais('380000.00') });
    expect(standing(rich, { propertyValue: undefined })).toEqual({ sufficient: true, highest: reais('9500000.00') });
    expect(standing(rich, { propertyValue: undefined, financeExpenses: false })).toEqual({
      sufficient: true,
      highest: reais('10000000.00'),
    });
  });

  test('that carries no loan of the bank has no highest one', () => {
    expect(standing(reais('100.00'))).toStrictEqual({ sufficient: false });
    expect(standing(reais('100.00'), { financedValue: undefined })).toStrictEqual({ sufficient: false });
  });

  test('beside a property alone limits nothing, and its highest loan is below what the property carries', () => {
    const offer = offerOf(quote('itau', request({ financedValue: undefined, income: reais('8000.00') })));
    expect([offer.principal, offer.income!.sufficient]).toEqual([reais('400000.00'), false]);
    const { highest } = offer.income!;
    const at = (financed: number) =>
      offerOf(quote('itau', request({ financedValue: centavos(financed) }))).requiredIncome;
    expect(at(highest!)).toBeLessThanOrEqual(reais('8000.00'));
    expect(at(highest! + 1)).toBeGreaterThan(reais('8000.00'));
  });

  test('and neither value: the offer is the highest loan that it carries', () => {
    const offer = offerOf(
      quote('itau', request({ propertyValue: undefined, financedValue: undefined, income: reais('8000.00') })),
    );
    expect(offer.income).toEqual({ sufficient: true, highest: offer.principal });
    expect(() => quote('itau', request({ propertyValue: undefined, financedValue: undefined }))).toThrow(
      new RangeError('a quote needs a property value, a financed value or an income'),
    );
  });
});

describe('an income that carries nothing', () => {
  const alone = { propertyValue: undefined, financedValue: undefined, income: reais('100.00') };
  const least = (term: number) => {
    const { requiredIncome } = offerOf(
      quote('itau', request({ propertyValue: reais('122500.00'), financedValue: reais('98000.00'), term })),
    );
    return { kind: 'incomeCarriesNothing', least: requiredIncome };
  };

  test('is named after the other reasons, with what is needed at the term nearest to the one asked for', () => {
    expect(reasonsOf('itau', alone)).toEqual([least(240)]);
    expect(reasonsOf('itau', { ...alone, system: 'PRICE' })).toEqual([
      { kind: 'systemNotOffered', offered: ['SAC'] },
      least(240),
    ]);
    expect(reasonsOf('itau', { ...alone, term: 12 })).toEqual([{ kind: 'termTooShort', shortest: 60 }, least(60)]);
    expect(reasonsOf('itau', { ...alone, term: 500 })).toEqual([{ kind: 'termTooLong', longest: 420 }, least(420)]);
    expect(reasonsOf('itau', { ...alone, term: 12, income: reais('9000.00') })).toEqual([
      { kind: 'termTooShort', shortest: 60 },
    ]);
  });

  test('is not measured where the age leaves no term, nor where a value is named', () => {
    const birthDate = '1951-06-14' as Day;
    expect(reasonsOf('itau', { ...alone, term: undefined, birthDate })).toEqual([
      { kind: 'tooOldAtTheEnd', longest: 0 },
    ]);
    expect(proposalOf('itau', { ...alone, term: undefined, birthDate })).toBeUndefined();
    expect(reasonsOf('itau', { ...alone, financedValue: reais('300000.00'), term: 12 })).toEqual([
      { kind: 'termTooShort', shortest: 60 },
    ]);
    expect(reasonsOf('itau', { ...alone, propertyValue: reais('500000.00'), term: 12 })).toEqual([
      { kind: 'termTooShort', shortest: 60 },
    ]);
  });
});

describe('the nearest terms', () => {
  test('are none where a fee above 25.00 makes the loan too dear for the SFH, and so for the FGTS', () => {
    const inter = TABLES.banks.inter.at(-1) as SegmentTable;
    const rates = inter.rates.map((row) => ({ ...row, rate: { ...row.rate, value: '11.90' } }));
    const dear = (fee: string): Tables => {
      const table = { ...inter, rates, monthlyFee: { ...inter.monthlyFee, value: fee } };
      return { ...TABLES, banks: { ...TABLES.banks, inter: [table] } };
    };
    const fgts = { value: reais('1000.00'), threeYears: true, noSfhLoan: true, noPropertyInTown: true, ownHome: true };
    expect(reasonsOf('inter', { fgts }, dear('30.00'))).toEqual([]);
    expect(reasonsOf('inter', { fgts }, dear('45.00'))).toEqual([
      { kind: 'fgtsOutsideSfh', because: 'rate', highestProperty: reais('2250000.00') },
    ]);
    expect(proposalOf('inter', { fgts }, dear('45.00'))).toBeUndefined();
  });

  test('of a request by income are what it carries, else the least loan over the shortest term that carries it', () => {
    const asked = { propertyValue: undefined, financedValue: undefined };
    const needed = (term: number) =>
      offerOf(quote('itau', request({ propertyValue: reais('122500.00'), financedValue: reais('98000.00'), term })))
        .requiredIncome;
    const least = { propertyValue: reais('122500.00'), financedValue: reais('98000.00'), system: 'SAC' };
    // A few centavos of loan more need the same income, which is rounded.
    expect(proposalOf('itau', { ...asked, term: 12, income: needed(60) })).toEqual({
      propertyValue: reais('122500.12'),
      financedValue: reais('98000.09'),
      term: 60,
      system: 'SAC',
    });
    expect(proposalOf('itau', { ...asked, term: 60, income: centavos(needed(60) - 1) })).toEqual({
      ...least,
      term: 61,
    });
    expect(proposalOf('itau', { ...asked, term: 60, income: needed(420) })).toEqual({ ...least, term: 420 });
    expect(proposalOf('itau', { ...asked, term: 60, income: centavos(needed(420) - 1) })).toBeUndefined();
    // More than the bank's longest: that is the nearest.
    const { propertyValue, principal } = offerOf(quote('itau', request({ ...asked, term: 420, income: needed(120) })));
    const there = { propertyValue, financedValue: principal, term: 420, system: 'SAC' };
    expect(proposalOf('itau', { ...asked, term: 500, income: needed(120) })).toEqual(there);
  });

  test('of a loan without a property are the least property that carries it', () => {
    expect(proposalOf('itau', { propertyValue: undefined, financedValue: reais('50000.00') })).toEqual({
      propertyValue: reais('122500.00'),
      financedValue: reais('98000.00'),
      term: 240,
      system: 'SAC',
    });
    expect(proposalOf('itau', { propertyValue: undefined, financedValue: reais('12000000.00') })).toEqual({
      propertyValue: reais('12500000.00'),
      financedValue: reais('10000000.00'),
      term: 240,
      system: 'SAC',
    });
  });

  test('of a property alone are the highest loan that it carries', () => {
    expect(proposalOf('itau', { financedValue: undefined, term: 500 })).toEqual({
      propertyValue: reais('500000.00'),
      financedValue: reais('400000.00'),
      term: 420,
      system: 'SAC',
    });
  });
});
