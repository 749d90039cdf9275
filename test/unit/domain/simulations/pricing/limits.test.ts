import { describe, expect, test } from 'vitest';
import { quote } from '#shared/domain/simulations/pricing/quote.ts';
import type { Tables } from '#shared/domain/simulations/pricing/tables/in-force.ts';
import {
  FGTS_CONDITIONS,
  type Proposal,
  type QuoteRequest,
  type RefusalReason,
} from '#shared/domain/simulations/simulation.ts';
import { BANKS, type Bank } from '#shared/domain/values/bank.ts';
import type { Day } from '#shared/domain/values/clock.ts';
import { centavos } from '#shared/domain/values/money.ts';
import { FROZEN_TABLES } from '#test/makers/frozen-tables.ts';
import { makeQuoteRequest, offerOfBank, withBankTable } from '#test/makers/quote-request.ts';

type Asked = Partial<QuoteRequest>;
type Reason = RefusalReason;
const reais = (amount: number) => centavos(Math.round(amount * 100));
const refused = (bank: Bank, asked: Asked, tables: Tables = FROZEN_TABLES) => {
  const quoted = quote(bank, makeQuoteRequest(asked), tables);
  return 'refusal' in quoted ? quoted.refusal : undefined;
};
const reasonsOf = (...asked: Parameters<typeof refused>): readonly Reason[] => refused(...asked)?.reasons ?? [];
const proposalOf = (...asked: Parameters<typeof refused>) => refused(...asked)?.proposal;
const at = (property: number, financed: number, term: number): Proposal => {
  return { propertyValue: reais(property), financedValue: reais(financed), term, system: 'SAC' };
};

const born = (birthDate: string, term: number | undefined = 240): Asked => ({ birthDate: birthDate as Day, term });
const aged = (birthDate: string): Asked => ({ birthDate: birthDate as Day, term: undefined });
const second = (birthDate: string): Asked => ({
  term: 120,
  secondBorrower: { income: centavos(1), birthDate: birthDate as Day },
});
const values = (property: number | undefined, financed: number | undefined, more: Asked = {}): Asked => ({
  propertyValue: property === undefined ? undefined : reais(property),
  financedValue: financed === undefined ? undefined : reais(financed),
  ...more,
});
const longest = (months: number): Reason => ({ kind: 'tooOldAtTheEnd', longest: months });
const tooLong = (months: number): Reason => ({ kind: 'termTooLong', longest: months });
const tooShort = (months: number): Reason => ({ kind: 'termTooShort', shortest: months });
const tooYoung: Reason = { kind: 'tooYoung', youngest: 18 };
const tooOld: Reason = { kind: 'tooOld', oldest: 80 };
const share = (percent: number, highest: number, expenses = 0): Reason => {
  return { kind: 'ltvExceeded', share: percent, highest: reais(highest), expenses: reais(expenses) };
};
const leastLoan = (loan: number, percent: number, property: number): Reason => {
  return { kind: 'leastLoanAboveShare', leastLoan: reais(loan), share: percent, property: reais(property) };
};
const tooLow = (least: number): Reason => ({ kind: 'financedTooLow', least: reais(least) });
const tooHigh = (most: number, expenses = 0, published = false): Reason => {
  return { kind: 'financedTooHigh', most: reais(most), expenses: reais(expenses), published };
};
const WITHOUT_SP = { values: ['SP'], date: '2026-11-20', address: 'https://novo.brb.com.br' };
const noPrice: Reason = { kind: 'systemNotPriced', known: ['SAC'] };

const attested = Object.fromEntries(FGTS_CONDITIONS.map((condition) => [condition, true]));
const fgts = (value: number, conditions: object = attested): Asked => ({
  fgts: { value: reais(value), ...conditions },
});
/** Returns values with financed expenses. */
const costly = (property: number | undefined, financed: number | undefined) =>
  values(property, financed, { financeExpenses: true });
/** Returns values with FGTS and every condition attested. */
const aided = (property: number | undefined, financed: number | undefined, value: number, more: Asked = {}) =>
  values(property, financed, { ...more, ...fgts(value) });
const outside = (barredBy: 'product' | 'rate' | 'property'): Reason => {
  return { kind: 'fgtsOutsideSfh', barredBy, highestProperty: reais(2_250_000) };
};
const RICH: Asked = { income: reais(50_000) };
const fgtsTooHigh = (most: number): Reason => ({ kind: 'fgtsTooHigh', most: reais(most) });

/** Requests on both sides of each limit, all of 15 December 2026, with the bank's reasons against each. */
const LIMITS: readonly (readonly [name: string, Bank, Asked, ...Reason[]])[] = [
  // The limit at the end is an age of 966 months. A person born on 15 June 1951 has 60 months left.
  ['an age that allows exactly the shortest term', 'itau', aged('1951-06-15')],
  ['an age a day too high for the shortest term', 'itau', aged('1951-06-14'), longest(0)],
  ['a proponent of 18 years', 'itau', born('2008-12-15')],
  ['a proponent of 17 years', 'itau', born('2008-12-16'), tooYoung],
  ['a proponent of 80 years, who is too old at the end', 'itau', born('1945-12-16'), longest(0)],
  ['a proponent of 81 years', 'itau', born('1945-12-15'), tooOld],
  ['an age that allows exactly the term asked for', 'itau', born('1966-06-15', 240)],
  ['an age that allows a month less than the term asked for', 'itau', born('1966-06-15', 241), longest(240)],
  ['a term above both the bank’s longest and an equal limit of age', 'cashme', born('1966-06-15', 241), tooLong(240)],
  // A person born on 15 October 1979 has 400 months left.
  ['a term above the bank’s longest and above a higher limit of age', 'inter', born('1979-10-15', 410), tooLong(360)],
  ['the bank’s longest term at an age that allows more', 'inter', born('1979-10-15', 360)],
  [
    'a term above the bank’s longest and above a lower limit of age, which both reasons name',
    'itau',
    born('1981-06-14', 600),
    longest(419),
    tooLong(419),
  ],
  // A person born on 15 March 1955 has 105 months left, which are fewer than the 120 months of Bradesco's shortest term.
  ['a term below the shortest at an age that allows no term', 'bradesco', born('1955-03-15', 60), longest(0)],
  ['a term above the longest at an age that allows no term', 'bradesco', born('1955-03-15', 600), longest(0)],
  ['a term below the shortest for a proponent of 81 years', 'bradesco', born('1945-12-15', 60), tooOld],
  ['a second proponent of 18 years', 'itau', second('2008-12-15')],
  ['a second proponent of 17 years', 'itau', second('2008-12-16'), tooYoung],
  ['the shortest term', 'itau', { term: 60 }],
  ['a month less than the shortest term', 'itau', { term: 59 }, tooShort(60)],
  ['the longest term', 'itau', { term: 420 }],
  ['a month more than the longest term', 'itau', { term: 421 }, tooLong(420)],
  ['the bank’s share of the property', 'itau', values(500_000, 400_000)],
  ['a centavo above the bank’s share of the property', 'itau', values(500_000, 400_000.01), share(80, 400_000)],
  [
    'a loan above the bank’s share under PRICE',
    'bradesco',
    values(500_000, 400_000, { system: 'PRICE' }),
    share(70, 350_000),
  ],
  ['the bank’s share including financed expenses', 'itau', costly(500_000, 380_000)],
  [
    'a centavo above the bank’s share including financed expenses',
    'itau',
    costly(500_000, 380_000.01),
    share(80, 380_000, 20_000),
  ],
  ['a property of the bank’s lowest value', 'inter', values(200_000, 100_000)],
  [
    'a property a centavo below the bank’s lowest value',
    'inter',
    values(199_999.99, 100_000),
    { kind: 'propertyTooCheap', least: reais(200_000) },
  ],
  ['a property that just carries the smallest loan', 'bradesco', values(125_000, undefined)],
  [
    'a property a centavo too cheap for the smallest loan',
    'bradesco',
    values(124_999.99, undefined),
    leastLoan(100_000, 80, 125_000),
  ],
  [
    'a loan above the share of a property that is below the bank’s lowest value, with the share of that value',
    'inter',
    values(150_000, 150_000.01),
    { kind: 'propertyTooCheap', least: reais(200_000) },
    share(75, 150_000),
  ],
  [
    'a loan above the share of a property below the bank’s lowest value, whose own share carries the loan',
    'inter',
    values(150_000, 140_000),
    { kind: 'propertyTooCheap', least: reais(200_000) },
  ],
  [
    'a loan below the smallest and above the share of a property that is too cheap',
    'itau',
    values(100_000, 90_000),
    leastLoan(98_000, 80, 122_500),
    tooLow(98_000),
  ],
  ['a property of 0.00', 'cashme', values(0, undefined), leastLoan(50_000, 60, 83_333.34)],
  ['the smallest loan', 'itau', values(500_000, 98_000)],
  ['a centavo less than the smallest loan', 'itau', values(500_000, 97_999.99), tooLow(98_000)],
  ['the largest loan that the bank names', 'cashme', values(40_000_000, 15_000_000)],
  [
    'a centavo more than the largest loan that the bank names',
    'cashme',
    values(40_000_000, 15_000_000.01),
    tooHigh(15_000_000, 0, true),
  ],
  [
    'a centavo more than the largest loan of the housing rules',
    'brb',
    values(40_000_000, 10_000_000.01),
    tooHigh(10_000_000),
  ],
  ['the largest loan including financed expenses', 'santander', costly(20_000_000, 9_200_000)],
  [
    'a centavo more than the largest loan including financed expenses',
    'santander',
    costly(20_000_000, 9_200_000.01),
    tooHigh(9_200_000, 800_000),
  ],
  ['a system that the bank does not offer', 'itau', { system: 'PRICE' }, noPrice],
  // If no property is named, the most expensive property of the SFH must have room for the loan and the FGTS. The bank
  // lends 80 % of its value.
  ['FGTS with the largest loan that an SFH property carries', 'brb', aided(undefined, 1_800_000, 1000)],
  [
    'FGTS with a centavo more than an SFH property carries',
    'brb',
    aided(undefined, 1_800_000.01, 1000),
    outside('property'),
  ],
  ['FGTS for the most expensive property of the SFH', 'brb', aided(2_250_000, 300_000, 1000)],
  [
    'FGTS for a property a centavo above the SFH’s limit',
    'brb',
    aided(2_250_000.01, 300_000, 1000),
    outside('property'),
  ],
  ['FGTS with a rate above the SFH’s limit', 'itau', aided(undefined, 1_900_000, 1000), outside('rate')],
  ['FGTS with home equity', 'cashme', aided(undefined, 1_900_000, 1000), outside('product')],
  ['the purchase of a shop with FGTS', 'brb', { purpose: 'comercial', ...fgts(1000) }, { kind: 'purposeNotPriced' }],
  ['a shop as security for home equity', 'cashme', { purpose: 'comercial' }],
  [
    'a loan above the share that is above the largest loan, too',
    'itau',
    values(13_780_000, 11_024_000.01),
    tooHigh(10_000_000),
    share(80, 10_000_000),
  ],
  [
    'a loan above the share and above the largest loan of the housing rules, if the share is lower',
    'itau',
    values(5_000_000, 12_000_000),
    share(80, 4_000_000),
  ],
  [
    'FGTS above what a price leaves, for a buyer who may not use it',
    'brb',
    values(500_000, 300_000, fgts(200_000.01, { ...attested, ownHome: false })),
    { kind: 'fgtsConditionMissing', condition: 'ownHome' },
  ],
  [
    'FGTS above what a price leaves with a rate above the SFH’s limit',
    'itau',
    aided(500_000, 300_000, 200_000.01),
    outside('rate'),
  ],
  [
    'a little FGTS for a property that is too cheap for the smallest loan',
    'brb',
    aided(60_000, undefined, 1000),
    leastLoan(50_000, 80, 62_500),
  ],
  ['FGTS with a loan above the bank’s share', 'brb', aided(2_000_000, 1_900_000, 1000), share(80, 1_600_000)],
  ['FGTS for all of the price that the loan leaves', 'brb', aided(500_000, 300_000, 200_000)],
  ['FGTS for a centavo more than the loan leaves', 'brb', aided(500_000, 300_000, 200_000.01), fgtsTooHigh(200_000)],
  [
    'a loan above the share with all the FGTS that the largest loan leaves',
    'brb',
    aided(500_000, 600_000, 100_000),
    share(80, 400_000),
  ],
  [
    'a loan above the share with a centavo more FGTS than the largest loan leaves',
    'brb',
    aided(500_000, 600_000, 100_000.01),
    share(80, 400_000),
    fgtsTooHigh(100_000),
  ],
  [
    'FGTS for more than the smallest loan leaves',
    'santander',
    aided(200_000, 60_000, 120_000),
    tooLow(98_000),
    fgtsTooHigh(102_000),
  ],
  [
    'FGTS that leaves no room for the smallest loan',
    'brb',
    aided(undefined, undefined, 2_210_000, RICH),
    fgtsTooHigh(2_200_000),
  ],
  [
    'FGTS with a loan above the largest loan',
    'brb',
    aided(undefined, 20_000_000, 1000),
    tooHigh(10_000_000),
    outside('property'),
  ],
  ...FGTS_CONDITIONS.map((condition): readonly [string, Bank, Asked, Reason] => {
    const asked = fgts(50_000, { ...attested, [condition]: false });
    return [`FGTS of a buyer without ${condition}`, 'brb', asked, { kind: 'fgtsConditionMissing', condition }];
  }),
];

describe('obstacles', () => {
  const rows = LIMITS.map(([name, bank, asked, ...reasons]) => {
    const title = `${bank} ${reasons.length > 0 ? 'refuses' : 'accepts'} ${name}`;
    return [title, { bank, asked, reasons }] as const;
  });

  test.each(rows)('%s', (_, { bank, asked, reasons }) => expect(reasonsOf(bank, asked)).toEqual(reasons));

  test('obstacles lists every limit that a request exceeds in a fixed order, and the first is the reason', () => {
    const more = { ...born('2009-01-01', 500), ...fgts(1, { ownHome: false }) };
    const wrong = values(50_000, 60_000, { system: 'PRICE', ...more });
    const { reason, reasons, proposal, system } = refused('itau', wrong)!;
    expect(reasons.map(({ kind }) => kind)).toEqual([
      'systemNotPriced',
      'tooYoung',
      'leastLoanAboveShare',
      'termTooLong',
      'financedTooLow',
      'fgtsConditionMissing',
      'fgtsOutsideSfh',
    ]);
    expect(reason).toBe(reasons[0]);
    expect(system).toBe('PRICE');
    expect(proposal).toBeUndefined();
  });

  test('obstacles gives no figure of homes as a reason against the purchase of commercial property', () => {
    const tables = withBankTable('brb', { excludedStates: WITHOUT_SP });
    const wrong = values(50_000, 60_000, {
      purpose: 'comercial',
      term: 12,
      state: 'SP',
      ...fgts(1, { ownHome: false }),
    });
    const elsewhere: Reason = { kind: 'stateExcluded', bank: 'brb', states: ['SP'], seen: '2026-11-20' };
    expect(reasonsOf('brb', wrong, tables)).toEqual([elsewhere, { kind: 'purposeNotPriced' }]);
    const byIncome = values(undefined, undefined, { purpose: 'comercial', income: reais(100) });
    expect(reasonsOf('brb', byIncome)).toEqual([{ kind: 'purposeNotPriced' }]);
  });

  test('obstacles gives nothing that follows from a rate as a reason if the rate is too old', () => {
    const old = { rateDays: 365, contractDay: '2027-08-01' as Day };
    const tooOldRate = (date: string): Reason => ({ kind: 'rateTooOld', date, days: 365 });
    expect(reasonsOf('itau', aided(500_000, 300_000, 1000, old))).toEqual([tooOldRate('2026-07')]);
    expect(reasonsOf('itau', aided(2_250_000.01, 300_000, 1000, old))).toEqual([
      tooOldRate('2026-07'),
      outside('property'),
    ]);
    expect(reasonsOf('brb', values(undefined, undefined, { income: reais(100), ...old }))).toEqual([
      tooOldRate('2025'),
    ]);
  });

  test('obstacles limits the term by the housing rules if the bank’s longest term is longer', () => {
    const rules = FROZEN_TABLES.housingRules.at(-1)!;
    const short = { ...rules, longestTerm: { ...rules.longestTerm, value: '120' } };
    const tables: Tables = { ...FROZEN_TABLES, housingRules: [short] };
    expect(reasonsOf('itau', { term: 121 }, tables)).toEqual([tooLong(120)]);
    expect(offerOfBank('itau', { term: undefined }, tables).term).toBe(120);
  });

  test('obstacles refuses a state that a page of the bank excludes', () => {
    const tables = withBankTable('brb', { excludedStates: WITHOUT_SP });
    const elsewhere = refused('brb', { state: 'SP' }, tables)!;
    expect(elsewhere).toMatchObject({
      reasons: [{ kind: 'stateExcluded', bank: 'brb', states: ['SP'], seen: '2026-11-20' }],
    });
    expect(elsewhere.proposal).toBeUndefined();
    for (const state of ['GO', undefined]) expect(reasonsOf('brb', { state }, tables)).toEqual([]);
    expect(reasonsOf('brb', { state: 'SP' })).toEqual([]);
  });

  test('obstacles refuses only the bank whose rate is older than rateDays, and there is no proposal', () => {
    const asked = { rateDays: 365, contractDay: '2026-12-31' as Day };
    expect(reasonsOf('brb', asked)).toEqual([]);
    const older = { ...asked, contractDay: '2027-01-01' as Day };
    expect(refused('brb', older)).toMatchObject({ reasons: [{ kind: 'rateTooOld', date: '2025', days: 365 }] });
    expect(refused('brb', older)!.proposal).toBeUndefined();
    expect(reasonsOf('santander', older)).toEqual([]);
    expect(reasonsOf('brb', { ...older, rateDays: undefined })).toEqual([]);
    expect(reasonsOf('brb', { ...older, offersOldRates: true })).toEqual([]);
  });

  test('obstacles refuses any loan on a property whose financed expenses leave less than the smallest loan', () => {
    // Expenses of 4 % of 247,550,000.00 leave exactly 98,000.00 of 10,000,000.00.
    const least = costly(247_550_000, undefined);
    const offer = offerOfBank('santander', least);
    expect(offer.principal - offer.expenses).toBe(reais(98_000));
    for (const financedValue of [undefined, reais(1000), reais(10_000_000)]) {
      const asked = { ...least, propertyValue: reais(247_550_000.13), financedValue };
      expect(reasonsOf('santander', asked)).toContainEqual(tooHigh(0, 9_902_000.01));
      expect(proposalOf('santander', asked)).toBeUndefined();
    }
  });
});

describe('quote by an income that carries nothing', () => {
  const alone = values(undefined, undefined, { income: reais(100) });
  const least = (term: number): Reason => {
    const { requiredIncome } = offerOfBank('itau', values(122_500, 98_000, { term }));
    return { kind: 'incomeCarriesNothing', least: requiredIncome };
  };

  test('quote names too low an income as the last reason, with the income that the nearest term needs', () => {
    expect(reasonsOf('itau', alone)).toEqual([least(240)]);
    expect(reasonsOf('itau', { ...alone, system: 'PRICE' })).toEqual([noPrice, least(240)]);
    expect(reasonsOf('itau', { ...alone, term: 12 })).toEqual([tooShort(60), least(60)]);
    expect(reasonsOf('itau', { ...alone, term: 500 })).toEqual([tooLong(420), least(420)]);
    expect(reasonsOf('itau', { ...alone, term: 12, income: reais(9000) })).toEqual([tooShort(60)]);
  });

  test('quote does not measure the income if the age leaves no term, or if a value is named', () => {
    const old = { ...alone, ...aged('1951-06-14') };
    expect(reasonsOf('itau', old)).toEqual([longest(0)]);
    expect(proposalOf('itau', old)).toBeUndefined();
    for (const named of [values(undefined, 300_000), values(500_000, undefined)])
      expect(reasonsOf('itau', { ...alone, ...named, term: 12 })).toEqual([tooShort(60)]);
  });

  test('quote at every bank makes an offer from exactly the income that its refusal names', () => {
    for (const bank of BANKS) {
      const [reason] = reasonsOf(bank, { ...alone, income: centavos(0) });
      if (reason?.kind !== 'incomeCarriesNothing') throw new Error(reason?.kind);
      expect(reasonsOf(bank, { ...alone, income: centavos(reason.least - 1) })).toEqual([reason]);
      expect(offerOfBank(bank, { ...alone, income: reason.least }).requiredIncome).toBe(reason.least);
    }
  });
});

test.each<[name: string, Bank, Asked, Proposal | undefined]>([
  ['the bank’s share', 'itau', values(500_000, 450_000), at(500_000, 400_000, 240)],
  ['the bank’s share including financed expenses', 'itau', costly(500_000, 450_000), at(500_000, 380_000, 240)],
  ['the bank’s longest term', 'itau', { term: 500 }, at(500_000, 300_000, 420)],
  ['the bank’s shortest term', 'itau', { term: 12 }, at(500_000, 300_000, 60)],
  ['the longest term that the age allows', 'itau', born('1960-12-15'), at(500_000, 300_000, 174)],
  ['a system that the bank offers', 'itau', { system: 'PRICE' }, at(500_000, 300_000, 240)],
  ['the smallest loan', 'itau', values(500_000, 1000), at(500_000, 98_000, 240)],
  ['the cheapest property that carries the smallest loan', 'itau', values(100_000, 80_000), at(122_500, 98_000, 240)],
  ['the lowest property value of the bank', 'inter', values(150_000, 100_000), at(200_000, 100_000, 240)],
  ['the largest loan', 'itau', values(20_000_000, 12_000_000), at(20_000_000, 10_000_000, 240)],
  [
    'the largest loan including financed expenses',
    'santander',
    costly(20_000_000, 9_300_000),
    at(20_000_000, 9_200_000, 240),
  ],
  [
    'the property that the largest loan with expenses needs',
    'santander',
    costly(undefined, 9_600_000),
    at(12_500_000, 9_500_000, 240),
  ],
  ['the smallest loan and its cheapest property', 'itau', values(undefined, 50_000), at(122_500, 98_000, 240)],
  [
    'the largest loan and its cheapest property',
    'itau',
    values(undefined, 12_000_000),
    at(12_500_000, 10_000_000, 240),
  ],
  [
    'the highest loan on the property that is named',
    'itau',
    values(500_000, undefined, { term: 500 }),
    at(500_000, 400_000, 420),
  ],
  [
    'the most expensive property of the SFH and its largest loan',
    'brb',
    aided(undefined, 1_900_000, 100_000, { term: 500 }),
    at(2_250_000, 1_800_000, 420),
  ],
  [
    'what FGTS leaves of the most expensive SFH property',
    'brb',
    aided(undefined, 1_500_000, 800_000),
    at(2_250_000, 1_450_000, 240),
  ],
  ['the loan that FGTS leaves of the price', 'brb', fgts(200_000.01), at(500_000, 299_999.99, 240)],
  ['no values for a proponent of 17 years', 'itau', born('2009-12-16'), undefined],
])('proposalFor returns the nearest possible values: %s', (_, bank, asked, proposal) => {
  expect(proposalOf(bank, asked)).toEqual(proposal);
});

test('proposalFor by income returns the loan that it carries, otherwise the smallest one over the shortest term', () => {
  const asked = values(undefined, undefined);
  const needed = (term: number) => offerOfBank('itau', values(122_500, 98_000, { term })).requiredIncome;
  const near = (term: number, income: number) => proposalOf('itau', { ...asked, term, income: centavos(income) });
  // The required income is rounded, so a loan that is larger by a few centavos needs the same income.
  expect(near(12, needed(60))).toEqual(at(122_500.12, 98_000.09, 60));
  expect(near(60, needed(60) - 1)).toEqual(at(122_500, 98_000, 61));
  expect(near(60, needed(420))).toEqual(at(122_500, 98_000, 420));
  expect(near(60, needed(420) - 1)).toBeUndefined();
  // The term is above the bank's longest, so the longest is the nearest.
  const { propertyValue, principal } = offerOfBank('itau', { ...asked, term: 420, income: needed(120) });
  expect(near(500, needed(120))).toEqual({ propertyValue, financedValue: principal, term: 420, system: 'SAC' });
});

test('proposalFor uses the other system if the income carries nothing under the system asked for', () => {
  const small = values(undefined, undefined, { term: undefined, system: 'SAC' });
  expect(proposalOf('inter', { ...small, income: reais(1943.66) })).toMatchObject({ system: 'PRICE', term: 360 });
  expect(offerOfBank('inter', { ...small, income: reais(1943.67) }).income!.sufficient).toBe(true);
});
