import { type Centavos, centavos } from '#shared/domain/values/money.ts';
import type { IncomeStanding, Offer, QuoteRequest, RefusalReason, SecondBorrower } from '../simulation.ts';
import type { Asked } from './asked.ts';
import { type Backing, expensesOf, highestFinanced, highestOnAny, leastProperty } from './backing.ts';
import { insuredOf, jointIncome, mipOn, secondShare, sharesUnknown } from './borrowers.ts';
import { dfiPremium } from './insurance.ts';
import { portion, type Ratio } from './ratio.ts';
import { dueDatesFrom, firstInstalment, type Loan, levelShare } from './schedule.ts';
import type { BankTerms, RateTerms } from './terms.ts';

/** What a loan is made of, in a record. */
export type LoanFacts = Pick<
  Offer,
  'system' | 'term' | 'contractDay' | 'birthDate' | 'secondBorrower' | 'propertyValue' | 'principal'
>;

/** The loan of these facts at a bank's terms. */
export function loanOf(terms: BankTerms, rate: Pick<RateTerms, 'monthlyRate'>, facts: LoanFacts): Loan {
  return {
    system: facts.system,
    principal: facts.principal,
    term: facts.term,
    monthlyRate: rate.monthlyRate,
    dueDate: dueDatesFrom(facts.contractDay),
    mipRate: mipOn(insuredOf(facts), terms.mipRates),
    dfi: dfiPremium(facts.propertyValue, terms.dfiRate),
    fee: terms.monthlyFee,
  };
}

/** A property and what is financed of it, expenses left out. */
export interface Values {
  readonly propertyValue: Centavos;
  readonly financedValue: Centavos;
}

/** What a loan of an asker's values follows from. */
export function factsOf(asked: Asked, values: Values): LoanFacts {
  const { contractDay, birthDate, secondBorrower } = asked.request;
  return {
    system: asked.rate.published.system,
    term: asked.term,
    contractDay,
    birthDate,
    secondBorrower: secondBorrower && {
      birthDate: secondBorrower.birthDate,
      share: secondShare(asked.request, secondBorrower),
    },
    propertyValue: values.propertyValue,
    principal: centavos(values.financedValue + expensesOf(values.propertyValue, asked.backing)),
  };
}

/** The income that a first instalment needs: the instalment over the bank's share of the income, HALF_UP to the centavo. */
export const requiredIncome = (firstInstalment: Centavos, incomePerInstalment: Ratio): Centavos =>
  portion(firstInstalment, incomePerInstalment);

/**
 * The highest financed value from `least` to `most`, to the centavo, whose required income an income carries; undefined
 * where it does not even carry the least. `required` gives the income needed for a financed value and never falls as
 * that rises, so that halving the range finds it in some 40 steps.
 */
export function maxAffordableLoan(
  income: Centavos,
  least: Centavos,
  most: Centavos,
  required: (financedValue: Centavos) => Centavos,
): Centavos | undefined {
  if (most < least || required(least) > income) return undefined;
  if (required(most) <= income) return most;
  let [carried, tooMuch] = [least, most];
  while (tooMuch - carried > 1) {
    const middle = centavos(Math.floor((carried + tooMuch) / 2));
    if (required(middle) <= income) carried = middle;
    else tooMuch = middle;
  }
  return carried;
}

/** The loan's level part and what income its values need: the same for every size of a loan, so made once. */
export type Pricing = ReturnType<typeof pricingOf>;

/** How loans of a request are priced, whatever their size. */
export function pricingOf(asked: Asked) {
  const { terms, rate } = asked;
  const level = levelShare(rate.published.system, rate.monthlyRate, asked.term);
  const base = loanOf(terms, rate, factsOf(asked, { propertyValue: centavos(0), financedValue: centavos(0) }));
  const required = ({ propertyValue, financedValue }: Values) => {
    const principal = centavos(financedValue + expensesOf(propertyValue, asked.backing));
    const dfi = dfiPremium(propertyValue, terms.dfiRate);
    return requiredIncome(firstInstalment({ ...base, principal, dfi }, level).total, terms.incomePerInstalment);
  };
  return { level, required };
}

/** A financed value on the property asked for, else on the least one that carries it. */
function valuesAt(financedValue: Centavos, { propertyValue }: QuoteRequest, backing: Backing): Values {
  return { propertyValue: propertyValue ?? leastProperty(financedValue, backing), financedValue };
}

/** The most that a bank lends to a request: on its property, else on any; with FGTS, on any that the SFH takes. */
export function mostFinanced({ request, backing, limits }: Asked): Centavos {
  if (request.propertyValue !== undefined) return highestFinanced(request.propertyValue, backing);
  return highestOnAny(backing, request.fgts && limits.sfhProperty);
}

/** The highest financed value of a request that an income carries and the bank lends; undefined where there is none. */
function maxLoanByIncome(asked: Asked, income: Centavos, pricing: Pricing): Centavos | undefined {
  const { terms, request, backing } = asked;
  return maxAffordableLoan(income, terms.leastFinanced, mostFinanced(asked), (financedValue) =>
    pricing.required(valuesAt(financedValue, request, backing)),
  );
}

/** How the known income stands to an offer's values; undefined where none is known. */
export function incomeStanding(asked: Asked, values: Values, pricing: Pricing): IncomeStanding | undefined {
  const income = jointIncome(asked.request);
  if (income === undefined) return undefined;
  const { propertyValue, financedValue } = asked.request;
  // Values that were found from the income are the highest that it carries.
  const found = propertyValue === undefined && financedValue === undefined;
  const highest = found ? values.financedValue : maxLoanByIncome(asked, income, pricing);
  const sufficient = pricing.required(values) <= income;
  return highest === undefined ? { sufficient } : { sufficient, highest };
}

/**
 * The least income from `least` on that carries these values where two incomes grow to it in proportion, each rounded up
 * to the centavo: rounding moves their shares, and the premium with them, at times by a centavo.
 */
function leastDivided(asked: Asked, second: SecondBorrower, values: Values, least: Centavos): Centavos {
  const { request } = asked;
  const first = request.income ?? 0;
  const part = (income: number) => centavos(Math.ceil((least * income) / (first + second.income)));
  const [firstPart, secondPart] = [part(first), part(second.income)];
  const grown = { ...request, income: firstPart, secondBorrower: { ...second, income: secondPart } };
  const needed = pricingOf({ ...asked, request: grown }).required(values);
  return needed <= firstPart + secondPart ? least : leastDivided(asked, second, values, needed);
}

/**
 * What is asked for, completed: without a financed value the highest that the property carries, without a property the
 * least that carries it, with neither the highest loan that the income carries; or the income that its least loan needs.
 * For a request without obstacles. Throws a RangeError where neither values nor an income are given.
 */
export function completed(asked: Asked, pricing: Pricing): Values | RefusalReason {
  const { request, backing, terms } = asked;
  const { propertyValue, financedValue } = request;
  if (financedValue !== undefined) return valuesAt(financedValue, request, backing);
  if (propertyValue !== undefined) return { propertyValue, financedValue: highestFinanced(propertyValue, backing) };
  const income = jointIncome(request);
  if (income === undefined) throw new RangeError('a quote needs a property value, a financed value or an income');
  const highest = maxLoanByIncome(asked, income, pricing);
  if (highest !== undefined) return valuesAt(highest, request, backing);
  const leastLoan = valuesAt(terms.leastFinanced, request, backing);
  const least = pricing.required(leastLoan);
  const { secondBorrower } = request;
  if (secondBorrower === undefined || secondBorrower.share !== undefined)
    return { kind: 'incomeCarriesNothing', least };
  if (sharesUnknown(request)) return { kind: 'incomeCarriesNothing', least, shares: 'halves' };
  const divided = leastDivided(asked, secondBorrower, leastLoan, least);
  return { kind: 'incomeCarriesNothing', least: divided, shares: 'asSent' };
}
