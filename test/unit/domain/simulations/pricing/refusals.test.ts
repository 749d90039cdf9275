import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { quote, scheduleOf } from '#shared/domain/simulations/pricing/quote.ts';
import { FGTS_CONDITIONS, type QuoteRequest, type RefusalReason } from '#shared/domain/simulations/simulation.ts';
import type { Bank } from '#shared/domain/values/bank.ts';
import type { Day } from '#shared/domain/values/clock.ts';
import { centavos } from '#shared/domain/values/money.ts';
import { FROZEN_TABLES } from '#test/makers/frozen-tables.ts';
import {
  anyAmount,
  anyQuoteRequest,
  COSTLY_CASES,
  forOffers,
  forRefusals,
  likelyQuoteRequest,
  makeQuoteRequest,
  offerOf,
  offerOfBank,
  PRICING_CASES,
  reais,
} from '#test/makers/quote-request.ts';

const anySecond = fc.option(
  fc.record({
    income: anyAmount(0, 3_000_000),
    birthDate: fc.integer({ min: 1945, max: 2012 }).map((year) => `${year}-05-20` as Day),
    share: fc.option(
      fc.integer({ min: 1, max: 9_999 }).map((part) => part / 100),
      { nil: undefined },
    ),
  }),
  { nil: undefined },
);
const anyFgts = fc.option(
  fc.record({ value: anyAmount(0, 40_000_000), ownHome: fc.constantFrom(true, true, true, false, undefined) }),
  { nil: undefined },
);
/** Returns requests that may have every field. */
const whole = (request: fc.Arbitrary<QuoteRequest>): fc.Arbitrary<QuoteRequest> =>
  fc
    .record({
      asked: request,
      secondBorrower: anySecond,
      fgts: anyFgts,
      purpose: fc.constantFrom('residencial' as const, 'residencial' as const, 'comercial' as const, undefined),
      segment: fc.constantFrom('padrao' as const, 'intermediario' as const, 'alta_renda' as const, undefined),
    })
    .map(({ asked, ...more }) => ({ ...asked, ...more }));
const anyWholeRequest = whole(anyQuoteRequest);
/** Returns requests with the given fields and neither a property nor a loan. */
const byIncome = <T extends Partial<QuoteRequest>>(given: fc.Arbitrary<T>) =>
  fc
    .tuple(anyWholeRequest, given)
    .map(([asked, more]) => ({ ...asked, propertyValue: undefined, financedValue: undefined, ...more }));

type Nothing = Extract<RefusalReason, { kind: 'incomeCarriesNothing' }>;
/**
 * Returns the request with the income that a reason asks for. Two incomes are divided as the reason says, each rounded
 * up to the centavo.
 */
function withIncomes(asked: QuoteRequest, { least, shares }: Nothing): QuoteRequest {
  const { income: mine = 0, secondBorrower: second } = asked;
  if (shares === undefined || second === undefined) return { ...asked, income: least };
  const [own, other] = shares === 'halves' ? [1, 1] : [mine, second.income];
  const part = (income: number) => centavos(Math.ceil((least * income) / (own + other)));
  return { ...asked, income: part(own), secondBorrower: { ...second, income: part(other) } };
}

describe('quote with a refusal', () => {
  /**
   * Returns the request, changed to keep the limit that a reason names. Undefined if no change of the request can keep
   * it.
   */
  const cured = (asked: QuoteRequest, reason: RefusalReason): QuoteRequest | undefined => {
    switch (reason.kind) {
      case 'termTooLong':
        return { ...asked, term: reason.longest };
      case 'termTooShort':
        return { ...asked, term: reason.shortest };
      case 'tooOldAtTheEnd':
        return reason.longest > 0 ? { ...asked, term: reason.longest } : undefined;
      case 'systemNotPriced':
        return { ...asked, system: reason.known[0] };
      case 'propertyTooCheap':
        return { ...asked, propertyValue: reason.least };
      case 'leastLoanAboveShare':
        return { ...asked, propertyValue: reason.property };
      case 'financedTooLow':
        return { ...asked, financedValue: reason.least };
      case 'financedTooHigh':
        return reason.most > 0 ? { ...asked, financedValue: reason.most } : undefined;
      case 'ltvExceeded':
        return { ...asked, financedValue: reason.highest };
      case 'fgtsTooHigh':
        return { ...asked, fgts: { ...asked.fgts, value: reason.most } };
      case 'incomeCarriesNothing':
        return withIncomes(asked, reason);
      default:
        return undefined;
    }
  };

  test('quote makes an offer at the limit that a refusal with a single reason names', () => {
    const fgts = fc.option(fc.record({ value: anyAmount(0, 60_000_000) }), { nil: undefined });
    const small = fc.record({
      propertyValue: fc.option(anyAmount(5_000_000, 60_000_000), { nil: undefined }),
      financedValue: fc.option(anyAmount(100_000, 50_000_000), { nil: undefined }),
      income: anyAmount(50_000, 5_000_000),
    });
    const smallRequest = fc
      .tuple(anyWholeRequest, small, fgts)
      .map(([whole, values, fgts]): QuoteRequest => ({ ...whole, ...values, fgts, birthDate: '2000-02-29' as Day }));
    let cures = 0;
    forRefusals(fc.oneof(anyWholeRequest, smallRequest), PRICING_CASES, ({ reason, reasons }, asked, bank) => {
      fc.pre(reasons.length === 1);
      const next = cured(asked, reason);
      fc.pre(next !== undefined);
      cures += 1;
      expect(quote(bank, next, FROZEN_TABLES)).toHaveProperty('offer');
    });
    expect(cures).toBeGreaterThanOrEqual(PRICING_CASES);
  });

  test('quote makes an offer for the proposal of its refusal, and a refusal repeats no reason', () => {
    let proposals = 0;
    forRefusals(anyWholeRequest, PRICING_CASES, ({ reason, reasons, proposal }, asked, bank) => {
      expect(reasons[0]).toEqual(reason);
      expect(new Set(reasons.map((each) => JSON.stringify(each))).size).toBe(reasons.length);
      if (proposal === undefined) return;
      proposals += 1;
      const { propertyValue, principal, expenses, term, system } = offerOf(
        quote(bank, { ...asked, ...proposal }, FROZEN_TABLES),
      );
      expect({ propertyValue, financedValue: principal - expenses, term, system }).toEqual(proposal);
    });
    // About one refusal in six has a proposal. The test fails if far fewer have one.
    expect(proposals).toBeGreaterThan(PRICING_CASES / 40);
  });

  test('quote refuses without a proposal only if a fact excludes every loan', () => {
    const facts = ['purposeNotPriced', 'tooYoung', 'tooOld', 'fgtsConditionMissing', 'incomeCarriesNothing'];
    const isFact = (reason: RefusalReason, { propertyValue }: QuoteRequest) => {
      if (reason.kind === 'tooOldAtTheEnd') return reason.longest === 0;
      // A property above the limit is a fact only if the request names it, not if it was computed for the loan.
      if (reason.kind === 'fgtsOutsideSfh') return reason.barredBy !== 'property' || propertyValue !== undefined;
      return facts.includes(reason.kind);
    };
    forRefusals(anyWholeRequest, PRICING_CASES, ({ reasons, proposal }, asked) => {
      fc.pre(proposal === undefined);
      const known = reasons.some((reason) => isFact(reason, asked));
      expect(known, JSON.stringify(reasons)).toBe(true);
    });
  });

  test('quote by income proposes what the income carries at the nearest term under the bank’s system', () => {
    let proposals = 0;
    const requests = byIncome(fc.record({ income: anyAmount(100_000, 20_000_000) }));
    forRefusals(requests, COSTLY_CASES, ({ reasons, proposal }, asked, bank) => {
      fc.pre(proposal !== undefined && !reasons.some(({ kind }) => kind === 'incomeCarriesNothing'));
      proposals += 1;
      const { term, system } = proposal;
      const { propertyValue, principal, expenses } = offerOf(quote(bank, { ...asked, term, system }, FROZEN_TABLES));
      expect(proposal).toEqual({ propertyValue, financedValue: principal - expenses, term, system });
    });
    expect(proposals).toBeGreaterThanOrEqual(COSTLY_CASES);
  });
});

test('quote names the highest loan that an income carries to the centavo, with two proponents and FGTS', () => {
  const known = fc
    .tuple(whole(likelyQuoteRequest), anyAmount(100_000, 20_000_000))
    .map(([asked, income]) => ({ ...asked, income }));
  forOffers(known, COSTLY_CASES, (offer, asked, bank) => {
    const joint = asked.income + (asked.secondBorrower?.income ?? 0);
    expect(offer.income!.sufficient).toBe(offer.requiredIncome <= joint);
    const { highest } = offer.income!;
    const at = (financedValue: number) =>
      quote(bank, { ...asked, financedValue: centavos(financedValue) }, FROZEN_TABLES);
    if (highest === undefined) {
      expect(offer.income!.sufficient).toBe(false);
      return;
    }
    expect(offerOf(at(highest)).income).toEqual({ sufficient: true, highest });
    const above = at(highest + 1);
    if ('offer' in above) expect(above.offer.income!.sufficient).toBe(false);
    else
      expect(above.refusal.reason.kind).toBeOneOf(['ltvExceeded', 'financedTooHigh', 'fgtsTooHigh', 'fgtsOutsideSfh']);
  });
});

const alone = { propertyValue: undefined, financedValue: undefined, income: reais('119.10') };
const second = { birthDate: '2000-07-24' as Day, income: reais('1262.78') };
const asked = makeQuoteRequest({ ...alone, birthDate: '1974-06-27' as Day, secondBorrower: second });
const reasonFor = (bank: Bank, asked: QuoteRequest) => {
  const quoted = quote(bank, asked, FROZEN_TABLES);
  return 'refusal' in quoted ? quoted.refusal.reasons.find(({ kind }) => kind === 'incomeCarriesNothing') : undefined;
};

test('quote names the joint income that is needed if both incomes grow in proportion, and says so', () => {
  const needed = { kind: 'incomeCarriesNothing', least: reais('2553.30'), shares: 'asSent' };
  expect(reasonFor('cashme', asked)).toEqual(needed);
  const grown = reais('1290.52');
  expect(reasonFor('cashme', { ...asked, income: grown })).toMatchObject({ least: reais('2594.03') });
  expect(reasonFor('cashme', { ...asked, income: undefined })).toMatchObject({ shares: 'halves' });
  const none = { income: reais('0.00'), secondBorrower: { ...second, income: reais('0.00') } };
  expect(reasonFor('cashme', { ...asked, ...none })).toMatchObject({ shares: 'halves' });
  for (const secondBorrower of [undefined, { ...second, share: 30 }])
    expect(reasonFor('cashme', { ...asked, secondBorrower })).not.toHaveProperty('shares');
});

describe('quote with FGTS and cash', () => {
  const attested = Object.fromEntries(FGTS_CONDITIONS.map((condition) => [condition, true]));
  const fgts = (value: string, conditions: object = attested) => ({ value: reais(value), ...conditions });

  test('quote with FGTS lowers the down payment and the cash, and nothing else', () => {
    const with50 = offerOfBank('brb', { fgts: fgts('50000.00') });
    const { fgts: used, downPayment, cashNeeded, ...offer } = with50;
    const { fgts: none, downPayment: whole, cashNeeded: all, ...without } = offerOfBank('brb');
    expect(offer).toEqual(without);
    expect(used).toBe(reais('50000.00'));
    expect(downPayment).toBe(reais('150000.00'));
    expect(cashNeeded).toBe(reais('173000.00'));
    expect(none).toBe(reais('0.00'));
    expect(whole).toBe(reais('200000.00'));
    expect(all).toBe(reais('223000.00'));
    expect(scheduleOf(with50)).toEqual(scheduleOf(offerOfBank('brb')));
  });

  test('quote with FGTS completes a missing loan or property so that the price has room for both', () => {
    const asked = makeQuoteRequest({ fgts: fgts('200000.01') });
    expect(offerOf(quote('brb', { ...asked, financedValue: undefined }, FROZEN_TABLES)).principal).toBe(
      reais('299999.99'),
    );
    expect(offerOf(quote('brb', { ...asked, propertyValue: undefined }, FROZEN_TABLES)).propertyValue).toBe(
      reais('500000.01'),
    );
    const byIncome = { propertyValue: undefined, financedValue: undefined, income: reais('90000.00') };
    expect(offerOfBank('brb', { ...byIncome, fgts: fgts('2200000.00') }).propertyValue).toBe(reais('2250000.00'));
  });

  test('quote counts expenses that are not financed as cash, and a home equity loan needs only the appraisal', () => {
    const cash = (bank: Bank, overrides: Partial<QuoteRequest> = {}) => {
      const { downPayment, cashExpenses, cashNeeded, expenses } = offerOfBank(bank, overrides);
      return { downPayment, cashExpenses, cashNeeded, expenses };
    };
    const costs = reais('20000.00');
    expect(cash('itau')).toMatchObject({ cashExpenses: costs, cashNeeded: reais('223500.00'), expenses: 0 });
    const financed = { cashExpenses: 0, cashNeeded: reais('203500.00'), expenses: costs };
    expect(cash('itau', { financeExpenses: true })).toMatchObject(financed);
    const { downPayment, cashExpenses, cashNeeded } = offerOfBank('cashme');
    expect(downPayment).toBe(0);
    expect(cashExpenses).toBe(0);
    expect(cashNeeded).toBe(reais('3000.00'));
  });
});
