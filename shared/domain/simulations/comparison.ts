import { BANK_IDENTITIES } from '../values/bank.ts';
import { type Centavos, centavos } from '../values/money.ts';
import { type Offer, type RateKind, SEGMENTS } from './simulation.ts';

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

/** A rate that holds for the customer comes before a rate that may not hold. */
const KIND_ORDER: readonly RateKind[] = ['segmento', 'media', 'a_partir_de', 'promocional'];

export interface Comparison {
  /**
   * The ranked offers by kind of rate, each group ordered by the projected CET. If there are purchases, only purchases
   * are ranked.
   */
  readonly groups: readonly (readonly Offer[])[];
  readonly ranked: readonly Offer[];
  /** Loans that buy nothing have no rank, and come after the ranked offers. */
  readonly apart: readonly Offer[];
  /** If a property differs, no amount is called the lowest. */
  readonly differing: readonly ComparedProperty[];
}

const groupPlace = ({ rateKind, segment }: Offer): number =>
  KIND_ORDER.indexOf(rateKind) * SEGMENTS.length + (rateKind === 'segmento' ? SEGMENTS.indexOf(segment) : 0);

/**
 * The cost is the projected CET, because official CETs of different indexers cannot be compared. Equal offers are
 * ordered by the official CET, then by the bank's id (shared/domain/simulations/pricing/README.md, rules 12 and 13).
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

function rivals({ groups }: Comparison, offer: Offer): readonly Offer[] {
  const group = groups.find((offers) => offers.includes(offer)) ?? [];
  return group.length > 1 ? group : [];
}

export function placeOf(comparison: Comparison, offer: Offer): number | undefined {
  return rivals(comparison, offer).indexOf(offer) + 1 || undefined;
}

export const comparedSum = ({ projection, appraisalFee }: Offer): Centavos => centavos(projection.total + appraisalFee);

export function isLowest(comparison: Comparison, offer: Offer, of: (offer: Offer) => Centavos): boolean {
  const others = rivals(comparison, offer);
  return comparison.differing.length === 0 && others.length > 0 && others.every((other) => of(offer) <= of(other));
}

const HALF_POINT = 0.5;

/**
 * Returns the first offer of each group with the offers that may be first if an indexer differs from the scenario by
 * half a point. This raises the projected CET by at most half a point of what is owed with interest. Groups whose first
 * place is safe are left out.
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

/** Whether the offer has another value of the property than more than half of the ranked offers. */
export function isUnusual({ ranked }: Comparison, property: ComparedProperty, offer: Offer): boolean {
  if (!ranked.includes(offer)) return false;
  const value = VALUES[property];
  const others = ranked.filter((other) => value(other) !== value(offer));
  return others.some((one) => ranked.filter((other) => value(other) === value(one)).length * 2 > ranked.length);
}

export const hasUnusual = (comparison: Comparison): boolean =>
  comparison.differing.some((property) => comparison.ranked.some((offer) => isUnusual(comparison, property, offer)));
