import { type Centavos, centavos } from '#shared/domain/values/money.ts';
import type { IncomeStanding, Offer, QuoteRequest, RefusalReason, SecondBorrower } from '../simulation.ts';
import type { Asked } from './asked.ts';
import { type Backing, expensesOf, highestFinanced, highestOnAny, leastProperty } from './backing.ts';
import { insuredOf, jointIncome, mipOn, secondShare, sharesUnknown } from './borrowers.ts';
import { dfiPremium } from './insurance.ts';
import { portion, type Ratio } from './ratio.ts';
import { dueDatesFrom, firstInstalment, type Loan, levelShare } from './schedule.ts';
import type { BankTerms, RateTerms } from './terms.ts';

export type LoanFacts = Pick<
  Offer,
  'system' | 'term' | 'contractDay' | 'birthDate' | 'secondBorrower' | 'propertyValue' | 'principal'
>;

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

/** Without expenses. */
export interface Values {
  readonly propertyValue: Centavos;
  readonly financedValue: Centavos;
}

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

/** An income "carries" a loan if it is at least this income. */
export const requiredIncome = (firstInstalment: Centavos, incomePerInstalment: Ratio): Centavos =>
  portion(firstInstalment, incomePerInstalment);

/**
 * Undefined if the income is not enough for `least`, or `most` is below `least`. `required` returns the income that a
 * financed value needs. Its result must never fall when the value rises, because bisection (about 40 steps) relies on
 * that.
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

/** Neither field depends on the size of the loan. */
export type Pricing = ReturnType<typeof pricingOf>;

/** The caller computes the pricing once for loans of any size, because the level share of PRICE takes long. */
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

/** If the request names no property, takes the cheapest property that carries the financed value. */
function valuesAt(financedValue: Centavos, { propertyValue }: QuoteRequest, backing: Backing): Values {
  return { propertyValue: propertyValue ?? leastProperty(financedValue, backing), financedValue };
}

export function mostFinanced({ request, backing, limits }: Asked): Centavos {
  if (request.propertyValue !== undefined) return highestFinanced(request.propertyValue, backing);
  return highestOnAny(backing, request.fgts && limits.sfhProperty);
}

function maxLoanByIncome(asked: Asked, income: Centavos, pricing: Pricing): Centavos | undefined {
  const { terms, request, backing } = asked;
  return maxAffordableLoan(income, terms.leastFinanced, mostFinanced(asked), (financedValue) =>
    pricing.required(valuesAt(financedValue, request, backing)),
  );
}

export function incomeStanding(asked: Asked, values: Values, pricing: Pricing): IncomeStanding | undefined {
  const income = jointIncome(asked.request);
  if (income === undefined) return undefined;
  const { propertyValue, financedValue } = asked.request;
  // If the values were computed from the income, they are the highest values that the income carries.
  const isFromIncome = propertyValue === undefined && financedValue === undefined;
  const highest = isFromIncome ? values.financedValue : maxLoanByIncome(asked, income, pricing);
  const sufficient = pricing.required(values) <= income;
  return highest === undefined ? { sufficient } : { sufficient, highest };
}

/** The rounding changes the shares a little, so the needed income is computed again until it fits. */
function lowestDividedIncome(asked: Asked, second: SecondBorrower, values: Values, least: Centavos): Centavos {
  const { request } = asked;
  const first = request.income ?? 0;
  const part = (income: number) => centavos(Math.ceil((least * income) / (first + second.income)));
  const [firstPart, secondPart] = [part(first), part(second.income)];
  const grownRequest = { ...request, income: firstPart, secondBorrower: { ...second, income: secondPart } };
  const needed = pricingOf({ ...asked, request: grownRequest }).required(values);
  return needed <= firstPart + secondPart ? least : lowestDividedIncome(asked, second, values, needed);
}

/**
 * - without a financed value: the highest that the property carries
 * - without a property value: the lowest that carries the financed value
 * - with neither: the highest loan that the income carries
 *
 * If the income carries no loan, returns a reason instead, with the income that the bank's smallest loan needs. This
 * function does not check the request: `obstacles` does. Throws a RangeError if neither values nor an income are known.
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
  const divided = lowestDividedIncome(asked, secondBorrower, leastLoan, least);
  return { kind: 'incomeCarriesNothing', least: divided, shares: 'asSent' };
}
