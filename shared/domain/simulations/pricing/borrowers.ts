import { addMonths, ageOn, type Day } from '#shared/domain/values/clock.ts';
import { type Centavos, centavos } from '#shared/domain/values/money.ts';
import type { Offer, QuoteRequest, SecondBorrower } from '../simulation.ts';
import type { MipRates } from './insurance.ts';
import { minus, percent, type Ratio, ratio, ratioOf, remembered } from './ratio.ts';

/** Age in years taken where no birth date is known. Stored offers without one are computed again with it: it may not change. */
export const ASSUMED_AGE = 35;

/** The day on which a borrower without a known birth date is taken to be born: so many years before the contract. */
export const assumedBirthDate = (contractDay: Day): Day => addMonths(contractDay, -ASSUMED_AGE * 12);

/** Incomes of a month together; undefined where none is known. */
export const jointIncome = ({ income, secondBorrower }: QuoteRequest): Centavos | undefined =>
  secondBorrower ? centavos((income ?? 0) + secondBorrower.income) : income;

/** The sum of two known incomes; undefined if the first is unknown, or both are 0: no shares follow from them. */
function sharedIncome({ income }: QuoteRequest, second: SecondBorrower): number | undefined {
  if (income === undefined || income + second.income === 0) return undefined;
  return income + second.income;
}

/** Whether the second proponent's share neither is given nor follows from two incomes. */
export function sharesUnknown(request: QuoteRequest): boolean {
  const second = request.secondBorrower;
  return second !== undefined && second.share === undefined && sharedIncome(request, second) === undefined;
}

/**
 * The second proponent's part of the insured balance, as exact text: his percentage, else that of the incomes, else half.
 * Throws a RangeError where a percentage is not above 0 and below 100.
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

/** Somebody whose death or disability the loan is insured against, with his part of the balance. */
export interface Insured {
  readonly birthDate: Day;
  readonly share: Ratio;
}

/** Who is insured under an offer. */
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

/** The sum of the rates on a due date, each times its insured's share. */
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

/**
 * The MIP rate of a balance on a due date: the sum of each insured's rate at his age, times his share, exact. Ages change
 * once a year, so that the sum is made once for each pair of ages.
 */
export function mipOn(insured: readonly Insured[], rates: MipRates): (dueDate: Day) => Ratio {
  const [only, ...others] = insured;
  if (only !== undefined && others.length === 0) return remembered((dueDate) => rates(ageOn(only.birthDate, dueDate)));
  const ofAges = new Map<string, Ratio>();
  return remembered((dueDate) => {
    const ages = insured.map(({ birthDate }) => ageOn(birthDate, dueDate)).join(' ');
    const rate = ofAges.get(ages) ?? weighted(insured, rates, dueDate);
    ofAges.set(ages, rate);
    return rate;
  });
}
