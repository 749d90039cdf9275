// The nearest offer to a refused request (shared/contract/README.md#simulations, rule 7). Each value that the request
// names is moved to the closest limit and no further: first the system and the term, then the loan. The property is
// moved only if it is worth too little for any loan of the bank. For a request by income, the proposal is the loan that
// the income carries at that term. If the income carries none, it is the smallest loan, over the shortest term at which
// the income carries that loan. If the system that was asked for leads to no offer, the other system is tried.
import { type Centavos, centavos } from '#shared/domain/values/money.ts';
import type { Proposal, RefusalReason } from '../simulation.ts';
import { type Asked, askedOf, nearestTerm, systemsOffered } from './asked.ts';
import { highestFinanced, leastProperty } from './backing.ts';
import { jointIncome } from './borrowers.ts';
import { obstacles } from './eligibility.ts';
import { completed, mostFinanced, pricingOf, type Values } from './loan-values.ts';

/** Only a priced offer shows that a high fee excludes FGTS; the obstacles of a proposal do not. */
const isPriced = (reason: RefusalReason): boolean => reason.kind === 'fgtsOutsideSfh' && reason.barredBy === 'rate';

const clamp = (value: number, least: number, most: number): Centavos =>
  centavos(Math.max(least, Math.min(value, most)));

/** If the request names only one value, completes the other one. Undefined if it names none. */
function nearestValues(asked: Asked): Values | undefined {
  const { request, terms, backing } = asked;
  const { propertyValue, financedValue } = request;
  const least = terms.leastFinanced;
  if (propertyValue !== undefined) {
    const property = centavos(Math.max(propertyValue, leastProperty(least, backing)));
    const highest = highestFinanced(property, backing);
    return { propertyValue: property, financedValue: clamp(financedValue ?? highest, least, highest) };
  }
  if (financedValue === undefined) return undefined;
  const nearest = clamp(financedValue, least, mostFinanced(asked));
  return { propertyValue: leastProperty(nearest, backing), financedValue: nearest };
}

/**
 * If the income carries no loan, returns the smallest loan, over the shortest term at which the income carries it.
 * Undefined if there is no such term. Bisection finds the term, because a longer term never needs more income.
 */
function byIncome(asked: Asked): { readonly term: number; readonly values: Values } | undefined {
  const { terms, backing, request, longest } = asked;
  const income = jointIncome(request);
  if (income === undefined) return undefined;
  const nearest = { ...asked, term: nearestTerm(asked) };
  const carriedValues = completed(nearest, pricingOf(nearest));
  if (!('kind' in carriedValues)) return { term: nearest.term, values: carriedValues };
  const values = { propertyValue: leastProperty(terms.leastFinanced, backing), financedValue: terms.leastFinanced };
  const carried = (term: number) => pricingOf({ ...asked, term }).required(values) <= income;
  if (!carried(longest)) return undefined;
  let [tooShort, term] = [nearest.term, longest];
  while (term - tooShort > 1) {
    const middle = Math.floor((tooShort + term) / 2);
    if (carried(middle)) term = middle;
    else tooShort = middle;
  }
  return { term, values };
}

export function proposalFor(asked: Asked, reasons: readonly RefusalReason[]): Proposal | undefined {
  const { request, longest } = asked;
  if (longest === 0 || reasons.some(isPriced)) return undefined;
  const ownSystem = asked.rate.published.system;
  // The first instalment is lower under PRICE, so a small income may carry the bank's smallest loan only under PRICE.
  const others = systemsOffered(asked.terms.table).filter((system) => system !== ownSystem);
  for (const system of [ownSystem].concat(others)) {
    const proposal = proposalBy(
      system === ownSystem ? asked : askedOf(asked.bank, { ...request, system }, asked.tables),
    );
    if (proposal) return proposal;
  }
  return undefined;
}

/** Undefined if the bank would refuse the proposal. */
function proposalBy(asked: Asked): Proposal | undefined {
  const values = nearestValues(asked);
  const found = values ? { term: nearestTerm(asked), values } : byIncome(asked);
  if (found === undefined) return undefined;
  const proposal: Proposal = { ...found.values, term: found.term, system: asked.rate.published.system };
  const obstaclesLeft = obstacles(askedOf(asked.bank, { ...asked.request, ...proposal }, asked.tables));
  return obstaclesLeft.length === 0 ? proposal : undefined;
}
