import { BANK_IDENTITIES } from '../values/bank.ts';
import type { Centavos } from '../values/money.ts';
import type { Offer } from './simulation.ts';

/**
 * Properties in which loans must be equal, so that their amounts can be compared. A loan that is smaller, shorter or
 * needs more cash costs less in instalments without being cheaper (pricing/README.md, rule 22).
 */
const COMPARED_PROPERTIES = ['principal', 'term', 'system', 'cashNeeded'] as const;
export type ComparedProperty = (typeof COMPARED_PROPERTIES)[number];

/** The offers of an opportunity, in the order in which they are shown. */
export interface Comparison {
  /**
   * From the lowest projected CET to the highest. Only purchases; loans on a property that the customer already owns
   * if there are no others.
   */
  readonly ranked: readonly Offer[];
  /** Loans that buy nothing, next to purchases. They have no rank, and come after the ranked offers. */
  readonly apart: readonly Offer[];
  /** Properties in which the ranked offers differ. If there are any, no amount is the lowest of all. */
  readonly differing: readonly ComparedProperty[];
}

/**
 * Returns offers from the lowest cost to the highest. The cost is the projected CET, because official CETs of different
 * indexers cannot be compared. Equal offers are ordered by the official CET, then by the bank's id
 * (shared/domain/simulations/pricing/README.md, rule 12).
 */
function orderedByCost(offers: readonly Offer[]): readonly Offer[] {
  return offers.toSorted(
    (a, b) =>
      a.projection.annualCost - b.projection.annualCost ||
      a.effectiveAnnualCost - b.effectiveAnnualCost ||
      BANK_IDENTITIES[a.bank].id - BANK_IDENTITIES[b.bank].id,
  );
}

/** Returns the offers in their order, and the properties in which the ranked offers differ. */
export function compareOffers(offers: readonly Offer[]): Comparison {
  const ordered = orderedByCost(offers);
  const purchases = ordered.filter(({ product }) => product !== 'HOME_EQUITY');
  const ranked = purchases.length > 0 ? purchases : ordered;
  return {
    ranked,
    apart: ordered.filter((offer) => !ranked.includes(offer)),
    differing: COMPARED_PROPERTIES.filter((property) => new Set(ranked.map((offer) => offer[property])).size > 1),
  };
}

/**
 * Returns the lowest of an amount among the ranked offers. Undefined if there is nothing to compare: there is only one
 * ranked offer, or the loans are not equal.
 */
export function lowestAmount({ ranked, differing }: Comparison, of: (offer: Offer) => Centavos): Centavos | undefined {
  if (ranked.length < 2 || differing.length > 0) return undefined;
  return ranked.map(of).reduce((lowest, amount) => (amount < lowest ? amount : lowest));
}

/**
 * Whether a ranked offer has another value of a property than more than half of the ranked offers. If no value is that
 * frequent, no offer is unusual.
 */
export function isUnusual({ ranked }: Comparison, property: ComparedProperty, offer: Offer): boolean {
  if (!ranked.includes(offer)) return false;
  const others = ranked.filter((other) => other[property] !== offer[property]);
  return others.some((one) => ranked.filter((other) => other[property] === one[property]).length * 2 > ranked.length);
}

/** Whether a ranked offer is unusual in a property. */
export const hasUnusual = (comparison: Comparison): boolean =>
  comparison.differing.some((property) => comparison.ranked.some((offer) => isUnusual(comparison, property, offer)));
