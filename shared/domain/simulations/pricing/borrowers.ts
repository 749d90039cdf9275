import { addMonths, ageOn, type Day } from '#shared/domain/values/clock.ts';
import { type Centavos, centavos } from '#shared/domain/values/money.ts';
import type { Offer, QuoteRequest, SecondBorrower } from '../simulation.ts';
import type { MipRates } from './insurance.ts';
import { minus, percent, type Ratio, ratio, ratioOf, remembered } from './ratio.ts';

/** In years. Never change it: stored offers without a birth date are computed again with it. */
export const ASSUMED_AGE = 35;

export const assumedBirthDate = (contractDay: Day): Day => addMonths(contractDay, -ASSUMED_AGE * 12);

export const jointIncome = ({ income, secondBorrower }: QuoteRequest): Centavos | undefined =>
  secondBorrower ? centavos((income ?? 0) + secondBorrower.income) : income;

/** Undefined if no shares follow from the incomes: the first income is unknown, or both are 0. */
function sharedIncome({ income }: QuoteRequest, second: SecondBorrower): number | undefined {
  if (income === undefined || income + second.income === 0) return undefined;
  return income + second.income;
}

export function sharesUnknown(request: QuoteRequest): boolean {
  const second = request.secondBorrower;
  return second !== undefined && second.share === undefined && sharedIncome(request, second) === undefined;
}

/**
 * Returns the percentage that was sent, otherwise the second income's part of the joint income, otherwise a half.
 * Throws a RangeError if the percentage is not above 0 and below 100.
 */
export function secondShare(request: QuoteRequest, second: SecondBorrower): string {
  if (second.share !== undefined) {
    if (!(second.share > 0 && second.share < 100)) throw new RangeError('a share lies between 0 and 100 percent');
    const { numerator, denominator } = percent(String(second.share));
    return `${numerator}/${denominator}`;
  }
  const sum = sharedIncome(request, second);
  return sum === undefined ? '1/2' : `${second.income}/${sum}`;
}

export interface Insured {
  readonly birthDate: Day;
  readonly share: Ratio;
}

export function insuredOf(offer: Pick<Offer, 'birthDate' | 'contractDay' | 'secondBorrower'>): readonly Insured[] {
  const birthDate = offer.birthDate ?? assumedBirthDate(offer.contractDay);
  const second = offer.secondBorrower;
  if (second === undefined) return [{ birthDate, share: ratio(1n, 1n) }];
  const share = ratioOf(second.share);
  return [
    { birthDate, share: minus(ratio(1n, 1n), share) },
    { birthDate: second.birthDate, share },
  ];
}

function weighted(insured: readonly Insured[], rates: MipRates, dueDate: Day): Ratio {
  let sum = ratio(0n, 1n);
  for (const { birthDate, share } of insured) {
    const rate = rates(ageOn(birthDate, dueDate));
    const denominator = rate.denominator * share.denominator;
    sum = ratio(
      sum.numerator * denominator + rate.numerator * share.numerator * sum.denominator,
      sum.denominator * denominator,
    );
  }
  return sum;
}

/** Ages change once a year, so the sum is computed once for each pair of ages. */
export function mipOn(insured: readonly Insured[], rates: MipRates): (dueDate: Day) => Ratio {
  const [only, ...others] = insured;
  if (only !== undefined && others.length === 0) return remembered((dueDate) => rates(ageOn(only.birthDate, dueDate)));
  const ratesByAges = new Map<string, Ratio>();
  return remembered((dueDate) => {
    const ages = insured.map(({ birthDate }) => ageOn(birthDate, dueDate)).join(' ');
    const rate = ratesByAges.get(ages) ?? weighted(insured, rates, dueDate);
    ratesByAges.set(ages, rate);
    return rate;
  });
}
