import { BANK_IDENTITIES } from '../values/bank.ts';
import { type Centavos, centavos } from '../values/money.ts';
import { type Offer, type RateKind, SEGMENTS } from './simulation.ts';

/** Returns the cash of the contract's day without the appraisal fee, which is part of `comparedSum`. */
export const cashBeforeAppraisal = ({ cashNeeded, appraisalFee }: Offer): Centavos =>
  centavos(cashNeeded - appraisalFee);

const COMPARED_PROPERTIES = ['principal', 'term', 'system', 'cash'] as const;
/**
 * Properties in which loans must be equal, so that their amounts can be compared. A loan that is smaller, shorter or
 * needs more cash costs less in instalments without being cheaper (pricing/README.md, rule 22).
 */
export type ComparedProperty = (typeof COMPARED_PROPERTIES)[number];
const VALUES: Readonly<Record<ComparedProperty, (offer: Offer) => number | string>> = {
  principal: ({ principal }) => principal,
  term: ({ term }) => term,
  system: ({ system }) => system,
  cash: cashBeforeAppraisal,
};

/** Kinds of rates in the order of a comparison: a rate that holds for the customer comes before one that may not. */
const KIND_ORDER: readonly RateKind[] = ['segmento', 'media', 'a_partir_de', 'promocional'];

/** The offers of an opportunity, in the order in which they are shown. */
export interface Comparison {
  /**
   * Offers whose rates are of the same kind and, for `segmento`, of the same segment. Each group goes from the lowest
   * projected CET to the highest. Only purchases; loans on a property that the customer already owns if there are no
   * others.
   */
  readonly groups: readonly (readonly Offer[])[];
  /** The offers of all groups, in their order. */
  readonly ranked: readonly Offer[];
  /** Loans that buy nothing, next to purchases. They have no rank, and come after the ranked offers. */
  readonly apart: readonly Offer[];
  /** Properties in which the ranked offers differ. If there are any, no amount is the lowest of all. */
  readonly differing: readonly ComparedProperty[];
}

/** Returns the place of an offer's group among the groups. Rates of the same kind have the same place. */
const groupPlace = ({ rateKind, segment }: Offer): number =>
  KIND_ORDER.indexOf(rateKind) * SEGMENTS.length + (rateKind === 'segmento' ? SEGMENTS.indexOf(segment) : 0);

/**
 * Returns offers by the kind of their rates, and each kind from the lowest cost to the highest. The cost is the
 * projected CET, because official CETs of different indexers cannot be compared. Equal offers are ordered by the
 * official CET, then by the bank's id (shared/domain/simulations/pricing/README.md, rules 12 and 13).
 */
function ordered(offers: readonly Offer[]): readonly Offer[] {
  return offers.toSorted(
    (a, b) =>
      groupPlace(a) - groupPlace(b) ||
      a.projection.annualCost - b.projection.annualCost ||
      a.effectiveAnnualCost - b.effectiveAnnualCost ||
      BANK_IDENTITIES[a.bank].id - BANK_IDENTITIES[b.bank].id,
  );
}

/** Returns the offers in their order, and the properties in which the ranked offers differ. */
export function compareOffers(offers: readonly Offer[]): Comparison {
  const all = ordered(offers);
  const purchases = all.filter(({ product }) => product !== 'HOME_EQUITY');
  const ranked = purchases.length > 0 ? purchases : all;
  return {
    groups: Array.from(Map.groupBy(ranked, groupPlace).values()),
    ranked,
    apart: all.filter((offer) => !ranked.includes(offer)),
    differing: COMPARED_PROPERTIES.filter((property) => new Set(ranked.map(VALUES[property])).size > 1),
  };
}

/** Returns the offers with which an offer is compared, itself included. Empty if there is nothing to compare. */
function rivals({ groups }: Comparison, offer: Offer): readonly Offer[] {
  const group = groups.find((offers) => offers.includes(offer)) ?? [];
  return group.length > 1 ? group : [];
}

/** Returns the place of an offer among the rates of its kind, from 1. Undefined if there is nothing to compare. */
export function placeOf(comparison: Comparison, offer: Offer): number | undefined {
  return rivals(comparison, offer).indexOf(offer) + 1 || undefined;
}

/** Returns the sum that is compared between equal loans: the projected instalments and the appraisal fee. */
export const comparedSum = ({ projection, appraisalFee }: Offer): Centavos => centavos(projection.total + appraisalFee);

/** Whether an amount of an offer is the lowest among equal loans whose rates are of the same kind. */
export function isLowest(comparison: Comparison, offer: Offer, of: (offer: Offer) => Centavos): boolean {
  const others = rivals(comparison, offer);
  return comparison.differing.length === 0 && others.length > 0 && others.every((other) => of(offer) <= of(other));
}

/** Percentage points by which an indexer may differ from the scenario. */
const HALF_POINT = 0.5;

/**
 * Returns, for each kind of rate, the offers that may be first if an indexer differs from the scenario by half a point.
 * An indexer that rises by half a point raises the projected CET by at most half a point of what is owed with interest.
 * Kinds whose first place is safe are left out.
 */
export function closeCalls({ groups }: Comparison): readonly (readonly Offer[])[] {
  return groups.flatMap(([first, ...others]) => {
    const close = others.filter((other) => {
      const highest = Math.max(first?.effectiveAnnualCost ?? 0, other.effectiveAnnualCost);
      const gap = other.projection.annualCost - (first?.projection.annualCost ?? 0);
      // CETs have two decimals, which doubles subtract inexactly.
      return other.indexer !== first?.indexer && Math.round(gap * 100) <= HALF_POINT * (100 + highest);
    });
    return first && close.length > 0 ? [[first].concat(close)] : [];
  });
}

/**
 * Whether a ranked offer has another value of a property than more than half of the ranked offers. If no value is that
 * frequent, no offer is unusual.
 */
export function isUnusual({ ranked }: Comparison, property: ComparedProperty, offer: Offer): boolean {
  if (!ranked.includes(offer)) return false;
  const value = VALUES[property];
  const others = ranked.filter((other) => value(other) !== value(offer));
  return others.some((one) => ranked.filter((other) => value(other) === value(one)).length * 2 > ranked.length);
}

/** Whether a ranked offer is unusual in a property. */
export const hasUnusual = (comparison: Comparison): boolean =>
  comparison.differing.some((property) => comparison.ranked.some((offer) => isUnusual(comparison, property, offer)));
